"""Functions whose results depend on settings, by design: element types, places, errors."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle import lax, nn, random

I8: Final = np.array([100, 27, -3], np.int8)
INTS: Final = np.array([3, 1, 2], np.int32)
X: Final = np.array([0.5, -1.5, 2.25], np.float32)
M: Final = np.arange(6, dtype=np.float32).reshape(2, 3)


HOST: Final = np.array([1.0, 2.0, 3.0], np.float32)


def _twice(key: Any) -> Any:
    return random.uniform(key) + random.normal(key)


@treadle.custom_jvp
def own(x: Any) -> Any:
    return tnp.sin(x) + tnp.arange(3)


@own.defjvp
def _own_jvp(primals: Any, tangents: Any) -> Any:
    return own(*primals), tangents[0] * tnp.linspace(0, 1, 3)


def loop(x: Any) -> Any:
    return lax.while_loop(
        lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2 + tnp.mean(INTS)), (0, x)
    )


FUNCTIONS: Final[dict[str, tuple[Any, tuple[Any, ...]]]] = {
    "arange": (lambda x: x + tnp.arange(3), (X,)),
    "new": (lambda x: (tnp.zeros(2), tnp.ones((2,), int), tnp.full(2, 7), tnp.eye(2), x), (X,)),
    "numbers": (lambda: (tnp.asarray(1), tnp.asarray(2.5), tnp.asarray(1j), tnp.array([1, 2])), ()),
    "wide": (lambda: tnp.array(np.arange(3)), ()),
    "sums": (lambda i, n: (i.sum(), n.sum(), tnp.cumsum(n), tnp.prod(n), i.mean()), (INTS, I8)),
    "counts": (lambda x: (tnp.argmax(x), tnp.argsort(x), tnp.count_nonzero(x)), (X,)),
    "converted": (lambda x: (x.astype(float), x.astype(int), x.astype("float64")), (X,)),
    "mixed": (lambda x, i: x + i, (X, INTS)),
    "mixed numbers": (lambda x, i: (x + 1, i + 1, i + 1.5), (X, INTS)),
    "ranks": (lambda m, x: m * x, (M, X)),
    "divided": (lambda i: (i / 2, i / i, i // 2), (INTS,)),
    "indexed": (lambda x, i: (x[i - 1], x[tnp.array([0, 2])], x.at[i - 1].add(1)), (X, INTS)),
    "products": (lambda m: (m @ m.T, tnp.dot(m, m[0]), tnp.einsum("ij,kj", m, m)), (M,)),
    "joined": (lambda x, i: tnp.concatenate([x, i]), (X, INTS)),
    "chosen": (lambda x: tnp.where(x > 0, x, 0), (X,)),
    "drawn": (lambda: (random.normal(random.key(3), (2,)), random.bits(random.key(1))), ()),
    "looped": (loop, (X,)),
    "scanned": (lambda x: lax.scan(lambda c, e: (c + e, c * tnp.arange(2)), 0.0, x), (X,)),
    "branches": (
        lambda x: lax.cond(x[0] > 0, lambda: tnp.arange(2), lambda: tnp.zeros(2, int)),
        (X,),
    ),
    "own rule": (own, (X,)),
    "own rule's slope": (treadle.grad(lambda x: own(x).sum()), (X,)),
    "slopes": (treadle.grad(lambda x: (nn.softmax(x) * tnp.arange(3)).sum()), (X,)),
    "of the compiled": (treadle.vmap(treadle.jit(lambda x: x * tnp.arange(3)[1])), (X,)),
    "not finite": (lambda x: (tnp.log(x), tnp.sqrt(x) / (x - x)), (X,)),
    "not finite slopes": (treadle.grad(lambda x: (tnp.sqrt(x * 0) * 0).sum()), (X,)),
    "one key twice": (lambda: _twice(random.key(3)), ()),
    "out of bounds": (lambda x: (x[7], x[-9]), (X,)),
    "wide by name": (lambda i: (tnp.zeros(2, "float64"), i.astype("int64"), i.sum()), (INTS,)),
    "old keys": (lambda: random.uniform(random.PRNGKey(4), (2,)), ()),
    "of the host": (lambda x: x + HOST, (X,)),
    "cancelled": (lambda x, y: (x + y) - x, (np.float32(1e8), np.float32(1))),
    "recomputed": (treadle.grad(treadle.checkpoint(lambda x: (x * tnp.arange(3)).sum())), (X,)),
}

"""`lax`, `nn` and `random`: control flow keeps types of what it carries, functions give arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, assert_type

import numpy as np

from treadle import Array, lax, nn, random


class State(NamedTuple):
    """A user's pytree."""

    position: Array
    speed: Array


def control(x: Array, state: State) -> None:
    assert_type(lax.cond(True, lambda: x, lambda: -x), Array)

    def shrunk(a: Array) -> Array:
        return a / 2

    assert_type(lax.cond(x > 0, shrunk, shrunk, x), Array)

    def step(s: State) -> State:
        return State(s.position + s.speed, s.speed)

    def carried(s: State, dx: Array) -> tuple[State, Array]:
        return step(s), s.position * dx

    assert_type(lax.while_loop(lambda s: s.position < 3, step, state), State)
    assert_type(lax.fori_loop(0, 3, lambda i, s: step(s), state), State)
    assert_type(lax.scan(carried, state, x), tuple[State, Array])
    assert_type(lax.switch(1, [step, step], state), State)
    assert_type(lax.associative_scan(lambda a, b: a + b, x), Array)

    def row(a: Array) -> tuple[Array, Array]:
        return a.sum(), a.max()

    assert_type(lax.map(row, x), tuple[Array, Array])


@dataclass
class Batch:
    """Elements of a scan in a class of a user."""

    x: Array


def numbers_as_carries(x: Array, xs: np.ndarray[Any, np.dtype[Any]], batch: Batch) -> Array:
    def accumulate(total: Array, x: Array) -> tuple[Array, None]:
        return total + x, None

    def of_pair(total: Array, pair: tuple[Array, Array]) -> tuple[Array, Array]:
        return total + pair[0], pair[1]

    def of_batch(total: Array, batch: Batch) -> tuple[Array, Array]:
        return total + batch.x, total

    def both(carry: tuple[Array, Array], x: Array) -> tuple[tuple[Array, Array], Array]:
        return (carry[0] + 1, carry[1] * x), x

    assert_type(lax.scan(accumulate, 0.0, x), tuple[Array, None])
    assert_type(lax.scan(accumulate, 0, xs), tuple[Array, None])
    assert_type(lax.scan(accumulate, np.float32(0), xs), tuple[Array, None])
    assert_type(lax.scan(of_pair, 0.0, (xs, x)), tuple[Array, Array])
    assert_type(lax.scan(of_batch, 0.0, batch), tuple[Array, Array])
    assert_type(lax.scan(both, (0, 1.0), x), tuple[tuple[Array, Array], Array])
    assert_type(lax.scan(lambda c, x: (c + x, c), 0.0, x), tuple[Array, Array])
    assert_type(lax.scan(lambda c, x: (c + x, c), x, x), tuple[Array, Array])
    lax.scan(lambda c, _: (c * 2, c), 1.0, None, length=3)
    lax.scan(lambda c, _: (c * 2, c), 1.0, length=3)
    lax.scan(lambda c, x: ((c[0] + x, c[1] + 1), None), (0.0, 0), xs)
    lax.scan(lambda c, _: ({"a": c["a"] + x}, c["a"]), {"a": 0}, None, 3)[0]["a"].sum()
    lax.while_loop(lambda n: n < 3, lambda n: n + 1, 0).astype(int)
    lax.while_loop(lambda p: p[0] < 3, lambda p: (p[0] + 1, p[1] * x), (0, 1.0))[1].sum()
    assert_type(lax.fori_loop(0, 3, lambda i, total: total + i, 0), Array)
    lax.fori_loop(0, 3, lambda i, total: total * 2, 1.0).sum()
    lax.fori_loop(0, 3, lambda i, p: (p[0] + x, p[1] + p[0]), (0, 0))[1].sum()
    assert_type(lax.cond(x > 0, lambda: 1.0, lambda: 2.0), Array)
    assert_type(lax.cond(x > 0, lambda: x, lambda: 0), Array)
    assert_type(lax.cond(x > 0, lambda a: a + 1, lambda a: a - 1, x), Array)
    lax.cond(x > 0, lambda a: a + 1, lambda a: a - 1, 1.0).sum()
    lax.cond(x > 0, lambda a, b: (a, b), lambda a, b: (b, a), x, 1.0)[0].sum()
    assert_type(lax.switch(1, [lambda: 1.0, lambda: x]), Array)
    lax.switch(1, [lambda a: a, lambda a: a * 2], 1.0).sum()
    lax.map(lambda a: a * 2, xs).sum()
    lax.map(lambda pair: pair[0] * pair[1], (xs, x)).sum()
    lax.associative_scan(lambda a, b: a + b, xs).sum()
    total, _ = lax.scan(lambda c, x: (c + x, None), 0.0, xs)
    return total


def instructions(x: Array, y: Array) -> None:
    assert_type(lax.add(x, y), Array)
    assert_type(lax.rsqrt(x), Array)
    assert_type(lax.reduce_sum(x, (0,)), Array)
    assert_type(lax.cumsum(x, axis=1, reverse=True), Array)
    assert_type(lax.sort(x), Array)
    assert_type(lax.sort((x, y), num_keys=1), tuple[Array, ...])
    assert_type(lax.top_k(x, 2), list[Array])
    assert_type(lax.dot_general(x, y, (((1,), (0,)), ((), ()))), Array)
    assert_type(lax.dot(x, y, precision=lax.Precision.HIGHEST), Array)
    assert_type(lax.dynamic_slice(x, (0, x[0]), (1, 2)), Array)
    assert_type(lax.reduce(x, 0.0, lax.add, (0,)), Array)
    assert_type(lax.reduce_window(x, 0.0, lax.max, (2,), (2,), "SAME"), Array)
    assert_type(lax.stop_gradient(x), Array)
    assert_type(lax.axis_size("i"), int)
    lax.add(x, y, x)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    lax.sort(x, stable=True)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]


def networks(x: Array) -> None:
    assert_type(nn.relu(x), Array)
    assert_type(nn.softmax(x, axis=(0, 1)), Array)
    assert_type(nn.one_hot(x, 10), Array)
    assert_type(nn.logsumexp(x), Array)
    assert_type(nn.dot_product_attention(x, x, x, is_causal=True), Array)


def randomness() -> None:
    key = random.key(0)
    assert_type(key, Array)
    assert_type(random.split(key), Array)
    first, second = random.split(key)
    assert_type(first, Array)
    assert_type(random.fold_in(second, 3), Array)
    assert_type(random.PRNGKey(0), Array)
    assert_type(random.split(random.PRNGKey(0)), Array)
    assert_type(random.normal(key, (2, 3)), Array)
    assert_type(random.choice(key, 5, (2,), replace=False), Array)
    assert_type(random.randint(random.PRNGKey(1), (), 0, 10), Array)
    random.uniform(0)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

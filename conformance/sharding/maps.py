"""shard_map over eight devices equals vmap: every program of the pool, every collective, and their derivatives.

A batch element is a device's part without its leading axis of size 1. Under `vmap` each batch element has a value of
its own, and so has each device of a shard_map without `check_vma`; with it, derivatives of the whole are the same,
since what a function of whole arrays is has nothing to do with how its inside is looked at.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

import treadle
import treadle.numpy as tnp
from conformance.programs_pool import POOL, Pooled
from conformance.sharding.pool import same, total
from treadle import lax
from treadle.sharding import AxisType, Mesh, PartitionSpec as P
from treadle_ir.settings import X64

Tree: TypeAlias = Any  # a pytree of arrays
N: Final = 8
RING: Final = [(i, (i + 1) % N) for i in range(N)]


@functools.cache
def mesh() -> Mesh:
    """Eight devices in a row."""
    return treadle.make_mesh((N,), ("i",), (AxisType.Auto,))


def mapped(program: Callable[..., Tree], check: bool) -> Callable[..., Tree]:
    """Return `vmap(program, axis_name="i")` as a shard_map, with a device for each batch element."""

    def part(*args: Tree) -> Tree:
        result = program(*treadle.tree.map(lambda x: x[0], args))
        return treadle.tree.map(lambda x: tnp.asarray(x)[None], result)

    return treadle.shard_map(part, mesh=mesh(), in_specs=P("i"), out_specs=P("i"), check_vma=check)


def stacked(arguments: tuple[Tree, ...]) -> tuple[Tree, ...]:
    """Eight batch elements, near to each other."""
    spread: tuple[Tree, ...] = treadle.tree.map(
        lambda x: tnp.stack([tnp.asarray(x) * (1 + 0.01 * i) for i in range(N)]), arguments
    )
    return spread


def equal(program: Callable[..., Tree], arguments: tuple[Tree, ...], kind: str) -> None:
    """One law for one program of one batch element."""
    way, _, check = kind.partition("-")
    with X64.override(True):
        args = stacked(arguments)
        ours, theirs = mapped(program, check == "checked"), treadle.vmap(program, axis_name="i")
        if way == "value":
            same(treadle.jit(ours)(*args), treadle.jit(theirs)(*args))
        elif way == "jvp":
            for one, other in zip(
                treadle.jvp(ours, args, args), treadle.jvp(theirs, args, args), strict=True
            ):
                same(one, other)
        elif way == "vmap":
            twice = treadle.tree.map(lambda x: tnp.stack([x, x * 1.01], 1), args)
            same(
                treadle.jit(treadle.vmap(ours, 1))(*twice),
                treadle.jit(treadle.vmap(theirs, 1))(*twice),
            )
        else:
            numbers = tuple(range(len(args)))
            of_ours, of_theirs = [treadle.grad(total(f), numbers) for f in (ours, theirs)]
            if way == "second":  # of what the gradient's own derivative is along the arguments
                of_ours, of_theirs = [treadle.grad(total(f), numbers) for f in (of_ours, of_theirs)]
            same(treadle.jit(of_ours)(*args), treadle.jit(of_theirs)(*args))


X: Final = (
    np.array([[0.3, -0.8, 1.1, 0.6, 0.9, -0.2, 0.4, 1.3]] * N) * np.linspace(0.5, 1.2, N)[:, None]
)

COLLECTIVES: Final[dict[str, Callable[..., Tree]]] = {
    "psum": lambda x: tnp.sin(lax.psum(x * x, "i")) * x,
    "psum of what is the same": lambda x: lax.psum(2.0, "i") * x,
    "pmean": lambda x: tnp.sin(lax.pmean(x, "i")) * x,
    "pmax": lambda x: x - lax.pmax(lax.stop_gradient(x), "i"),
    "pmin": lambda x: x - lax.pmin(lax.stop_gradient(x), "i"),
    "all_gather": lambda x: tnp.tanh(lax.all_gather(x, "i")).sum((1, 2)) * x[0],
    "all_gather along 1": lambda x: lax.all_gather(x * x, "i", axis=1)[0] * x[0],
    "all_gather, tiled": lambda x: tnp.sin(lax.all_gather(x, "i", axis=1, tiled=True)),
    "all_gather, invarying": lambda x: (
        tnp.tanh(lax.all_gather(x, "i", to="invarying")).sum((1, 2)) * x[0]
    ),
    "all_gather along 1, invarying": lambda x: (
        lax.all_gather(x * x, "i", axis=1, to="invarying")[0] * x[0]
    ),
    "all_gather, tiled, invarying": lambda x: tnp.sin(
        lax.all_gather(x, "i", axis=1, tiled=True, to="invarying")
    ),
    "psum_scatter": lambda x: lax.psum_scatter(x * x, "i") * x[1],
    "psum_scatter_start": lambda x: lax.psum_scatter_start(x * x, "i").done() * x[1],
    "psum_scatter, tiled": lambda x: lax.psum_scatter(x * x, "i", scatter_dimension=1, tiled=True),
    "all_to_all": lambda x: lax.all_to_all(x * x, "i", 0, 1) * x,
    "all_to_all, tiled": lambda x: tnp.sin(lax.all_to_all(x, "i", 1, 0, tiled=True)),
    "ppermute": lambda x: lax.ppermute(x * x, "i", RING) * x,
    "ppermute with gaps": lambda x: lax.ppermute(x * x, "i", [(0, 3), (5, 1)]) + x,
    "pshuffle": lambda x: lax.pshuffle(x, "i", [3, 1, 0, 2, 7, 6, 5, 4]) * x,
    "pswapaxes": lambda x: lax.pswapaxes(x * x, "i", 0) * x,
    "pbroadcast": lambda x: lax.pbroadcast(x * x, "i", 3) * x,
    "pcast": lambda x: lax.pcast(x, "i", to="varying") * x,
    "axis_index": lambda x: x * x * lax.axis_index("i"),
    "axis_size": lambda x: x * x * lax.axis_size("i"),
    "psum within scan": lambda x: lax.scan(
        lambda c, row: (c + lax.psum(tnp.sin(row * c), "i"), c * row), x[0], x
    ),
    "psum within cond": lambda x: lax.cond(
        lax.psum(x.sum(), "i") > 0, lambda: lax.psum(tnp.sin(x), "i"), lambda: x * x
    ),
    "psum within checkpoint": lambda x: treadle.checkpoint(
        lambda y: tnp.sin(lax.psum(tnp.sin(y), "i")) * y
    )(x),
    "psum within jit": lambda x: treadle.jit(lambda y: tnp.sin(lax.psum(y, "i")) * y)(x),
}
FOURS: Final = [[0, 3, 5, 6], [7, 1, 2, 4]]
COLLECTIVES.update(
    {
        "psum among groups": lambda x: tnp.sin(lax.psum(x * x, "i", axis_index_groups=FOURS)) * x,
        "pmean among groups": lambda x: lax.pmean(x * x, "i", axis_index_groups=FOURS) * x,
        "pmax among groups": lambda x: (
            x - lax.pmax(lax.stop_gradient(x), "i", axis_index_groups=FOURS)
        ),
        "all_gather among groups": lambda x: (
            tnp.tanh(lax.all_gather(x, "i", axis=1, axis_index_groups=FOURS)).sum((1, 2)) * x[0]
        ),
        "psum_scatter among groups": lambda x: (
            lax.psum_scatter(x[:4] * x[4:], "i", axis_index_groups=FOURS) * x[1]
        ),
        "all_to_all among groups": lambda x: tnp.sin(
            lax.all_to_all(x * x, "i", 1, 0, tiled=True, axis_index_groups=FOURS)
        ),
        "psum among groups within scan": lambda x: lax.scan(
            lambda c, row: (c + lax.psum(tnp.sin(row * c), "i", axis_index_groups=FOURS), c * row),
            x[0],
            x,
        ),
    }
)
WAYS: Final = ("value", "jvp", "vmap", "grad", "second")


def _pooled(pooled: Pooled, kind: str) -> None:
    equal(pooled.program, pooled.arguments, kind)


def _summing(backward: Callable[[Tree], Tree]) -> Callable[[Tree], Tree]:
    """A sum over devices with a backward rule."""

    @treadle.custom_vjp
    def summed(x: Tree) -> Tree:
        return lax.psum(x, "i")

    summed.defvjp(lambda x: (lax.psum(x, "i"), None), lambda _, ct: (backward(ct),))
    return summed


def sums_with_rules(backward: Callable[[Tree], Tree]) -> None:
    """The function's result is replicated, and so is its cotangent: results need not be sliced."""
    summed, x = _summing(backward), np.arange(2.0 * N, dtype=np.float32)

    def over(part: Callable[[Tree], Tree], out: P) -> Callable[[Tree], Tree]:
        return treadle.shard_map(part, mesh=mesh(), in_specs=P("i"), out_specs=out)

    within = over(lambda x: treadle.grad(lambda y: (summed(y) ** 2).sum())(x), P("i"))
    scanned = over(lambda x: lax.scan(lambda c, y: (c + summed(y), None), 0.0, x)[0], P())
    whole = np.tile(x.reshape(N, 2).sum(0), N)
    for wrapped in (lambda f: f, treadle.jit):
        same(wrapped(over(summed, P()))(x), whole[:2])
        same(wrapped(treadle.grad(lambda x: (over(summed, P())(x) ** 2).sum()))(x), 2 * whole)
        same(wrapped(within)(x), 2 * whole)
        same(wrapped(scanned)(x), x.sum())
        same(wrapped(treadle.grad(scanned))(x), np.ones_like(x))


def gathered_whole() -> None:
    """A gather to a replicated value needs no sharding, and each device's cotangent is its shard of one array."""
    x, weights = np.linspace(0.3, 1.5, 2 * N), np.linspace(-1.0, 1.0, 2 * N)

    def over(tiled: bool) -> Callable[[Tree], Tree]:
        return treadle.shard_map(
            lambda x: lax.all_gather(tnp.sin(x), "i", tiled=tiled, to="invarying"),
            mesh=mesh(),
            in_specs=P("i"),
            out_specs=P(),
        )

    with X64.override(True):
        for wrapped in (lambda f: f, treadle.jit):
            for tiled, shape in ((True, (2 * N,)), (False, (N, 2))):
                whole = over(tiled)
                same(wrapped(whole)(x), np.sin(x).reshape(shape))
                slope = treadle.grad(lambda x, f: (f(x).ravel() * weights).sum())
                same(wrapped(functools.partial(slope, f=whole))(x), np.cos(x) * weights)


def _sums(f: Callable[[Tree], Tree], *names: str) -> Callable[[Tree], Tree]:
    return lambda x: lax.psum(f(x).sum(), names) if names else f(x).sum()


def rules_that_begin() -> None:
    """The result of a function with a rule may vary where no argument does: each device then has its own cotangent."""

    @treadle.custom_vjp
    def own(x: Tree) -> Tree:
        return x * (1 + lax.axis_index("i").astype(x.dtype))

    own.defvjp(lambda x: (own(x), None), lambda _, ct: (lax.psum(7 * ct, "i"),))

    def over(part: Callable[[Tree], Tree]) -> Callable[[Tree], Tree]:
        return treadle.shard_map(part, mesh=mesh(), in_specs=P(), out_specs=P("i"))

    x = np.arange(3, dtype=np.float32)
    for inner in (own, treadle.jit(own), treadle.checkpoint(own), treadle.vmap(own)):
        for wrapped in (lambda f: f, treadle.jit):
            same(wrapped(over(inner))(x), np.outer(np.arange(1, N + 1), x).ravel().astype(x.dtype))
            total, part = _sums(over(inner)), _sums(inner, "i")
            same(wrapped(treadle.grad(total))(x), np.full(3, 7 * N, x.dtype))
            same(wrapped(over(treadle.grad(part)))(x), np.full(3 * N, 7 * N, x.dtype))


def rules_of_some() -> None:
    """The cotangent of one argument, where another, which is not differentiated, varies."""

    @treadle.custom_vjp
    def product(x: Tree, y: Tree) -> Tree:
        return x * y

    product.defvjp(lambda x, y: (x * y, None), lambda _, ct: (ct * 2, lax.psum(ct * 3, "i")))
    x, y = np.arange(2.0 * N, dtype=np.float32), np.ones(2, np.float32)
    over = treadle.shard_map(product, mesh=mesh(), in_specs=(P("i"), P()), out_specs=P("i"))
    same(treadle.grad(lambda y: over(x, y).sum())(y), np.full(2, 3 * N, x.dtype))


def gradients_of_what_all_devices_share() -> None:
    """Within a shard_map, the gradient by what all devices share is the sum of theirs, though no product meets it.

    The numbers are JAX's.
    """
    w, x = np.full(3, 2.0, np.float32), np.arange(6.0 * N, dtype=np.float32).reshape(2 * N, 3)

    def over(part: Callable[[Tree, Tree], Tree], out: P) -> Callable[[Tree, Tree], Tree]:
        return treadle.shard_map(part, mesh=mesh(), in_specs=(P(), P("i")), out_specs=out)

    added = lambda w, x: (x + w).sum()  # noqa: E731
    chosen = lambda w, x: lax.cond(x[0, 0] >= 0, lambda: w.sum(), lambda: x.sum())  # noqa: E731
    carried = lambda w, x: lax.scan(lambda c, row: (c + row, None), w, x)[0].sum()  # noqa: E731
    for wrapped in (lambda f: f, treadle.jit):
        for function, slope in (
            (added, 2 * N),
            (treadle.jit(added), 2 * N),
            (treadle.checkpoint(added), 2 * N),
            (chosen, N),
            (carried, N),
        ):
            same(wrapped(over(treadle.grad(function), P()))(w, x), np.full(3, slope, w.dtype))
        pulled = over(lambda w, x: treadle.vjp(lambda w: (x + w).sum(0), w)[1](x[0])[0], P())
        same(wrapped(pulled)(w, x), 2 * x[::2].sum(0))
        pushed = over(lambda w, x: treadle.jvp(lambda w: (x + w).sum(0), (w,), (w,))[1], P("i"))
        same(wrapped(pushed)(w, x), np.full(3 * N, 4, w.dtype))


LAWS: Final = {
    **{
        f"{name}-{way}-{check}": functools.partial(equal, program, (X,), f"{way}-{check}")
        for name, program in COLLECTIVES.items()
        for way in WAYS
        for check in ("checked", "unchecked")
        if check == "checked" or way in ("value", "grad")
    },
    **{
        f"{pooled.name}-{way}-checked": functools.partial(_pooled, pooled, f"{way}-checked")
        for pooled in POOL.values()
        for way in ("value", "grad")
        if way == "value" or pooled.reverse
    },
    "what is gathered as one value": gathered_whole,
    "gradients of what all devices share": gradients_of_what_all_devices_share,
    "a sum with a rule": functools.partial(sums_with_rules, lambda ct: ct),
    "a sum with a rule that says what varies": functools.partial(
        sums_with_rules, lambda ct: lax.pcast(ct, "i", to="varying")
    ),
    "a rule whose results begin to vary": rules_that_begin,
    "a rule of which some arguments vary": rules_of_some,
}

"""Collectives over several axes of a mesh at once: shard_map over two by two by two devices equals three vmaps.

Batch elements are numbered along the named axes in the order of the names, the last one fastest, whatever the order in
the mesh. Where one of the axes is a vmap's and the others are a shard_map's, it is the same again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

import treadle
import treadle.numpy as tnp
from conformance.sharding.pool import same, total
from treadle import lax
from treadle.sharding import AxisType, Mesh, PartitionSpec as P
from treadle_ir.settings import X64

Tree: TypeAlias = Any  # a pytree of arrays
Names: TypeAlias = tuple[str, ...]
AXES: Final = ("a", "b", "c")
X: Final = np.sin(np.arange(8 * 8 * 16, dtype=np.float64)).reshape(2, 2, 2, 8, 16) + 0.3


@functools.cache
def mesh() -> Mesh:
    """Eight devices in a cube."""
    return treadle.make_mesh((2, 2, 2), AXES, (AxisType.Auto,) * 3)


def vmapped(program: Callable[..., Tree]) -> Callable[..., Tree]:
    """All axes a vmap's, the first one outermost."""
    return functools.reduce(lambda f, name: treadle.vmap(f, axis_name=name), AXES[::-1], program)


def sharded(program: Callable[..., Tree], check: bool) -> Callable[..., Tree]:
    """All axes a shard_map's."""
    return treadle.shard_map(
        lambda x: tnp.asarray(program(x[0, 0, 0]))[None, None, None],
        mesh=mesh(),
        in_specs=P(*AXES),
        out_specs=P(*AXES),
        check_vma=check,
    )


def mixed(program: Callable[..., Tree]) -> Callable[..., Tree]:
    """The axis `a` a vmap's on each device, the others a shard_map's."""
    return treadle.shard_map(
        lambda x: treadle.vmap(program, axis_name="a")(x[:, 0, 0])[:, None, None],
        mesh=mesh(),
        in_specs=P(None, "b", "c"),
        out_specs=P(None, "b", "c"),
    )


def equal(program: Callable[[Any, Names], Tree], names: Names, way: str, kind: str) -> None:
    """One law for one program of one batch element and the names."""

    def named(x: Any) -> Tree:
        return program(x, names)

    with X64.override(True):
        ours = mixed(named) if kind == "mixed" else sharded(named, kind == "checked")
        theirs, x = vmapped(named), tnp.asarray(X)
        if way == "jvp":
            along = tnp.cos(x)
            for one, other in zip(
                treadle.jvp(ours, (x,), (along,)), treadle.jvp(theirs, (x,), (along,)), strict=True
            ):
                same(one, other)
            return
        if way == "vmap":
            x = tnp.stack([x, x * 1.01], 4)
            ours, theirs = [treadle.vmap(f, 4) for f in (ours, theirs)]
        for _ in range({"grad": 1, "second": 2}.get(way, 0)):
            ours, theirs = [treadle.grad(total(f)) for f in (ours, theirs)]
        same(treadle.jit(ours)(x), treadle.jit(theirs)(x))


def _ring(names: Names) -> list[tuple[int, int]]:
    size = lax.axis_size(names)
    return [(i, (i + 1) % size) for i in range(size)]


COLLECTIVES: Final[dict[str, Callable[[Any, Names], Tree]]] = {
    "psum": lambda x, names: tnp.sin(lax.psum(x * x, names)) * x,
    "all_gather": lambda x, names: tnp.tanh(lax.all_gather(x, names, axis=1))[:, -2] * x,
    "all_gather, tiled": lambda x, names: tnp.sin(lax.all_gather(x, names, axis=1, tiled=True)),
    "psum_scatter": lambda x, names: lax.psum_scatter(x[: lax.axis_size(names)] ** 2, names) * x[1],
    "psum_scatter, tiled": lambda x, names: lax.psum_scatter(
        x * x, names, scatter_dimension=1, tiled=True
    ),
    "all_to_all": lambda x, names: tnp.sin(lax.all_to_all(x[: lax.axis_size(names)], names, 0, 1)),
    "all_to_all, tiled": lambda x, names: tnp.sin(lax.all_to_all(x, names, 1, 0, tiled=True)),
    "all_to_all, tiled, one axis": lambda x, names: lax.all_to_all(x * x, names, 1, 1, tiled=True),
    "ppermute": lambda x, names: lax.ppermute(x * x, names, _ring(names)) * x,
    "ppermute with gaps": lambda x, names: lax.ppermute(x * x, names, [(0, 2), (1, 0)]) + x,
    "pshuffle": lambda x, names: (
        lax.pshuffle(x * x, names, [1, 2, 3, 0, *range(4, lax.axis_size(names))]) * x
    ),
    "pbroadcast": lambda x, names: lax.pbroadcast(x * x, names, 2) * x,
    "axis_index": lambda x, names: x * x * lax.axis_index(names) / lax.axis_size(names),
}


def numbered() -> None:
    """The index over several axes agrees with NumPy: the last name varies fastest, in the order of the names."""
    numbers = np.arange(8, dtype=np.float32).reshape(2, 2, 2)
    for names in (("a", "b"), ("b", "a"), ("c", "a", "b"), ("c", "b", "a")):
        order = [AXES.index(name) for name in names]
        strides = 2 ** np.arange(len(names))[::-1]
        places = np.tensordot(strides, np.indices((2, 2, 2))[order], 1)
        expected = np.empty((2, 2, 2, 2 ** len(names)), np.float32)
        for at in np.ndindex(2, 2, 2):
            for other in np.ndindex(2, 2, 2):
                if all(at[i] == other[i] for i in range(3) if i not in order):
                    expected[(*at, places[other])] = numbers[other]
        for way in (vmapped, functools.partial(sharded, check=True), mixed):

            def index(x: Any, names: Names = names) -> Any:
                return lax.axis_index(names) + 0 * x

            def gathered(x: Any, names: Names = names) -> Any:
                return lax.all_gather(x, names)

            assert np.array_equal(way(index)(numbers), places), names
            assert np.array_equal(way(gathered)(numbers), expected), names


def no_axes() -> None:
    """Over no axes at all a collective is what it is given."""
    for function in (
        lambda x: lax.psum(x, ()),
        lambda x: lax.pmean(x, ()),
        lambda x: lax.all_gather(x, ()),
        lambda x: lax.psum_scatter(x, ()),
        lambda x: lax.all_to_all(x, (), 0, 1),
        lambda x: lax.ppermute(x, (), []),
        lambda x: x * lax.axis_size(()) + lax.axis_index(()),
    ):
        for way in (vmapped, functools.partial(sharded, check=True), mixed):
            assert np.array_equal(way(function)(X.astype(np.float32)), X.astype(np.float32))


KINDS: Final = {
    ("b", "a"): ("value-checked", "grad-mixed"),
    ("c", "a", "b"): (
        *("value-checked", "value-mixed", "jvp-checked", "vmap-checked"),
        *("grad-checked", "grad-unchecked", "second-checked"),
    ),
}
LAWS: Final = {
    "numbered": numbered,
    "no_axes": no_axes,
    **{
        f"{name}-{''.join(names)}-{kind}": functools.partial(
            equal, program, names, *kind.split("-")
        )
        for name, program in COLLECTIVES.items()
        for names, kinds in KINDS.items()
        for kind in kinds
    },
}

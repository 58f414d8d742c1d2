"""A program of the pool on arrays over a mesh equals the same program on whole arrays.

Eagerly, jitted, its gradient, and mapped over an axis that is itself sharded over the mesh. The mesh has axes of two
and of three devices, since the pool's arrays have sizes of two, three and four; an axis that does not divide is
unsharded.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

import treadle
import treadle.numpy as tnp
from conformance.programs_pool import POOL, Pooled
from treadle.sharding import AxisType, Mesh, NamedSharding, PartitionSpec
from treadle_ir.settings import X64

SIZES: Final = {"x": 2, "y": 3}


@functools.cache
def mesh() -> Mesh:
    """Six devices in two rows."""
    return treadle.make_mesh(
        (2, 3), ("x", "y"), (AxisType.Auto,) * 2, devices=treadle.devices()[:6]
    )


def spread(tree: Any, *first: str) -> Any:
    """The arrays of a tree over as many axes of the mesh as divide them; the first axis over `first`. Any: a pytree."""

    def put(leaf: Any) -> Any:
        left = [name for name in SIZES if name not in first]
        spec: list[Any] = [first] if first else []
        for size in np.shape(leaf)[len(spec) :]:
            fits = [name for name in left if size and size % SIZES[name] == 0]
            spec.append(fits[0] if fits else None)
            left = [name for name in left if name not in fits[:1]]
        return treadle.device_put(leaf, NamedSharding(mesh(), PartitionSpec(*spec)))

    return treadle.tree.map(put, tree)


def same(found: Any, expected: Any) -> None:
    """Two trees of arrays are equal, up to the order of sums. Any: pytrees."""
    ours, theirs = treadle.tree.leaves(found), treadle.tree.leaves(expected)
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-9, atol=1e-11)


def total(program: Callable[..., Any]) -> Callable[..., Any]:
    """The sum of all results, as a function to differentiate."""
    return lambda *args: sum(
        [tnp.sum(tnp.sin(leaf)) for leaf in treadle.tree.leaves(program(*args))]
    )


def law(pooled: Pooled, kind: str) -> None:
    """One law for one program."""
    with X64.override(True):
        whole = treadle.tree.map(tnp.asarray, pooled.arguments)
        over = spread(whole)
        if kind == "eager":
            same(pooled.program(*over), pooled.program(*whole))
        elif kind == "jit":
            same(treadle.jit(pooled.program)(*over), treadle.jit(pooled.program)(*whole))
        elif kind == "grad":
            gradient = treadle.grad(total(pooled.program), tuple(range(len(whole))))
            found = treadle.jit(gradient)(*over)
            same(found, treadle.jit(gradient)(*whole))
        else:
            stacked = treadle.tree.map(
                lambda x: tnp.stack([x * (1 + 0.01 * i) for i in range(6)]), whole
            )
            mapped = treadle.jit(treadle.vmap(pooled.program))
            same(mapped(*spread(stacked, "y", "x")), mapped(*stacked))


LAWS: Final = {
    f"{pooled.name}-{kind}": functools.partial(law, pooled, kind)
    for pooled in POOL.values()
    for kind in ("eager", "jit", "grad", "vmap")
    if kind != "grad" or pooled.reverse
}

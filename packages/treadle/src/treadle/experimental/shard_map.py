"""`shard_map` as older programs call it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import treadle_runtime
from treadle_ir import ArgumentError
from treadle_ir.core import MeshAxes
from treadle_ir.errors import boundaries, flags, sequence

__all__ = ["shard_map"]


def shard_map(
    f: Callable[..., Any],
    mesh: MeshAxes,
    in_specs: Any,  # Any: trees of specifications
    out_specs: Any,
    check_rep: bool = True,
    auto: Iterable[str] = frozenset(),
) -> Callable[..., Any]:
    """Apply `treadle.shard_map` with the mesh as an argument by position.

    Args:
        f: what each device runs on its parts.
        mesh: the mesh.
        in_specs: how arguments are split into shards.
        out_specs: how results are assembled from shards.
        check_rep: `check_vma` under its older name.
        auto: the axes that `f` does not see.

    Raises:
        ArgumentError: `auto` names no axes of the mesh; else as `treadle.shard_map`.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.experimental.shard_map import shard_map
        >>> from treadle.sharding import PartitionSpec as P
        >>> mesh = treadle.make_mesh((1,), ("x",))
        >>> shard_map(lambda part: 2 * part, mesh, P("x"), P("x"))(tnp.arange(3.0))
        Array([0., 2., 4.], dtype=float32)
    """
    flags("shard_map", check_rep=check_rep)
    left = auto if isinstance(auto, set | frozenset) else sequence("shard_map", "auto", auto)
    names = frozenset[str]()
    if left and isinstance(mesh, MeshAxes):
        for name in left:
            if name not in mesh.axis_names:
                raise ArgumentError(
                    f"shard_map: auto has {name!r}, but the mesh has the axes {mesh.axis_names}",
                    fix="name axes of the mesh",
                )
        names = frozenset(mesh.axis_names) - frozenset(left)
    return treadle_runtime.shard_map(
        f,
        mesh=mesh,
        in_specs=in_specs,
        out_specs=out_specs,
        axis_names=names,
        check_vma=check_rep,
    )


boundaries(__name__)

"""smap: `shard_map` over one axis of the mesh, with axes of arrays instead of specifications."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from treadle_ir import ArgumentError, PartitionSpec
from treadle_ir.errors import functions, shown
from treadle_ir.tree import tree_map
from treadle_runtime.parallel.shard_map import Infer, shard_map

Tree: TypeAlias = Any  # a pytree: any Python object

_MOST_AXES: Final = 64  # that an array has, as NumPy has it


def smap(
    f: Callable[..., Tree] | None = None,
    /,
    *,
    in_axes: Any = Infer,  # Any: trees of axes
    out_axes: Any,
    axis_name: str,
) -> Callable[..., Tree]:
    """Return a function that each device along one axis of the mesh in force runs on its own shards of the arguments.

    It is `shard_map` over that axis; the other axes are automatic, or manual in calls of `smap` inside.

    Args:
        f: takes and returns trees of arrays; without it, a decorator.
        in_axes: for each argument the axis along which it is sharded (an int), None for an argument that is the same
            for all devices, or a tree of these that is a prefix of the argument. One int stands for all. By default
            arguments keep their shardings.
        out_axes: the axis along which each result is assembled, in the same way; None for a result that is the same
            for all devices.
        axis_name: the axis of the mesh, which collectives in `f` may name.

    Raises:
        ArgumentError: `axis_name` is not a string, or an axis is not an integer from 0 on; when called, if no mesh is
            in force.
        ShardingError: when called, if the mesh has no such axis, an argument or a result cannot be sharded as
            specified, or a result with the axis None differs between devices.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> centred = treadle.smap(
        ...     lambda part: part - treadle.lax.pmean(part.mean(), "x"), in_axes=0, out_axes=0, axis_name="x"
        ... )
        >>> with treadle.set_mesh(treadle.make_mesh((1,), ("x",))):
        ...     print(centred(tnp.arange(3.0)))
        [-1.  0.  1.]
    """
    if f is None:
        return functools.partial(smap, in_axes=in_axes, out_axes=out_axes, axis_name=axis_name)
    functions("smap", f=f)
    if not isinstance(axis_name, str):
        raise ArgumentError(
            f"smap axis_name should be a `str`, but got {shown(axis_name)}",
            fix="name one axis of the mesh; for several, call smap within smap, or shard_map",
        )
    return shard_map(
        f,
        in_specs=in_axes if in_axes is Infer else _specs("in_axes", in_axes, axis_name),
        out_specs=_specs("out_axes", out_axes, axis_name),
        axis_names={axis_name},
    )


def _specs(argument: str, axes: Tree, name: str) -> Tree:
    """Return a tree of axes as a tree of specifications."""

    def spec(axis: object) -> PartitionSpec:
        if axis is None:
            return PartitionSpec()
        if not isinstance(axis, int) or isinstance(axis, bool) or not 0 <= axis < _MOST_AXES:
            raise ArgumentError(
                f"smap {argument} must be an int from 0 on, which arrays have, None, or a tree of these, "
                f"but got {shown(axis)}",
                fix="write the number of the axis that is cut, or None where there is none",
            )
        return PartitionSpec(*[None] * axis, name)

    return tree_map(spec, axes, is_leaf=lambda each: each is None)

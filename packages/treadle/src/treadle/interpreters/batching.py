"""Batching of operations of a library's own: `primitive_batchers`, `defvectorized`, `defbroadcasting`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, final

import treadle.numpy as tnp
from treadle.extension import Application, Primitive
from treadle.interpreters.jaxprs import batch_jaxpr_axes, zero_if_mapped
from treadle_batching import (
    Axis,
    Dim,
    batch_rule,
    register_vmappable,
    unregister_vmappable,
)
from treadle_ir import Array, MissingRuleError, Operands
from treadle_ir.calling import as_array
from treadle_ir.errors import boundaries
from treadle_ir.process import frozen

__all__ = [
    "AxisData",
    "axis_primitive_batchers",
    "batch_jaxpr_axes",
    "bdim_at_front",
    "broadcast",
    "defbroadcasting",
    "defreducer",
    "defvectorized",
    "fancy_primitive_batchers",
    "moveaxis",
    "not_mapped",
    "primitive_batchers",
    "register_vmappable",
    "unregister_vmappable",
    "zero_if_mapped",
]

Rule: TypeAlias = Callable[..., Any]  # Any: as libraries write them
Tree: TypeAlias = Any  # Any: what libraries' rules take and return

not_mapped: Final = None
"""The dimension of an operand that has no batch."""
primitive_batchers: Final[dict[Any, Rule]] = {}
"""Rules: `rule(operands, dims, **params)` gives results and where the batch sits in each. Libraries write to it."""
axis_primitive_batchers: Final[dict[Any, Rule]] = {}
"""Rules that need the axis: `rule(size, name, None, operands, dims, **params)`."""
fancy_primitive_batchers: Final[dict[Any, Rule]] = {}
"""Rules that need the axis: `rule(axis_data, operands, dims, **params)`."""


@final
@frozen
class AxisData:
    """The axis being mapped: its name, its size."""

    name: Any  # Any: what can be hashed
    size: int
    spmd_name: Any = None
    explicit_mesh_axis: Any = None


@batch_rule(Application)
def application_batch(
    primitive: Application, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """Apply the library's rule."""
    of, params = primitive.of, primitive.parameters
    given = tuple(map(as_array, operands)), tuple(dims)
    if of in fancy_primitive_batchers:
        data = AxisData(axis.name, axis.size)
        results, placed = fancy_primitive_batchers[of](data, *given, **params)
    elif of in axis_primitive_batchers:
        results, placed = axis_primitive_batchers[of](axis.size, axis.name, None, *given, **params)
    elif of in primitive_batchers:
        results, placed = primitive_batchers[of](*given, **params)
    else:
        raise MissingRuleError(
            f"Batching rule for '{of}' not implemented",
            fix=f"`batching.primitive_batchers[{of}_p] = rule`",
        )
    listed = [as_array(each) for each in of.listed(results)]
    if not of.multiple_results or not isinstance(placed, (tuple, list)):
        placed = [placed] * len(listed)
    return listed, [
        None if dim is None else int(dim) % x.ndim for x, dim in zip(listed, placed, strict=True)
    ]


def moveaxis(x: Array, src: int | None, dst: int) -> Array:
    """Return the array with an axis at another place; one without a batch as it is."""
    return x if src is None else tnp.moveaxis(x, src, dst)


def broadcast(x: Array, sz: int, axis: int, mesh_axis: None = None) -> Array:
    """Return the array repeated along a new axis."""
    shape = (*x.shape[:axis], sz, *x.shape[axis:])
    return tnp.broadcast_to(tnp.expand_dims(x, axis), shape)


def bdim_at_front(x: Array, bdim: int | None, size: int, mesh_axis: None = None) -> Array:
    """Return the array with its batch in front, which is added where there is none."""
    return broadcast(x, size, 0) if bdim is None else moveaxis(x, bdim, 0)


def defvectorized(prim: Primitive) -> None:
    """Say that an operation of one operand does the same to each element."""

    def rule(operands: Sequence[Tree], dims: Sequence[Tree], **params: Tree) -> tuple[Tree, Tree]:
        (x,), (dim,) = operands, dims
        return prim.bind(x, **params), dim

    primitive_batchers[prim] = rule


def defbroadcasting(prim: Primitive) -> None:
    """Say that an operation does the same to each element of operands that have the same rank, or none."""

    def rule(operands: Sequence[Tree], dims: Sequence[Tree], **params: Tree) -> tuple[Tree, Tree]:
        size = next(x.shape[d] for x, d in zip(operands, dims, strict=True) if d is not None)
        if len({(x.shape, d) for x, d in zip(operands, dims, strict=True)}) == 1:
            return prim.bind(*operands, **params), dims[0]
        moved = [bdim_at_front(x, d, size) for x, d in zip(operands, dims, strict=True)]
        rank = max(x.ndim for x in moved)
        aligned = [x.reshape((size,) + (1,) * (rank - x.ndim) + x.shape[1:]) for x in moved]
        return prim.bind(*aligned, **params), 0

    primitive_batchers[prim] = rule


def defreducer(prim: Primitive, ident: object = None) -> None:
    """Say that an operation of one operand removes the axes that its parameter `axes` names."""

    def rule(
        operands: Sequence[Tree], dims: Sequence[Tree], *, axes: Sequence[int], **params: Tree
    ) -> tuple[Tree, Tree]:
        (x,), (dim,) = operands, dims
        moved = tuple(axis + (axis >= dim) for axis in axes)
        return prim.bind(x, axes=moved, **params), dim - sum(axis < dim for axis in moved)

    primitive_batchers[prim] = rule


boundaries(__name__)

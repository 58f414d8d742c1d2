"""How reductions are made: operands, `where`, kept axes, plans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from treadle_ir import Array, ArrayType, DType, Operand, Primitive, ShapeError, ops
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.errors import flags
from treadle_ir.primitives.shape import Reshape
from treadle_ir.tracing import current_trace
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import Axis, sorted_axes
from treadle_numpy.operands.broadcast import broadcast_to_shape, common_shape
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.plans import remember
from treadle_numpy.operands.scalars import truth
from treadle_numpy.operands.shapes import kept_shape


def kept(x: Array, type: ArrayType, axes: tuple[int, ...], keepdims: bool) -> Array:
    """A result of a reduction of an array of some type; if asked for, with size 1 for the axes that were reduced."""
    flags("a reduction", keepdims=keepdims)
    return ops.reshape(x, shape=kept_shape(type.shape, axes)) if keepdims else x


def selected(name: str, operand: Operand, where: ArrayLike, identity: Operand) -> Array:
    """Return the operand with the identity of the reduction where `where` is false.

    Raises:
        ShapeError: `where` has more axes than the operand, whose own would no longer be those that `axis` counts.
    """
    condition = truth(name, 1, where)
    if len(condition.shape) > len(operand.shape):
        raise ShapeError(
            f"{name}: `where` has shape {condition.shape}, more axes than the array, of shape {operand.shape}",
            fix="broadcast the array to that shape first, or select with `where(condition, x, 0)`",
        )
    shape = common_shape(name, [operand.shape, condition.shape])
    operand = broadcast_to_shape(operand, shape)
    if condition.shape:
        condition = broadcast_to_shape(condition, shape)
    return ops.select(condition, operand, identity)


def with_axes_of(name: str, x: Array, where: ArrayLike) -> Array:
    """Return the array over and over along the axes that `where` has before its own."""
    shape = truth(name, 1, where).shape
    if len(shape) <= x.ndim:
        return x
    return array_of(broadcast_to_shape(x, common_shape(name, [x.shape, shape])))


PLAIN: Final = frozenset([BY_NAME[n] for n in ("f32", "f64", "c64")])  # others take more primitives
ORDERED: Final = frozenset([BY_NAME[name] for name in ("f32", "f64", "i32", "u32")])


def planned(
    name: str, reduction: Callable[[tuple[int, ...]], Primitive], dtypes: frozenset[DType]
) -> Callable[[ArrayLike, Axis, bool], Array | None]:
    """Return a reduction of an array along one axis or all, if it is one primitive and at most a reshape; else None.

    They are cached by the type of the array, the axis and whether it is kept.
    """
    plans: dict[tuple[ArrayType, Axis, bool], tuple[Primitive, Reshape | None]] = {}

    def plan_for(
        x: ArrayLike, axis: Axis, keepdims: bool
    ) -> tuple[Primitive, Reshape | None] | None:
        flags(name, keepdims=keepdims)
        type = getattr(x, "type", None)
        if not isinstance(type, ArrayType) or type.dtype not in dtypes:
            return None
        if type.weak or not type.size:
            return None
        axes = sorted_axes(name, axis, type.ndim)
        plan = reduction(axes), Reshape(kept_shape(type.shape, axes)) if keepdims else None
        remember(plans, (type, axis, keepdims), plan)
        return plan

    def reduce(x: ArrayLike, axis: Axis, keepdims: bool) -> Array | None:
        if axis is not None and axis.__class__ is not int:
            return None
        plan: tuple[Primitive, Reshape | None] | None
        try:
            plan = plans[x.type, axis, keepdims]  # type: ignore[union-attr]  # NumPy's arrays have none
        except (AttributeError, KeyError, TypeError):
            plan = None
        if plan is None:  # not within the `except`: errors would come with a KeyError of ours
            plan = plan_for(x, axis, keepdims)
            if plan is None:
                return None
        first, reshape = plan
        process = current_trace().process
        result = process(first, (x,))  # type: ignore[arg-type]  # it is an array
        if reshape is not None:
            result = process(reshape, result)
        return result[0]  # type: ignore[return-value]  # see `treadle_ir.bind`

    return reduce

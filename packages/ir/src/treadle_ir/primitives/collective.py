"""Collectives over named axes: all_reduce, all_gather, axis_index.

A name is bound by whatever maps an axis (vmap with `axis_name`): it is part of the context. A collective has no
meaning outside of it, and the types of its results are those of one batch element.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar, Literal, TypeAlias, final

import numpy as np

from treadle_ir.array import Array, Operand
from treadle_ir.context import current_context
from treadle_ir.effects import Effects, NamedAxis
from treadle_ir.errors import AxisNameError, ShapeError
from treadle_ir.frozen import frozen
from treadle_ir.primitive import Primitive
from treadle_ir.primitives.elementwise import check_kind
from treadle_ir.registry import register
from treadle_ir.trace import bind
from treadle_ir.types import ArrayType, Type

Reduction: TypeAlias = Literal["add", "maximum", "minimum"]


class Collective(Primitive):
    """Family: what one batch element gets depends on the batch elements of named axes."""

    __slots__ = ()
    axis_names: tuple[Hashable, ...]

    def effects(self, *operands: Type) -> Effects:
        """It belongs inside of whatever maps these axes."""
        return frozenset(NamedAxis(name) for name in self.axis_names)


@register
@final
@frozen
class AllReduce(Collective):
    """Each batch element's array replaced by the sum, maximum or minimum over all batch elements of the named axes."""

    name: ClassVar[str] = "all_reduce"
    reduction: Reduction
    axis_names: tuple[Hashable, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The operand's type."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        check_kind(self.name, "iufc" if self.reduction == "add" else "biuf", x.dtype)
        return (x,)


@register
@final
@frozen
class AllGather(Collective):
    """All batch elements' arrays, stacked along a new axis (or, `tiled`, joined along an existing one).

    Constraints:
        (C1) the axis is in range of the result
    """

    takes_keys: ClassVar[bool] = True
    name: ClassVar[str] = "all_gather"
    axis_names: tuple[Hashable, ...]
    size: int
    axis: int
    tiled: bool

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The operand's shape with the batch elements."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        shape = list(x.shape)
        if not 0 <= self.axis < x.ndim + (0 if self.tiled else 1):  # C1
            raise ShapeError(f"all_gather: axis {self.axis} is out of range for {x}")
        if self.tiled:
            shape[self.axis] *= self.size
        else:
            shape.insert(self.axis, self.size)
        return (x.with_shape(tuple(shape)),)


@register
@final
@frozen
class AxisIndex(Collective):
    """The number of the batch element along the named axis."""

    name: ClassVar[str] = "axis_index"
    axis_names: tuple[Hashable, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """A scalar i32."""
        return (ArrayType((), np.dtype(np.int32)),)


def axis_size(name: Hashable) -> int:
    """The number of batch elements along a named axis that is being mapped.

    Raises:
        ArgumentError: no such axis is being mapped here.
    """
    axes = current_context().axes
    for known, size in reversed(axes):
        if known == name:
            return size
    names = ", ".join([repr(known) for known, _ in reversed(axes)])
    raise AxisNameError(
        f"unbound axis name: {name!r} "
        f"({f'the names in scope are {names}' if names else 'no named axis is in scope'})",
        fix=f"map the function with vmap(..., axis_name={name!r})",
    )


def _names(axis_name: Hashable) -> tuple[Hashable, ...]:
    names = axis_name if isinstance(axis_name, tuple) else (axis_name,)
    for name in names:
        axis_size(name)
    return names


def all_reduce(x: Operand, *, reduction: Reduction, axis_name: Hashable) -> Array:
    """The sum, maximum or minimum over all batch elements of one named axis, or of a tuple of them."""
    return bind(AllReduce(reduction, _names(axis_name)), x)[0]


def all_gather(x: Operand, *, axis_name: Hashable, axis: int = 0, tiled: bool = False) -> Array:
    """All batch elements' arrays, stacked along a new axis (or, `tiled`, joined along an existing one)."""
    return bind(AllGather((axis_name,), axis_size(axis_name), axis, tiled), x)[0]


def axis_index(axis_name: Hashable) -> Array:
    """The number of the batch element along the named axis."""
    axis_size(axis_name)
    return bind(AxisIndex((axis_name,)))[0]

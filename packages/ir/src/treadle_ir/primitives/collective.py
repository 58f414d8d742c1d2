"""Collectives over named axes: sums over them, exchanges along them, the place on them.

A name is bound by whatever maps an axis (vmap with `axis_name`, shard_map): it is part of the context. A collective
has no meaning outside of it, and the types of its results are those of one batch element.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar, Literal, TypeAlias, final

import numpy as np

from treadle_ir.array import Array, Operand
from treadle_ir.context import AxisKind, current_context
from treadle_ir.effects import Effects, NamedAxis
from treadle_ir.errors import AxisNameError, ShapeError
from treadle_ir.frozen import frozen
from treadle_ir.operands import as_array
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
    """Each batch element's array replaced by the sum, maximum or minimum over all batch elements of the named axes.

    `invariant` says that the result counts as one value that all of them share, and not as one for each: so does its
    cotangent then. It is so over the axes of a shard_map that checks what varies.
    """

    name: ClassVar[str] = "all_reduce"
    reduction: Reduction
    axis_names: tuple[Hashable, ...]
    invariant: bool = False

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


@register
@final
@frozen
class ReduceScatter(Collective):
    """The sum over all batch elements of a named axis, of which each gets its own part along `axis`.

    Constraints:
        (C1) the axis is in range, and its size a multiple of `size`, the number of batch elements
    """

    name: ClassVar[str] = "reduce_scatter"
    axis_names: tuple[Hashable, ...]
    size: int
    axis: int

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The operand's type, shorter along the axis."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        check_kind(self.name, "iufc", x.dtype)
        return (x.with_shape(_divided(self.name, x, self.axis, self.size)),)


@register
@final
@frozen
class AllToAll(Collective):
    """Each batch element of a named axis cuts its array along `split`, and joins what it gets of all along `concat`.

    Constraints:
        (C1) the axes are in range, and the size of `split` is a multiple of `size`, the number of batch elements
    """

    takes_keys: ClassVar[bool] = True
    name: ClassVar[str] = "all_to_all"
    axis_names: tuple[Hashable, ...]
    size: int
    split: int
    concat: int

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The operand's type, shorter along one axis and longer along the other."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        shape = list(_divided(self.name, x, self.split, self.size))
        if not 0 <= self.concat < x.ndim:  # C1
            raise ShapeError(f"all_to_all: axis {self.concat} is out of range for {x}")
        shape[self.concat] *= self.size
        return (x.with_shape(tuple(shape)),)


@register
@final
@frozen
class Permute(Collective):
    """What another batch element of a named axis has; zeros where nobody sends.

    `pairs` are numbers of batch elements below `size`, (source, destination), no source and no destination twice.
    """

    name: ClassVar[str] = "permute"
    axis_names: tuple[Hashable, ...]
    size: int
    pairs: tuple[tuple[int, int], ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The operand's type."""
        (x,) = operands
        return (x,)


@register
@final
@frozen
class Vary(Collective):
    """The operand, from here on taken for one value on each device along the named axes of a shard_map.

    Nothing is computed; but the cotangent is the sum of the devices' cotangents.
    """

    takes_keys: ClassVar[bool] = True
    name: ClassVar[str] = "vary"
    axis_names: tuple[Hashable, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The operand's type."""
        (x,) = operands
        return (x,)


def _divided(name: str, x: ArrayType, axis: int, count: int) -> tuple[int, ...]:
    """The shape with one axis cut into equal parts (C1)."""
    if not 0 <= axis < x.ndim or x.shape[axis] % count:
        raise ShapeError(
            f"{name}: axis {axis} of {x} does not divide into {count} equal parts, one for each batch element"
        )
    return (*x.shape[:axis], x.shape[axis] // count, *x.shape[axis + 1 :])


def axis_size(name: Hashable) -> int:
    """The number of batch elements along a named axis that is being mapped.

    Raises:
        ArgumentError: no such axis is being mapped here.
    """
    axes = current_context().axes
    for known, size, _ in reversed(axes):
        if known == name:
            return size
    names = ", ".join([repr(known) for known, _, _ in reversed(axes)])
    raise AxisNameError(
        f"unbound axis name: {name!r} "
        f"({f'the names in scope are {names}' if names else 'no named axis is in scope'})",
        fix=f"{'name one of these, or ' if names else ''}map the function with vmap(..., axis_name={name!r}), "
        "or with shard_map over a mesh that has the axis",
    )


def axis_kind(name: Hashable) -> AxisKind:
    """Who binds a named axis here, which is in scope."""
    return next(kind for known, _, kind in reversed(current_context().axes) if known == name)


def _names(axis_name: Hashable) -> tuple[Hashable, ...]:
    names = axis_name if isinstance(axis_name, tuple) else (axis_name,)
    for name in names:
        axis_size(name)
    return names


def all_reduce(x: Operand, *, reduction: Reduction, axis_name: Hashable) -> Array:
    """The sum, maximum or minimum over all batch elements of one named axis, or of a tuple of them."""
    names = _names(axis_name)
    checked = tuple([name for name in names if axis_kind(name) == "manual"])
    others = tuple([name for name in names if name not in checked])
    if others or not checked:
        (x,) = bind(AllReduce(reduction, others), x)
    if checked:
        (x,) = bind(AllReduce(reduction, checked, invariant=True), x)
    return x  # type: ignore[return-value]  # a result of `bind`


def all_gather(x: Operand, *, axis_name: Hashable, axis: int = 0, tiled: bool = False) -> Array:
    """All batch elements' arrays, stacked along a new axis (or, `tiled`, joined along an existing one)."""
    return bind(AllGather((axis_name,), axis_size(axis_name), axis, tiled), x)[0]


def reduce_scatter(x: Operand, *, axis_name: Hashable, axis: int = 0) -> Array:
    """The sum over a named axis, of which each batch element gets its own part along an axis."""
    return bind(ReduceScatter((axis_name,), axis_size(axis_name), axis), x)[0]


def all_to_all(x: Operand, *, axis_name: Hashable, split: int, concat: int) -> Array:
    """The parts of the array along `split` exchanged with all batch elements, joined along `concat`."""
    return bind(AllToAll((axis_name,), axis_size(axis_name), split, concat), x)[0]


def permute(x: Operand, *, axis_name: Hashable, pairs: tuple[tuple[int, int], ...]) -> Array:
    """What another batch element has, by pairs of source and destination; zeros where nobody sends."""
    return bind(Permute((axis_name,), axis_size(axis_name), pairs), x)[0]


def vary(x: Operand, *, axis_name: Hashable) -> Array:
    """The operand, taken for one value on each device along axes of a shard_map; other axes are left out."""
    names = tuple([name for name in _names(axis_name) if axis_kind(name) == "manual"])
    return bind(Vary(names), x)[0] if names else as_array(x)


def axis_index(axis_name: Hashable) -> Array:
    """The number of the batch element along the named axis."""
    axis_size(axis_name)
    return bind(AxisIndex((axis_name,)))[0]

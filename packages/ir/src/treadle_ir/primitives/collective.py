"""Collectives over named axes: sums over them, exchanges along them, and the index along them.

A name is bound by the transformation that maps an axis (vmap with `axis_name`, shard_map): it is part of the context.
A collective has no meaning outside of it, and its results have the types of the results for one batch element. Over
several names it is among all their batch elements, numbered with the last name fastest.
"""

from __future__ import annotations

from collections.abc import Hashable
from math import prod
from typing import ClassVar, Literal, TypeAlias, final

import numpy as np

from treadle_ir.calling.operands import as_array
from treadle_ir.core.effects import PURE, Effects, NamedAxis
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import ArgumentError, AxisNameError, ShapeError
from treadle_ir.primitives.elementwise import add, check_kind, multiply
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.settings.context import AxisKind, current_context
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind

Reduction: TypeAlias = Literal["add", "maximum", "minimum"]
Groups: TypeAlias = tuple[tuple[int, ...], ...]
"""Groups of indices along the named axes: a collective is among the batch elements of each. Each index is in one."""


class Collective(Primitive):
    """Family: the result for one batch element depends on the other batch elements along named axes."""

    __slots__ = ()
    axis_names: tuple[Hashable, ...]

    def effects(self, *operands: Type) -> Effects:
        """Return the named axes: the operation depends on the transformations that map them."""
        return frozenset(NamedAxis(name) for name in self.axis_names)


@register
@final
@frozen
class AllReduce(Collective):
    """The sum, maximum or minimum of all batch elements' arrays over the named axes.

    `invariant` means that the result, and so its cotangent, is one value that all batch elements share, not one value
    for each: that is so over the axes of a shard_map that checks varying axes.

    Constraints:
        (C1) groups have each batch element once
    """

    name: ClassVar[str] = "all_reduce"
    reduction: Reduction
    axis_names: tuple[Hashable, ...]
    invariant: bool = False
    groups: Groups | None = None

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        check_kind(self.name, "iufc" if self.reduction == "add" else "biuf", x.dtype)
        _check_groups(self.name, self.groups)  # C1
        return (x,)


@register
@final
@frozen
class AllGather(Collective):
    """All batch elements' arrays, stacked along a new axis (or, `tiled`, joined along an existing one).

    `invariant` is as for `AllReduce`: the result is one value that all batch elements share.

    Constraints:
        (C1) the axis is in range of the result
        (C2) groups have each batch element once, and `size` each
    """

    takes_keys: ClassVar[bool] = True
    name: ClassVar[str] = "all_gather"
    axis_names: tuple[Hashable, ...]
    size: int
    axis: int
    tiled: bool
    groups: Groups | None = None
    invariant: bool = False

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's shape with the batch elements."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        _check_groups(self.name, self.groups, self.size)  # C2
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
    """The index of the batch element along the named axis; there is exactly one name."""

    name: ClassVar[str] = "axis_index"
    axis_names: tuple[Hashable, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return a scalar i32."""
        return (ArrayType((), np.dtype(np.int32)),)


@register
@final
@frozen
class ReduceScatter(Collective):
    """The sum over all batch elements of a named axis, of which each one gets its own slice along `axis`.

    Constraints:
        (C1) the axis is in range, and its size a multiple of `size`, the number of batch elements of a group
        (C2) groups have each batch element once, and `size` each
    """

    name: ClassVar[str] = "reduce_scatter"
    axis_names: tuple[Hashable, ...]
    size: int
    axis: int
    groups: Groups | None = None

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type, shorter along the axis."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        _check_groups(self.name, self.groups, self.size)  # C2
        check_kind(self.name, "iufc", x.dtype)
        return (x.with_shape(_divided(self.name, x, self.axis, self.size)),)


@register
@final
@frozen
class AllToAll(Collective):
    """Each batch element splits its array along `split`, and concatenates its slices of all arrays along `concat`.

    Constraints:
        (C1) the axes are in range, and the size of `split` is a multiple of `size`, the number of batch elements of a
             group
        (C2) groups have each batch element once, and `size` each
    """

    takes_keys: ClassVar[bool] = True
    name: ClassVar[str] = "all_to_all"
    axis_names: tuple[Hashable, ...]
    size: int
    split: int
    concat: int
    groups: Groups | None = None

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type, shorter along one axis and longer along the other."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        _check_groups(self.name, self.groups, self.size)  # C2
        shape = list(_divided(self.name, x, self.split, self.size))
        if not 0 <= self.concat < x.ndim:  # C1
            raise ShapeError(f"all_to_all: axis {self.concat} is out of range for {x}")
        shape[self.concat] *= self.size
        return (x.with_shape(tuple(shape)),)


@register
@final
@frozen
class Permute(Collective):
    """The array of another batch element along a named axis; zeros for a batch element that is not a destination.

    `pairs` are indices of batch elements, (source, destination), below `size`; no source or destination occurs twice.
    """

    name: ClassVar[str] = "permute"
    axis_names: tuple[Hashable, ...]
    size: int
    pairs: tuple[tuple[int, int], ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type."""
        (x,) = operands
        return (x,)


@register
@final
@frozen
class PVary(Collective):
    """The operand, cast from replicated to varying over named axes of a `shard_map`.

    Nothing is computed; but the cotangent is the sum of the devices' cotangents.
    """

    takes_keys: ClassVar[bool] = True
    name: ClassVar[str] = "vary"
    axis_names: tuple[Hashable, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type."""
        (x,) = operands
        return (x,)

    def effects(self, *operands: Type) -> Effects:
        """Return no effects: the result does not depend on the axes."""
        return PURE


def _divided(name: str, x: ArrayType, axis: int, count: int) -> tuple[int, ...]:
    """Return the shape with one axis divided by `count` (C1)."""
    if not 0 <= axis < x.ndim or x.shape[axis] % count:
        raise ShapeError(
            f"{name}: axis {axis} of {x} does not divide into {count} equal parts, one for each batch element"
        )
    return (*x.shape[:axis], x.shape[axis] // count, *x.shape[axis + 1 :])


def _check_groups(name: str, groups: Groups | None, size: int | None = None) -> None:
    """Check that groups have each batch element once, and `size` of them each."""
    if groups is None:
        return
    numbers = [number for group in groups for number in group]
    if not numbers or sorted(numbers) != [*range(len(numbers))] or not all(groups):
        raise ShapeError(f"{name}: the groups {groups} do not have each number once")
    if size is not None and {*map(len, groups)} != {size}:
        raise ShapeError(f"{name}: the groups {groups} do not have {size} numbers each")


def axis_size(name: Hashable) -> int:
    """Return the number of batch elements along a mapped named axis, or along all axes of a tuple.

    Raises:
        ArgumentError: no such axis is being mapped here.
    """
    if isinstance(name, tuple):
        return prod([axis_size(each) for each in name])
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
    """Return which kind of transformation maps a named axis, which is in scope."""
    return next(kind for known, _, kind in reversed(current_context().axes) if known == name)


def _names(axis_name: Hashable) -> tuple[Hashable, ...]:
    """Return the names as a tuple, after checking that they are in scope and all different."""
    names = axis_name if isinstance(axis_name, tuple) else (axis_name,)
    for name in names:
        axis_size(name)
    if len({*names}) < len(names):
        raise ArgumentError(
            f"a collective over the axes {names} names one of them twice",
            fix="name each axis once",
        )
    return names


def all_reduce(
    x: Operand, *, reduction: Reduction, axis_name: Hashable, groups: Groups | None = None
) -> Array:
    """Return the sum, maximum or minimum over one or several named axes, within each group if `groups` are given."""
    names = _names(axis_name)
    if not names:
        return as_array(x)
    if groups is not None:
        return bind(AllReduce(reduction, names, groups=groups), x)[0]
    checked = tuple([name for name in names if axis_kind(name) == "manual"])
    others = tuple([name for name in names if name not in checked])
    if others:
        (x,) = bind(AllReduce(reduction, others), x)
    if checked:
        (x,) = bind(AllReduce(reduction, checked, invariant=True), x)
    return x  # type: ignore[return-value]  # a result of `bind`


def _count(axis_name: Hashable, groups: Groups | None) -> int:
    """Return the number of batch elements that take part in a collective."""
    size = axis_size(axis_name)
    return len(groups[0]) if groups else size


def all_gather(
    x: Operand,
    *,
    axis_name: Hashable,
    axis: int = 0,
    tiled: bool = False,
    groups: Groups | None = None,
    invariant: bool = False,
) -> Array:
    """Return all batch elements' arrays, stacked along a new axis (or, `tiled`, joined along an existing one).

    With `invariant` the result is one value for all, if all the axes belong to a shard_map that checks varying axes.
    """
    names = _names(axis_name)
    shared = invariant and all([axis_kind(name) == "manual" for name in names])
    return bind(AllGather(names, _count(names, groups), axis, tiled, groups, shared), x)[0]


def reduce_scatter(
    x: Operand, *, axis_name: Hashable, axis: int = 0, groups: Groups | None = None
) -> Array:
    """Return the sum over a named axis, of which each batch element gets its own slice along `axis`."""
    names = _names(axis_name)
    return bind(ReduceScatter(names, _count(names, groups), axis, groups), x)[0]


def all_to_all(
    x: Operand, *, axis_name: Hashable, split: int, concat: int, groups: Groups | None = None
) -> Array:
    """Return the slices along `split` of all batch elements' arrays for this one, concatenated along `concat`."""
    names = _names(axis_name)
    return bind(AllToAll(names, _count(names, groups), split, concat, groups), x)[0]


def permute(x: Operand, *, axis_name: Hashable, pairs: tuple[tuple[int, int], ...]) -> Array:
    """Return the array of another batch element, by pairs of source and destination; zeros without a source."""
    names = _names(axis_name)
    return bind(Permute(names, axis_size(names), pairs), x)[0]


def pvary(x: Operand, *, axis_name: Hashable) -> Array:
    """Return the operand, cast to vary over axes of a `shard_map` that checks varying axes; other axes are ignored."""
    names = tuple([name for name in _names(axis_name) if axis_kind(name) == "manual"])
    return bind(PVary(names), x)[0] if names else as_array(x)


def axis_index(axis_name: Hashable) -> Array:
    """Return the index of the batch element along a named axis, or along a tuple of axes, the last one fastest."""
    if not isinstance(axis_name, tuple):
        axis_size(axis_name)
        return bind(AxisIndex((axis_name,)))[0]
    number: Operand = np.int32(0)
    for place, name in enumerate(axis_name):
        index = axis_index(name)
        number = add(multiply(number, np.int32(axis_size(name))), index) if place else index
    return as_array(number)

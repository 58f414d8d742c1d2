"""Collectives over named axes: sums over them, exchanges along them, the place on them.

A name is bound by whatever maps an axis (vmap with `axis_name`, shard_map): it is part of the context. A collective
has no meaning outside of it, and the types of its results are those of one batch element. Over several names it is
among all their batch elements, numbered with the last name fastest.
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
"""Numbers of batch elements along the named axes: a collective is among those of each group. Each number is in one."""


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

    Constraints:
        (C1) groups have each batch element once
    """

    name: ClassVar[str] = "all_reduce"
    reduction: Reduction
    axis_names: tuple[Hashable, ...]
    invariant: bool = False
    groups: Groups | None = None

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The operand's type."""
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

    `invariant` is as for `AllReduce`: the result is one value that all of them share.

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
        """The operand's shape with the batch elements."""
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
    """The number of the batch element along the named axis, which is one."""

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
        (C1) the axis is in range, and its size a multiple of `size`, the number of batch elements of a group
        (C2) groups have each batch element once, and `size` each
    """

    name: ClassVar[str] = "reduce_scatter"
    axis_names: tuple[Hashable, ...]
    size: int
    axis: int
    groups: Groups | None = None

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The operand's type, shorter along the axis."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        _check_groups(self.name, self.groups, self.size)  # C2
        check_kind(self.name, "iufc", x.dtype)
        return (x.with_shape(_divided(self.name, x, self.axis, self.size)),)


@register
@final
@frozen
class AllToAll(Collective):
    """Each batch element of a named axis cuts its array along `split`, and joins what it gets of all along `concat`.

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
        """The operand's type, shorter along one axis and longer along the other."""
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
class PVary(Collective):
    """The operand, cast to vary over the named axes of a `shard_map`, where it is the same on all devices.

    Nothing is computed; but the cotangent is the sum of the devices' cotangents.
    """

    takes_keys: ClassVar[bool] = True
    name: ClassVar[str] = "vary"
    axis_names: tuple[Hashable, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The operand's type."""
        (x,) = operands
        return (x,)

    def effects(self, *operands: Type) -> Effects:
        """None: what it returns does not depend on the axes."""
        return PURE


def _divided(name: str, x: ArrayType, axis: int, count: int) -> tuple[int, ...]:
    """The shape with one axis cut into equal parts (C1)."""
    if not 0 <= axis < x.ndim or x.shape[axis] % count:
        raise ShapeError(
            f"{name}: axis {axis} of {x} does not divide into {count} equal parts, one for each batch element"
        )
    return (*x.shape[:axis], x.shape[axis] // count, *x.shape[axis + 1 :])


def _check_groups(name: str, groups: Groups | None, size: int | None = None) -> None:
    """That groups have each batch element once, and `size` each."""
    if groups is None:
        return
    numbers = [number for group in groups for number in group]
    if not numbers or sorted(numbers) != [*range(len(numbers))] or not all(groups):
        raise ShapeError(f"{name}: the groups {groups} do not have each number once")
    if size is not None and {*map(len, groups)} != {size}:
        raise ShapeError(f"{name}: the groups {groups} do not have {size} numbers each")


def axis_size(name: Hashable) -> int:
    """The number of batch elements along a named axis that is being mapped, or along all of a tuple of them.

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
    """Who binds a named axis here, which is in scope."""
    return next(kind for known, _, kind in reversed(current_context().axes) if known == name)


def _names(axis_name: Hashable) -> tuple[Hashable, ...]:
    """The names, each of which is being mapped, and different ones."""
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
    """The sum, maximum or minimum over all batch elements, or those of a group, of a named axis or a tuple of them."""
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
    """How many batch elements a collective is among."""
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
    """All batch elements' arrays, stacked along a new axis (or, `tiled`, joined along an existing one).

    With `invariant` the result counts as one value, where all the axes are of a shard_map that checks what varies.
    """
    names = _names(axis_name)
    shared = invariant and all([axis_kind(name) == "manual" for name in names])
    return bind(AllGather(names, _count(names, groups), axis, tiled, groups, shared), x)[0]


def reduce_scatter(
    x: Operand, *, axis_name: Hashable, axis: int = 0, groups: Groups | None = None
) -> Array:
    """The sum over a named axis, of which each batch element gets its own part along an axis."""
    names = _names(axis_name)
    return bind(ReduceScatter(names, _count(names, groups), axis, groups), x)[0]


def all_to_all(
    x: Operand, *, axis_name: Hashable, split: int, concat: int, groups: Groups | None = None
) -> Array:
    """The parts of the array along `split` exchanged with all batch elements, joined along `concat`."""
    names = _names(axis_name)
    return bind(AllToAll(names, _count(names, groups), split, concat, groups), x)[0]


def permute(x: Operand, *, axis_name: Hashable, pairs: tuple[tuple[int, int], ...]) -> Array:
    """What another batch element has, by pairs of source and destination; zeros where nobody sends."""
    names = _names(axis_name)
    return bind(Permute(names, axis_size(names), pairs), x)[0]


def pvary(x: Operand, *, axis_name: Hashable) -> Array:
    """Return the operand, cast to vary over axes of a `shard_map` that checks what varies; others are left out."""
    names = tuple([name for name in _names(axis_name) if axis_kind(name) == "manual"])
    return bind(PVary(names), x)[0] if names else as_array(x)


def axis_index(axis_name: Hashable) -> Array:
    """The number of the batch element along the named axis, or among those of a tuple of them, the last one fastest."""
    if not isinstance(axis_name, tuple):
        axis_size(axis_name)
        return bind(AxisIndex((axis_name,)))[0]
    number: Operand = np.int32(0)
    for place, name in enumerate(axis_name):
        index = axis_index(name)
        number = add(multiply(number, np.int32(axis_size(name))), index) if place else index
    return as_array(number)

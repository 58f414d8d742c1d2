"""Axis arguments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from treadle_ir import ArgumentError
from treadle_ir.errors import AxisError, sequence
from treadle_numpy.operands.shapes import as_index

Axis: TypeAlias = int | Sequence[int] | None


def as_axis(function: str, axis: object, ndim: int) -> int:
    """Return a non-negative axis.

    Raises:
        AxisError: the array has no such axis.
    """
    index = as_index(function, "an axis", axis)
    if not -ndim <= index < ndim:
        raise AxisError(
            f"{function}: axis {index} is out of bounds for array of dimension {ndim}",
            fix=f"axes are {-ndim} to {ndim - 1}" if ndim else "a scalar has no axes",
        )
    return index + ndim if index < 0 else index


def as_axes(function: str, axis: object, ndim: int) -> tuple[int, ...]:
    """Return all the axes that an `axis` argument names, in its order; None names all.

    Raises:
        AxisError: the array has no such axis; ArgumentError: an axis is named twice.
    """
    if axis is None:
        return tuple(range(ndim))
    if isinstance(axis, str):
        raise ArgumentError(
            f"{function}: axis must be an integer, or a sequence of them, got {axis!r}",
            fix="axes of arrays have numbers; over the named axis of a vmap or a mesh go lax.psum and lax.pmean",
        )
    if isinstance(axis, Iterable) and getattr(axis, "ndim", 1) != 0:
        axes = tuple([as_axis(function, each, ndim) for each in sequence(function, "axis", axis)])
        if len(set(axes)) != len(axes):
            raise ArgumentError(
                f"{function}: axes {tuple(axis)} name one axis twice",
                fix="name each axis once; negative ones count from the last",
            )
        return axes
    return (as_axis(function, axis, ndim),)


def sorted_axes(name: str, axis: object, ndim: int) -> tuple[int, ...]:
    """Return the axes that an `axis` argument names, ascending; None names all.

    Raises:
        AxisError: the array has no such axis; ArgumentError: an axis is named twice.
    """
    if axis is None:
        return tuple(range(ndim))
    if type(axis) is int and -ndim <= axis < ndim:
        return (axis if axis >= 0 else axis + ndim,)
    return tuple(sorted(as_axes(name, axis, ndim)))

"""Interpolation of values on a grid whose lines are parallel to the axes."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Final, final

import numpy as np

from treadle_ir import ArgumentError, Array, ShapeError, UnsupportedError, ops
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import flags, names, sequence, shown
from treadle_numpy.indexing.entries import read_index
from treadle_numpy.indexing.reading import take_entries
from treadle_numpy.lax.joining import unstack
from treadle_numpy.numpy.manipulation.broadcasting import broadcast_arrays
from treadle_numpy.numpy.manipulation.joining import stack
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.searching.sorted_vectors import searchsorted
from treadle_numpy.numpy.taking import take
from treadle_numpy.numpy.ufuncs.arithmetic import add, divide, multiply, subtract
from treadle_numpy.numpy.ufuncs.extremes import clip
from treadle_numpy.numpy.ufuncs.kinds import isnan
from treadle_numpy.numpy.ufuncs.logic import greater, less, less_equal, logical_or
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, host_elements
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.operands.sequences import array_from
from treadle_numpy.operands.shapes import size_of

__all__ = ["RegularGridInterpolator"]

_METHODS: Final = ("linear", "nearest")


@final
class RegularGridInterpolator:
    """A function of points between the points of a grid, on which its values are known.

    Shapes:
        points: d vectors [n1], ..., [nd], each ascending, of two numbers or more
        values: [n1, ..., nd, ...]

    Args:
        points: the coordinates of the grid along each axis.
        values: what is known at its points; integers become floats.
        method: "linear", or "nearest".
        bounds_error: must be false: a program cannot raise.
        fill_value: what points outside of the grid get; None extrapolates from the outermost cells.

    Raises:
        ShapeError: values and points do not fit.
        ArgumentError: the points of an axis do not ascend, or there is no such method.
        UnsupportedError: `bounds_error` is true.

    Example:
        >>> grid = (np.array([0.0, 1.0, 3.0]), np.array([0.0, 2.0]))
        >>> interpolate = RegularGridInterpolator(grid, np.arange(6.0).reshape(3, 2))
        >>> print(interpolate(np.array([[0.5, 1.0], [2.0, 2.0]])))
        [1.5 4. ]
    """

    def __init__(
        self,
        points: Sequence[ArrayLike],
        values: ArrayLike,
        method: str = "linear",
        bounds_error: bool = False,
        fill_value: ArrayLike | None = np.nan,
    ) -> None:
        self.method = _method(method)
        flags("RegularGridInterpolator", bounds_error=bounds_error)
        if bounds_error:
            raise UnsupportedError(
                "RegularGridInterpolator: bounds_error=True is not supported: a program cannot raise",
                fix="leave it out: points outside of the grid get `fill_value`",
            )
        self.bounds_error = False
        given = sequence("RegularGridInterpolator", "points", points)
        known = array_from("RegularGridInterpolator", values, None)
        self.values = array_of(promote("RegularGridInterpolator", known, inexact=True)[0])
        self.grid = tuple([_axis(each) for each in given])
        if len(self.grid) > self.values.ndim:
            raise ShapeError(
                f"RegularGridInterpolator: there are {len(self.grid)} axes of points, but values of shape "
                f"{self.values.shape}"
            )
        for i, each in enumerate(self.grid):
            if each.size != self.values.shape[i]:
                raise ShapeError(
                    f"RegularGridInterpolator: there are {each.size} points along axis {i}, but "
                    f"{self.values.shape[i]} values"
                )
        self.fill_value = fill_value
        if fill_value is not None:
            fill = array_from("RegularGridInterpolator", fill_value, None)
            if fill.ndim or (is_complex(fill.dtype) and not is_complex(self.values.dtype)):
                raise ArgumentError(
                    "RegularGridInterpolator: fill_value must be a number of the values' kind, got "
                    f"{shown(fill_value)}"
                )

    def __call__(self, xi: ArrayLike | tuple[ArrayLike, ...], method: str | None = None) -> Array:
        """Return the values at some points.

        Shapes:
            xi: [..., d], or a tuple of d arrays that are broadcast
            result: [..., and the axes of the values after the grid's]

        Raises:
            ShapeError: the points have not d coordinates.
        """
        how = self.method if method is None else _method(method)
        if isinstance(xi, (tuple, list)):
            parts = broadcast_arrays(*[array_from("RegularGridInterpolator", v, None) for v in xi])
            points = stack(parts, axis=-1)
        else:
            points = array_from("RegularGridInterpolator", xi, None)
        d = len(self.grid)
        if not points.ndim or points.shape[-1] != d:
            raise ShapeError(
                f"RegularGridInterpolator: points must have {d} coordinates along the last axis, got {points.shape}"
            )
        outer, rest = points.shape[:-1], self.values.shape[d:]
        flat = ops.reshape(points, shape=(size_of(outer), d))
        cells = [_cell(grid, x) for grid, x in zip(self.grid, unstack(flat, axis=1), strict=True)]
        found = self._nearest(cells) if how == "nearest" else self._linear(cells)
        found = where(_wide(_any([nan for *_, nan in cells]), found), np.nan, found)
        if self.fill_value is not None:
            fill = self.fill_value
            if not isinstance(fill, (int, float, complex)):  # a number adapts to the values
                fill = converted(array_from("RegularGridInterpolator", fill, None), found.dtype)
            found = where(_wide(_any([out for *_, out, _ in cells]), found), fill, found)
        return ops.reshape(found, shape=(*outer, *rest))

    def _at(self, indices: Sequence[Array]) -> Array:
        """Return the values at grid points, for each point."""
        return take_entries(self.values, read_index(self.values.shape, tuple(indices)))

    def _nearest(self, cells: Sequence[_Cell]) -> Array:
        return self._at([where(less_equal(share, 0.5), i, add(i, 1)) for i, share, *_ in cells])

    def _linear(self, cells: Sequence[_Cell]) -> Array:
        sides = [((i, subtract(1, share)), (add(i, 1), share)) for i, share, *_ in cells]
        parts = []
        for corner in itertools.product(*sides):
            values = self._at([i for i, _ in corner])
            weight = functools.reduce(multiply, [share for _, share in corner])
            parts.append(multiply(values, _wide(weight, values)))
        return functools.reduce(add, parts)


_Cell = tuple[Array, Array, Array, Array]  # the grid point below, how far on, outside, not a number


def _method(method: str) -> str:
    names("RegularGridInterpolator", method=method)
    if method not in _METHODS:
        raise UnsupportedError(
            f"RegularGridInterpolator: the method {shown(method)} is not supported",
            fix=f"methods are {' and '.join(_METHODS)}",
        )
    return method


def _axis(given: ArrayLike) -> Array:
    points = array_from("RegularGridInterpolator", given, None)
    if points.ndim != 1 or points.size < 2 or is_complex(points.dtype):
        raise ShapeError(
            f"RegularGridInterpolator: points along an axis are two real numbers or more, got shape {points.shape}"
        )
    known = host_elements(points)
    if known is not None and not bool(np.all(np.diff(np.asarray(known, np.float64)) > 0)):
        raise ArgumentError(
            "RegularGridInterpolator: the points along an axis must ascend strictly"
        )
    return array_of(promote("RegularGridInterpolator", points, inexact=True)[0])


def _cell(grid: Array, x: Array) -> _Cell:
    """Locate numbers along one axis of the grid."""
    line, place = [array_of(v) for v in promote("RegularGridInterpolator", grid, x, inexact=True)]
    last = line.size - 1
    below = converted(subtract(searchsorted(line, place), 1), default_dtype(int))
    index = clip(below, 0, last - 1)
    low, high = take(line, index, mode="clip"), take(line, add(index, 1), mode="clip")
    share = divide(subtract(place, low), subtract(high, low))
    outside = logical_or(less(place, line[0]), greater(place, line[last]))
    return index, share, outside, isnan(place)


def _any(flags: Sequence[Array]) -> Array:
    return functools.reduce(logical_or, flags)


def _wide(x: Array, values: Array) -> Array:
    """Reshape a vector of one number for each point for arithmetic with values of more axes."""
    return ops.reshape(x, shape=(*x.shape, *(1,) * (values.ndim - x.ndim)))

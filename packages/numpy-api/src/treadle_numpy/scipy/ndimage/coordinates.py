"""Values of an image between its pixels."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import numpy as np

from treadle_ir import ArgumentError, Array, Operand, ShapeError, UnsupportedError, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_complex, is_inexact
from treadle_ir.errors import integer, names, refused, sequence, shown
from treadle_numpy.indexing.entries import read_index
from treadle_numpy.indexing.reading import take_entries
from treadle_numpy.lax.joining import unstack
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.arithmetic import add, multiply, remainder, subtract
from treadle_numpy.numpy.ufuncs.extremes import clip, minimum
from treadle_numpy.numpy.ufuncs.logic import greater_equal, less, logical_and
from treadle_numpy.numpy.ufuncs.rounding import floor
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import broadcast_to_shape, common_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.operands.sequences import array_from

__all__ = ["map_coordinates"]

Fix: TypeAlias = Callable[[Array, int], Array]  # positions of any size as positions within an axis


def _mirrored(index: Array, size: int) -> Array:
    """Reflected at the centres of the first and last pixel: d c b | a b c d | c b a."""
    if size == 1:
        return multiply(index, 0)
    along = remainder(index, 2 * (size - 1))
    return minimum(along, subtract(2 * (size - 1), along))


def _reflected(index: Array, size: int) -> Array:
    """Reflected at the edges of the first and last pixel: c b a | a b c d | d c b."""
    along = remainder(index, 2 * size)
    return minimum(along, subtract(2 * size - 1, along))


_FIXES: Final[dict[str, Fix]] = {
    "constant": lambda index, size: clip(index, 0, size - 1),
    "nearest": lambda index, size: clip(index, 0, size - 1),
    "wrap": lambda index, size: remainder(index, size),
    "mirror": _mirrored,
    "reflect": _reflected,
}


@composed
def map_coordinates(
    input: ArrayLike,
    coordinates: ArrayLike | Sequence[ArrayLike],
    order: int,
    mode: str = "constant",
    cval: ArrayLike = 0.0,
) -> Array:
    """Return the values of an image at any coordinates, in pixels: from the nearest pixel, or linear between them.

    Shapes:
        input: [n1, ..., nd]
        coordinates: d arrays that broadcast to one shape, or one array [d, ...]
        result: the shape of the coordinates, in the type of the input

    Args:
        input: the image.
        coordinates: where, along each axis; 0 is the centre of the first pixel.
        order: 0 for the nearest pixel, 1 for linear interpolation.
        mode: what lies beyond the image: `cval` ("constant"), the nearest pixel ("nearest"), the image again
            ("wrap"), or its reflection at the outermost centres ("mirror") or edges ("reflect").
        cval: the value beyond the image, for "constant".

    Differs from SciPy: orders above 1 are not supported; with "constant", values within a pixel of the image are
    between the image and `cval`; with "wrap", the period is the number of pixels.

    Raises:
        ShapeError: there is not one array of coordinates for each axis, or the image has no pixels.
        UnsupportedError: there is no such mode, or the order is above 1.

    Example:
        >>> image = np.array([[0.0, 1.0], [2.0, 3.0]], np.float32)
        >>> print(map_coordinates(image, [np.array([0.5, 1.0]), np.array([0.5, 0.0])], 1))
        [1.5 2. ]
    """
    order = integer("map_coordinates", "order", order)
    names("map_coordinates", mode=mode)
    if mode not in _FIXES:
        raise UnsupportedError(
            f"map_coordinates: the mode {shown(mode)} is not supported",
            fix=f"modes are {', '.join(_FIXES)}",
        )
    if order not in (0, 1):
        raise UnsupportedError(
            f"map_coordinates: order {order} is not supported", fix="orders are 0 and 1"
        )
    x = coerce_array("map_coordinates", 0, input)
    fill = converted(coerce("map_coordinates", 4, cval), x.dtype)
    if fill.shape:
        raise refused("map_coordinates", "cval", "a number", cval)
    if isinstance(coordinates, (Array, np.ndarray)):
        given: Sequence[ArrayLike] = unstack(coordinates)
    else:
        given = sequence("map_coordinates", "coordinates", coordinates)
    if len(given) != x.ndim:
        raise ShapeError(
            f"map_coordinates: there must be one array of coordinates for each axis, got {len(given)} for {x.ndim}"
        )
    places = [array_from("map_coordinates", each, None) for each in given]
    if any([is_complex(each.dtype) for each in places]):
        raise ArgumentError("map_coordinates: coordinates must be real")
    shape = common_shape("map_coordinates", [each.shape for each in places])
    if not x.size:
        raise ShapeError(f"map_coordinates: an image of shape {x.shape} has no pixels")
    corners = [_neighbours(each, order) for each in places]
    parts = []
    for corner in itertools.product(*corners):
        values = _values(x, [index for index, _ in corner], mode, fill)
        weights = [weight for _, weight in corner if weight is not None]
        parts.append(functools.reduce(multiply, weights, values) if weights else values)
    result = functools.reduce(add, parts)
    if not is_inexact(x.dtype) and is_inexact(result.dtype):
        result = ops.round_nearest_afz(result)  # as SciPy rounds to integers
    return array_of(broadcast_to_shape(converted(result, x.dtype), shape))


def _neighbours(place: Array, order: int) -> list[tuple[Array, Array | None]]:
    """Return the pixels along one axis that a coordinate lies at or between, and their weights."""
    whole = default_dtype(int)
    (position,) = promote("map_coordinates", place, inexact=True)
    if order == 0:
        nearest = ops.round_nearest_afz(position)  # halves away from zero, as SciPy rounds
        return [(_index(nearest), None)]
    below = floor(position)
    upper = subtract(position, below)
    index = _index(below)
    return [(index, subtract(1, upper)), (add(index, whole.type(1)), upper)]


def _index(position: Array) -> Array:
    """Return a position that is a whole number, as an integer."""
    return array_of(converted(position, default_dtype(int)))


def _values(x: Array, indices: Sequence[Array], mode: str, fill: Operand) -> Array:
    """Return the pixels at positions of any size."""
    fixed = [_FIXES[mode](index, n) for index, n in zip(indices, x.shape, strict=True)]
    found = take_entries(x, read_index(x.shape, tuple(fixed))) if fixed else x
    if mode != "constant":
        return found
    inside: ArrayLike = np.bool_(True)
    for index, n in zip(indices, x.shape, strict=True):
        inside = logical_and(inside, logical_and(greater_equal(index, 0), less(index, n)))
    return where(inside, found, fill)

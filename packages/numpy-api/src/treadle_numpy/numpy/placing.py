"""Elements put by position: NumPy's functions that write in place, as functions that return the array."""

from __future__ import annotations

from treadle_ir import ArgumentError, Array, ShapeError, UnsupportedError, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_integer
from treadle_ir.errors import flags, names, shown
from treadle_numpy.indexing.modes import IndexMode
from treadle_numpy.indexing.positions import around, counting
from treadle_numpy.indexing.writing import How, update
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.creation.ranges import arange
from treadle_numpy.numpy.manipulation.broadcasting import broadcast_to
from treadle_numpy.numpy.manipulation.repetition import tile
from treadle_numpy.numpy.manipulation.shapes import ravel, reshape
from treadle_numpy.numpy.reductions.running import cumsum
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.taking import take
from treadle_numpy.numpy.ufuncs.arithmetic import remainder, subtract
from treadle_numpy.numpy.ufuncs.extremes import maximum
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.broadcast import check_settings, common_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.scalars import truth

__all__ = ["fill_diagonal", "place", "put", "put_along_axis"]


def _new_array_only(name: str, inplace: bool) -> None:
    if inplace:
        raise UnsupportedError(
            f"{name} cannot change an array in place: arrays are immutable",
            fix="pass inplace=False, and use the result",
        )


def put(
    a: ArrayLike, ind: ArrayLike, v: ArrayLike, mode: str | None = None, *, inplace: bool = True
) -> Array:
    """Return the array with values at positions of the flat array; needs `inplace=False`.

    Positions out of range are clipped, after counting negative ones from the end; with `mode="clip"` these are the
    first, and with `mode="wrap"` all are counted round and round.

    Raises:
        ArgumentError: there is no such mode.

    Example:
        >>> import numpy as np
        >>> print(put(np.array([1, 2, 3]), np.array([0, 2]), np.array([8, 9]), inplace=False))
        [8 2 9]
    """
    flags("put", inplace=inplace)
    names("put", mode=mode)
    if mode not in (None, "clip", "wrap"):
        raise ArgumentError(
            f"put: mode must be None, 'clip' or 'wrap', got {shown(mode)}",
            fix="a program cannot raise: clip the positions, or check them before",
        )
    _new_array_only("put", inplace)
    x = coerce_array("put", 0, a)
    check_settings("put", x, v)
    places, values = ravel(ind), ravel(v)
    if not x.size or not places.size or not values.size:
        return x
    if mode == "wrap" and is_integer(places.dtype):
        places = around(places, x.size, counting((x.size,)))
    elif mode == "clip":
        places = maximum(places, 0)
    count = -(-places.size // values.size)
    values = slice_along(tile(values, count), 0, 0, places.size)
    how = How(ops.scatter, "clip")
    flat = update(how, ravel(x), places, values)
    return reshape(flat, x.shape)


def place(arr: ArrayLike, mask: ArrayLike, vals: ArrayLike, *, inplace: bool = True) -> Array:
    """Return the array with values, one after the other, where a mask is true; needs `inplace=False`.

    Raises:
        ArgumentError: there are no values.

    Example:
        >>> import numpy as np
        >>> print(place(np.array([1, 2, 3]), np.array([True, False, True]), np.array([8, 9]), inplace=False))
        [8 2 9]
    """
    flags("place", inplace=inplace)
    _new_array_only("place", inplace)
    x, values = coerce_array("place", 0, arr), ravel(vals)
    chosen = ravel(truth("place", 1, mask))
    if not values.size:
        raise ArgumentError("place: there are no values", fix="pass at least one")
    order = remainder(subtract(cumsum(chosen), 1), values.size)
    filled = converted(take(values, order, mode="clip"), x.dtype)
    return reshape(where(chosen, filled, ravel(x)), x.shape)


@composed
def put_along_axis(
    arr: ArrayLike,
    indices: ArrayLike,
    values: ArrayLike,
    axis: int | None,
    inplace: bool = True,
    *,
    mode: IndexMode = None,
) -> Array:
    """Return the counterpart of `take_along_axis`; needs `inplace=False`.

    Example:
        >>> import numpy as np
        >>> print(put_along_axis(np.array([[1, 2], [3, 4]]), np.array([[0], [1]]), 9, 1, inplace=False))
        [[9 2]
         [3 9]]
    """
    flags("put_along_axis", inplace=inplace)
    _new_array_only("put_along_axis", inplace)
    x, places = (
        coerce_array("put_along_axis", 0, arr),
        coerce_array("put_along_axis", 1, indices),
    )
    check_settings("put_along_axis", x, values)
    if axis is None:
        flat = update(
            How(ops.scatter, mode),
            ravel(x),
            ravel(places),
            ravel(broadcast_to(values, places.shape)),
        )
        return reshape(flat, x.shape)
    along = as_axis("put_along_axis", axis, x.ndim)
    if places.ndim != x.ndim:
        raise ShapeError(
            f"put_along_axis: indices must have as many axes as the array, got {places.shape} for {x.shape}"
        )
    shape = common_shape(
        "put_along_axis",
        [tuple(1 if i == along else n for i, n in enumerate(s)) for s in (x.shape, places.shape)],
    )
    full = tuple(places.shape[along] if i == along else n for i, n in enumerate(shape))
    index: list[Array] = []
    for i, n in enumerate(full):
        if i == along:
            index.append(broadcast_to(places, full))
        else:
            index.append(reshape(arange(n), tuple(n if j == i else 1 for j in range(len(full)))))
    return update(How(ops.scatter, mode), x, tuple(index), broadcast_to(values, full))


def fill_diagonal(
    a: ArrayLike, val: ArrayLike, wrap: bool = False, *, inplace: bool = True
) -> Array:
    """Return the array with values on its main diagonal, over and over if there are few; needs `inplace=False`.

    Shapes:
        a: [n, m], or of more axes, all of one size
        val: any; taken flat

    Raises:
        ArgumentError: there are no values.
        ShapeError: the array has fewer than two axes, or more than two of several sizes.
        UnsupportedError: `inplace` or `wrap` is true.

    Example:
        >>> from treadle_numpy.numpy import zeros
        >>> print(fill_diagonal(zeros((2, 3)), 5, inplace=False))
        [[5. 0. 0.]
         [0. 5. 0.]]
    """
    flags("fill_diagonal", wrap=wrap, inplace=inplace)
    _new_array_only("fill_diagonal", inplace)
    if wrap:
        raise UnsupportedError("fill_diagonal: wrap=True is not supported")
    x, values = coerce_array("fill_diagonal", 0, a), ravel(val)
    if x.ndim < 2:
        raise ShapeError(f"fill_diagonal: the array must have two axes or more, got {x.shape}")
    if x.ndim > 2 and len({*x.shape}) > 1:
        raise ShapeError(f"fill_diagonal: all axes must have one size, got {x.shape}")
    if not values.size:
        raise ArgumentError("fill_diagonal: there are no values", fix="pass at least one")
    count = min(x.shape)
    if not count:
        return x
    filling = take(converted(values, x.dtype), remainder(arange(count), values.size), mode="clip")
    places = (arange(count),) * x.ndim
    how = How(ops.scatter, "promise_in_bounds", indices_are_sorted=True, unique_indices=True)
    return update(how, x, places, filling)

"""What is left of NumPy's surface: convolve, polynomials, unwrap, put, printing, files, ufunc."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from treadle_ir import Array, default_dtype
from treadle_ir.dtypes import is_inexact
from treadle_numpy.coercion import (
    ArrayLike,
    ValueArgumentError,
    array_from,
    array_of,
    as_axis,
    coerce,
    common_shape,
    converted,
    operand_type,
    ops,
    promote,
)
from treadle_numpy.contraction import precision_name
from treadle_numpy.creation import arange
from treadle_numpy.differences import diff
from treadle_numpy.dtypes import DTypeLike, as_dtype
from treadle_numpy.elementwise import add, conjugate, multiply, remainder, subtract
from treadle_numpy.indexing import take
from treadle_numpy.logic import truth
from treadle_numpy.manipulation import (
    broadcast_to,
    flip,
    moveaxis,
    ravel,
    reshape,
    slice_along,
    tile,
)
from treadle_numpy.reductions import cumsum
from treadle_numpy.searching import where
from treadle_numpy.updates import UpdatesAt

get_printoptions = np.get_printoptions
set_printoptions = np.set_printoptions
printoptions = np.printoptions


def array_repr(
    arr: Any, max_line_width: Any = None, precision: Any = None, suppress_small: Any = None
) -> str:
    """The elements as `repr` shows NumPy's."""
    return np.array_repr(np.asarray(arr), max_line_width, precision, suppress_small)


def array_str(
    a: Any, max_line_width: Any = None, precision: Any = None, suppress_small: Any = None
) -> str:
    """The elements as `str` shows NumPy's."""
    return np.array_str(np.asarray(a), max_line_width, precision, suppress_small)


def save(file: Any, arr: Any, allow_pickle: bool = True) -> None:
    """Write an array to a file in NumPy's format."""
    np.save(file, np.asarray(arr), allow_pickle)


def savez(file: Any, *args: Any, **kwds: Any) -> None:
    """Write several arrays to a file in NumPy's format."""
    named: dict[str, Any] = {name: np.asarray(x) for name, x in kwds.items()}
    np.savez(file, *[np.asarray(x) for x in args], **named)


def load(file: Any, mmap_mode: Any = None, allow_pickle: bool = False) -> Any:
    """Read an array from a file in NumPy's format; files of several arrays come back as NumPy reads them."""
    found = np.load(file, mmap_mode, allow_pickle)
    return array_from("load", found, None) if isinstance(found, np.ndarray) else found


def _slid(name: str, a: Any, v: Any, mode: str, precision: Any, element_type: Any) -> Array:
    x, y = [array_of(p) for p in promote(name, a, v, inexact=True)]
    if x.ndim != 1 or y.ndim != 1:
        raise ValueArgumentError(f"{name}: only one-dimensional arrays are supported")
    if not x.size or not y.size:
        raise ValueArgumentError(
            f"{name}: inputs cannot be empty, got shapes x.shape={x.shape} y.shape={y.shape}."
        )
    if x.size < y.size:  # convolution does not mind which of the two slides
        x, y = y, x
    kernel, size = flip(y), y.size
    if mode == "full":
        low, high = size - 1, size - 1
    elif mode == "same":
        low = size // 2
        high = size - low - 1
    elif mode == "valid":
        low = high = 0
    else:
        raise ValueArgumentError(f"mode must be one of ['full', 'same', 'valid'], got {mode!r}")
    result = ops.convolution(
        ops.reshape(x, shape=(1, 1, x.size)),
        ops.reshape(kernel, shape=(1, 1, size)),
        padding=((low, high),),
        lhs_spec=(0, 1, 2),
        rhs_spec=(0, 1, 2),
        out_spec=(0, 1, 2),
        precision=precision_name(precision),
        element_type=as_dtype(name, element_type),
    )
    return ravel(result)


def convolve(
    a: ArrayLike,
    v: ArrayLike,
    mode: str = "full",
    *,
    precision: Any = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """The convolution of two vectors.

    Example:
        >>> print(convolve(np.array([1.0, 2.0], np.float32), np.array([1.0, 1.0], np.float32)))
        [1. 3. 2.]
    """
    return _slid("convolve", a, v, mode, precision, preferred_element_type)


def correlate(
    a: ArrayLike,
    v: ArrayLike,
    mode: str = "valid",
    *,
    precision: Any = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """The correlation of two vectors, the second conjugated."""
    (y,) = promote("correlate", v)
    mirrored = flip(conjugate(array_of(y)))
    return _slid("correlate", a, mirrored, mode, precision, preferred_element_type)


def polyval(p: ArrayLike, x: ArrayLike, *, unroll: int | None = None) -> Array:
    """A polynomial's value, by Horner's rule; the highest coefficient first.

    Example:
        >>> print(polyval(np.array([1, 0, 2], np.int32), 3))
        11
    """
    coefficients = array_of(coerce("polyval", 0, p))
    operand: Any = coerce("polyval", 1, x)
    result: Any = multiply(operand, operand_type(coefficients).dtype.type(0))
    for i in range(coefficients.shape[0]):
        one = ops.reshape(slice_along(coefficients, 0, i, i + 1), shape=coefficients.shape[1:])
        result = add(multiply(result, operand), one)
    return array_of(converted(result, operand_type(result).dtype))


def unwrap(
    p: ArrayLike, discont: ArrayLike | None = None, axis: int = -1, period: ArrayLike = 2 * np.pi
) -> Array:
    """Angles with jumps of more than half a period taken out."""
    (operand,) = promote("unwrap", p)
    x = array_of(operand)
    if not is_inexact(x.dtype) and not isinstance(period, int):
        x = array_of(converted(x, default_dtype(float)))
    along = as_axis("unwrap", axis, x.ndim)
    if not x.shape[along]:
        return x
    whole = x.dtype.type(period)
    length: Any = period
    half = x.dtype.type(length / 2) if is_inexact(x.dtype) else x.dtype.type(int(length) // 2)
    jump = diff(x, axis=along)
    moved = subtract(remainder(add(jump, half), whole), half)
    moved = where(truth("unwrap", 0, _both(moved, -half, jump)), half, moved)
    change = subtract(moved, jump)
    limit = half if discont is None else discont
    small = ops.compare(
        ops.abs(jump), converted(coerce("unwrap", 1, limit), x.dtype), direction="lt"
    )
    change = where(small, x.dtype.type(0), change)
    first = slice_along(x, along, 0, 1)
    rest = add(slice_along(x, along, 1, x.shape[along]), cumsum(change, axis=along))
    return ops.concatenate([first, rest], dimension=along)


def _both(moved: Any, low: Any, jump: Any) -> Any:
    return ops.and_(
        ops.compare(moved, low, direction="eq"),
        ops.compare(jump, operand_type(jump).dtype.type(0), direction="gt"),
    )


def _new_array_only(name: str, inplace: bool) -> None:
    if inplace:
        raise ValueArgumentError(
            f"{name} cannot change an array in place: arrays are immutable",
            fix="pass inplace=False, and use the result",
        )


def put(
    a: ArrayLike, ind: ArrayLike, v: ArrayLike, mode: str | None = None, *, inplace: bool = True
) -> Array:
    """The array with values at positions of the flat array; needs `inplace=False`."""
    _new_array_only("put", inplace)
    x = array_of(coerce("put", 0, a))
    places, values = ravel(ind), ravel(v)
    if not x.size or not places.size or not values.size:
        return x
    if mode == "wrap":
        places = remainder(places, x.size)
    count = -(-places.size // values.size)
    values = slice_along(tile(values, count), 0, 0, places.size)
    flat = UpdatesAt(ravel(x), places).set(values, mode="clip" if mode == "clip" else "drop")
    return reshape(flat, x.shape)


def place(arr: ArrayLike, mask: ArrayLike, vals: ArrayLike, *, inplace: bool = True) -> Array:
    """The array with values, one after the other, where a mask is true; needs `inplace=False`.

    Raises:
        ValueArgumentError: there are no values.
    """
    _new_array_only("place", inplace)
    x, values = array_of(coerce("place", 0, arr)), ravel(vals)
    chosen = ravel(truth("place", 1, mask))
    if not values.size:
        raise ValueArgumentError("place: there are no values", fix="pass at least one")
    order = remainder(subtract(cumsum(chosen), 1), values.size)
    filled = converted(take(values, order, mode="clip"), x.dtype)
    return reshape(where(chosen, filled, ravel(x)), x.shape)


def put_along_axis(
    arr: ArrayLike,
    indices: ArrayLike,
    values: ArrayLike,
    axis: int | None,
    inplace: bool = True,
    *,
    mode: Any = None,
) -> Array:
    """The counterpart of `take_along_axis`; needs `inplace=False`."""
    _new_array_only("put_along_axis", inplace)
    x, places = (
        array_of(coerce("put_along_axis", 0, arr)),
        array_of(coerce("put_along_axis", 1, indices)),
    )
    if axis is None:
        flat = UpdatesAt(ravel(x), ravel(places)).set(
            ravel(broadcast_to(values, places.shape)), mode=mode
        )
        return reshape(flat, x.shape)
    along = as_axis("put_along_axis", axis, x.ndim)
    shape = common_shape(
        "put_along_axis",
        [tuple(1 if i == along else n for i, n in enumerate(s)) for s in (x.shape, places.shape)],
    )
    full = tuple(places.shape[along] if i == along else n for i, n in enumerate(shape))
    index: list[Any] = []
    for i, n in enumerate(full):
        if i == along:
            index.append(broadcast_to(places, full))
        else:
            index.append(reshape(arange(n), tuple(n if j == i else 1 for j in range(len(full)))))
    return UpdatesAt(x, tuple(index)).set(broadcast_to(values, full), mode=mode)


@final
class ufunc:  # noqa: N801 - NumPy's name
    """A function of elements with `reduce` and, for two operands, `outer`; nothing here makes one but its callers."""

    def __init__(
        self, func: Any, /, nin: int, nout: int, *, name: str | None = None, identity: Any = None
    ) -> None:
        self._func = func
        self.nin = nin
        self.nout = nout
        self.nargs = nin + nout
        self.identity = identity
        self.__name__ = name or getattr(func, "__name__", "ufunc")

    def __call__(self, *args: Any) -> Any:
        """The function itself."""
        return self._func(*args)

    def outer(self, a: ArrayLike, b: ArrayLike, /) -> Any:
        """The function of each element of the one with each of the other."""
        x, y = array_of(coerce("outer", 0, a)), array_of(coerce("outer", 1, b))
        return self._func(reshape(x, (*x.shape, *(1,) * y.ndim)), y)

    def reduce(self, a: ArrayLike, /, axis: int = 0) -> Any:
        """The elements along an axis combined from the first on."""
        x = moveaxis(array_of(coerce("reduce", 0, a)), axis, 0)
        parts = [
            ops.reshape(slice_along(x, 0, i, i + 1), shape=x.shape[1:]) for i in range(x.shape[0])
        ]
        if not parts:
            raise ValueArgumentError(
                f"zero-size array to reduction operation {self.__name__} which has no identity"
            )
        result: Any = parts[0]
        for part in parts[1:]:
            result = self._func(result, part)
        return result

"""Discrete cosine transforms, of type II and its inverse, by a Fourier transform of the same length.

The even elements in order and then the odd ones in reverse make v; with V = rfft(v), element k of the transform is
twice the real part of exp(-pi i k / 2n) V_k. Element n - k is minus twice the imaginary part of the same product, so
half a spectrum gives them all.

Source: Makhoul, "A fast cosine transform in one and two dimensions", IEEE Transactions on Acoustics, Speech, and Signal
Processing 28 (1980).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import numpy as np

from treadle_ir import ArgumentError, Array, DType, UnsupportedError, ops
from treadle_ir.calling import composed
from treadle_ir.core import inexact_dtype
from treadle_ir.core.dtypes import complex_of, is_complex, real_part
from treadle_ir.errors import integer, names, shown
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.fft.transforms import resized
from treadle_numpy.operands.arrays import Elements, made
from treadle_numpy.operands.axes import as_axes, as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.shapes import as_shape

__all__ = ["dct", "dctn", "idct", "idctn"]

OneAxis: TypeAlias = Callable[[Array, bool], Array]
_TYPE: Final = 2


@composed
def dct(
    x: ArrayLike, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None
) -> Array:
    """Return the discrete cosine transform along an axis: element k is 2 sum over j of x_j cos(pi k (2 j + 1) / 2n).

    `n` is the length: the axis is cut to it, or padded with zeros. With `norm` "ortho" element 0 is divided by
    sqrt(4 n) and the others by sqrt(2 n), which makes the transform orthogonal. Of complex numbers, real and imaginary
    parts are transformed.

    Unlike SciPy's, only type 2 exists, and of norms only None, "backward" (the same) and "ortho".

    Raises:
        UnsupportedError: another type, or norm "forward".
        AxisError: there is no such axis.
        ArgumentError: n is less than 1, the axis has no elements, or there is no such norm.

    Example:
        >>> import numpy as np
        >>> print(dct(np.array([1.0, 2.0], np.float32)).round(4))
        [ 6.     -1.4142]
    """
    return _along_one("dct", _cosines, x, type, n, axis, norm)


@composed
def idct(
    x: ArrayLike, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None
) -> Array:
    """Return the inverse of `dct`, for the same `norm`.

    Raises:
        UnsupportedError: a type other than 2, or norm "forward".
        AxisError: there is no such axis.
        ArgumentError: n is less than 1, the axis has no elements, or there is no such norm.

    Example:
        >>> import numpy as np
        >>> print(idct(dct(np.array([1.0, 2.0, 4.0], np.float32))).round(5))
        [1. 2. 4.]
    """
    return _along_one("idct", _from_cosines, x, type, n, axis, norm)


@composed
def dctn(
    x: ArrayLike,
    type: int = 2,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Array:
    """Apply `dct` along several axes, by default all.

    `s` has the length of each axis; without `axes` these are the last ones, as many as there are lengths. `norm` is as
    for `dct`.

    Raises:
        UnsupportedError: a type other than 2, or norm "forward".
        AxisError: there is no such axis.
        ArgumentError: an axis is named twice or has no elements; there are not as many lengths as axes, or one is less
            than 1; or there is no such norm.

    Example:
        >>> import numpy as np
        >>> print(dctn(np.ones((2, 2), np.float32)).round(5))
        [[16.  0.]
         [ 0.  0.]]
    """
    return _along_several("dctn", _cosines, x, type, s, axes, norm)


@composed
def idctn(
    x: ArrayLike,
    type: int = 2,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Array:
    """Return the inverse of `dctn`, for the same `norm`.

    Raises:
        UnsupportedError: a type other than 2, or norm "forward".
        AxisError: there is no such axis.
        ArgumentError: an axis is named twice or has no elements; there are not as many lengths as axes, or one is less
            than 1; or there is no such norm.

    Example:
        >>> import numpy as np
        >>> print(idctn(dctn(np.ones((2, 2), np.float32))).round(5))
        [[1. 1.]
         [1. 1.]]
    """
    return _along_several("idctn", _from_cosines, x, type, s, axes, norm)


def _along_one(
    function: str,
    transform: OneAxis,
    x: ArrayLike,
    type: object,
    n: int | None,
    axis: int,
    norm: object,
) -> Array:
    orthogonal = _is_orthogonal(function, type, norm)
    array = coerce_array(function, 0, x)
    place = as_axis(function, axis, array.ndim)
    size = array.shape[place] if n is None else integer(function, "n", n)
    return _transformed(function, transform, array, (size,), (place,), orthogonal)


def _along_several(
    function: str,
    transform: OneAxis,
    x: ArrayLike,
    type: object,
    s: Sequence[int] | None,
    axes: Sequence[int] | None,
    norm: object,
) -> Array:
    orthogonal = _is_orthogonal(function, type, norm)
    array = coerce_array(function, 0, x)
    lengths = None if s is None else as_shape(function, s)
    if axes is None and lengths is not None:
        axes = tuple(range(-len(lengths), 0))
    places = as_axes(function, axes, array.ndim)
    if lengths is None:
        lengths = tuple([array.shape[place] for place in places])
    if len(lengths) != len(places):
        raise ArgumentError(
            f"{function}: s has {len(lengths)} lengths for the {len(places)} axes {places}",
            fix="give one length for each axis",
        )
    return _transformed(function, transform, array, lengths, places, orthogonal)


def _is_orthogonal(function: str, type: object, norm: object) -> bool:
    if integer(function, "type", type) != _TYPE:
        raise UnsupportedError(
            f"{function}: type is {shown(type)}, but only the transform of type 2 exists here"
        )
    names(function, norm=norm)
    if norm is None or norm in ("backward", "ortho"):
        return norm == "ortho"
    if norm == "forward":
        raise UnsupportedError(
            f"{function}: norm='forward' is not supported",
            fix="use norm='backward' and divide by 2n for each transformed axis of length n",
        )
    raise ArgumentError(f"{function}: norm is {shown(norm)}, not one of None, 'backward', 'ortho'")


def _transformed(
    function: str,
    transform: OneAxis,
    x: Array,
    lengths: tuple[int, ...],
    axes: tuple[int, ...],
    orthogonal: bool,
) -> Array:
    for axis, size in zip(axes, lengths, strict=True):
        if size < 1:
            raise ArgumentError(
                f"{function}: axis {axis} has length {size}, but at least one element is transformed"
            )
        x = resized(x, axis, size)
    dtype = complex_of(inexact_dtype(x.dtype))
    if is_complex(x.dtype):
        real, imaginary = ops.real(x), ops.imag(x)
    else:
        real, imaginary = converted(x, real_part(dtype)), None
    for axis in axes:
        real = _moved(transform, real, axis, orthogonal)
        if imaginary is not None:
            imaginary = _moved(transform, imaginary, axis, orthogonal)
    return real if imaginary is None else ops.complex(real, imaginary)


def _moved(transform: OneAxis, x: Array, axis: int, orthogonal: bool) -> Array:
    """Return the transform along an axis; the functions below take the last."""
    last = x.ndim - 1
    order = [i for i in range(x.ndim) if i != axis] + [axis]
    if axis == last:
        return transform(x, orthogonal)
    result = transform(ops.transpose(x, permutation=tuple(order)), orthogonal)
    return ops.transpose(result, permutation=tuple([order.index(i) for i in range(x.ndim)]))


def _waves(n: int, count: int, dtype: DType, sign: int) -> Elements:
    """exp(sign pi i k / 2n) for k < count: a constant of the program, since sines cost XLA more than the rest."""
    return np.asarray(np.exp(sign * 0.5j * np.pi * np.arange(count) / n), complex_of(dtype))


def _scales(n: int, dtype: DType, first: float, others: float) -> Elements:
    """`first` for element 0 and `others` for the elements 1 to n - 1."""
    return np.asarray([first] + [others] * (n - 1), dtype)


def _times(x: Array, vector: Elements) -> Array:
    """Return each vector along the last axis multiplied by one."""
    spread = ops.broadcast_in_dim(made(vector), shape=x.shape, dimensions=(x.ndim - 1,))
    return ops.multiply(x, spread)


def _cosines(x: Array, orthogonal: bool) -> Array:
    """Return the transform of type II along the last axis."""
    n, last = x.shape[-1], x.ndim - 1
    half = n // 2 + 1
    v = ops.concatenate(
        [_every_second(x, 0), ops.reverse(_every_second(x, 1), dimensions=(last,))],
        dimension=last,
    )
    product = _times(ops.fft(v, kind="rfft", lengths=(n,)), _waves(n, half, x.dtype, -1))
    # elements 0 to n // 2, and from n // 2 + 1 to n - 1 the elements n - k, for k = (n - 1) // 2 down to 1
    mirrored = (
        ops.reverse(
            slice_along(ops.negate(ops.imag(product)), last, 1, (n + 1) // 2), dimensions=(last,)
        )
        if n > 2
        else None
    )
    result = ops.real(product)
    if mirrored is None:
        result = slice_along(result, last, 0, n)
    else:
        result = ops.concatenate([result, mirrored], dimension=last)
    if orthogonal:
        return _times(result, _scales(n, x.dtype, 1 / math.sqrt(n), math.sqrt(2 / n)))
    return ops.multiply(result, x.dtype.type(2))


def _every_second(x: Array, start: int) -> Array:
    rank = x.ndim
    return ops.slice(
        x,
        start=(0,) * (rank - 1) + (min(start, x.shape[-1]),),
        limit=x.shape,
        strides=(1,) * (rank - 1) + (2,),
    )


def _from_cosines(x: Array, orthogonal: bool) -> Array:
    """The inverse of `_cosines`: V_k = exp(pi i k / 2n) (y_k - i y_(n - k)) / 2 with y_n = 0, and the order of x."""
    n, last = x.shape[-1], x.ndim - 1
    half = n // 2 + 1
    if orthogonal:
        x = _times(x, _scales(n, x.dtype, math.sqrt(n), math.sqrt(n / 2)))
    else:
        x = ops.multiply(x, x.dtype.type(0.5))
    padded = resized(x, last, n + 1)  # y_n is 0
    mirrored = ops.reverse(slice_along(padded, last, n + 1 - half, n + 1), dimensions=(last,))
    spectrum = ops.complex(slice_along(padded, last, 0, half), ops.negate(mirrored))
    v = ops.fft(_times(spectrum, _waves(n, half, x.dtype, 1)), kind="irfft", lengths=(n,))
    even = (n + 1) // 2
    odd = ops.reverse(slice_along(v, last, even, n), dimensions=(last,))
    # interleaved: element 2 j is the j-th of the first half, element 2 j + 1 the j-th of the second
    pairs = ops.concatenate(
        [
            ops.reshape(part, shape=(*x.shape[:-1], even, 1))
            for part in (slice_along(v, last, 0, even), resized(odd, last, even))
        ],
        dimension=last + 1,
    )
    return slice_along(ops.reshape(pairs, shape=(*x.shape[:-1], 2 * even)), last, 0, n)

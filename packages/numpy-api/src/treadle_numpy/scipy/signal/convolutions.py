"""Convolutions and correlations of arrays of any number of axes, by sums or by Fourier transforms."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_ir import ArgumentError, Array, ShapeError, UnsupportedError, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import names, shown
from treadle_numpy.lax.convolution import conv_general_dilated
from treadle_numpy.lax.precision import PrecisionLike
from treadle_numpy.numpy.fft import fftn, ifftn, irfftn, rfftn
from treadle_numpy.numpy.manipulation.rearranging import flip
from treadle_numpy.numpy.ufuncs.arithmetic import multiply
from treadle_numpy.numpy.ufuncs.parts import conjugate
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import as_axes
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import converted, promote

__all__ = ["convolve", "convolve2d", "correlate", "correlate2d", "fftconvolve"]


@composed
def convolve(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    method: str = "auto",
    precision: PrecisionLike = None,
) -> Array:
    """Return the convolution of two arrays of as many axes; integers become floats.

    Differs from SciPy: there are zeros around the first one, so that an infinity or NaN of the second one is NaN at the
    ends, too.

    Args:
        in1: [n1, n2, ...].
        in2: [m1, m2, ...].
        mode: "full" for all that overlaps, [n1 + m1 - 1, ...]; "same" for its centre, in the shape of `in1`; "valid"
            for where one lies within the other.
        method: "direct" for sums, which "auto" means, too, or "fft".
        precision: of the products on accelerators, by sums.

    Raises:
        ShapeError: the arrays differ in their numbers of axes, are empty, or, for "valid", neither contains the
            other.
        ArgumentError: there is no such mode or method.

    Example:
        >>> import numpy as np
        >>> print(convolve(np.array([1.0, 2.0, 3.0]), np.array([1.0, -1.0]), "valid"))
        [1. 1.]
    """
    names("convolve", method=method)
    if method not in ("auto", "direct", "fft"):
        raise ArgumentError(
            f"convolve: method must be 'auto', 'direct' or 'fft', got {shown(method)}"
        )
    if method == "fft":
        return fftconvolve(in1, in2, mode)
    x, y = _pair("convolve", in1, in2, mode)
    return _cut("convolve", _full(x, y, precision), x.shape, y.shape, mode, False)


@composed
def correlate(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    method: str = "auto",
    precision: PrecisionLike = None,
) -> Array:
    """Return the correlation of two arrays: the convolution with the second one reversed and conjugated.

    Arguments and errors are as for `convolve`.

    Example:
        >>> import numpy as np
        >>> print(correlate(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0]), "same"))
        [1. 2. 3.]
    """
    x, y = _pair("correlate", in1, in2, mode)
    return convolve(x, conjugate(flip(y)), mode, method, precision)


@composed
def convolve2d(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: float = 0,
    precision: PrecisionLike = None,
) -> Array:
    """Return the convolution of two matrices; arguments and errors are as for `convolve`.

    Differs from SciPy: there is nothing but zeros around the arrays.

    Raises:
        UnsupportedError: another `boundary` than "fill", or `fillvalue` than 0.

    Example:
        >>> import numpy as np
        >>> print(convolve2d(np.array([[1.0, 2.0]]), np.array([[1.0], [10.0]])))
        [[ 1.  2.]
         [10. 20.]]
    """
    x, y = _matrices("convolve2d", in1, in2, mode, boundary, fillvalue)
    return _cut("convolve2d", _full(x, y, precision), x.shape, y.shape, mode, False)


@composed
def correlate2d(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: float = 0,
    precision: PrecisionLike = None,
) -> Array:
    """Return the correlation of two matrices; arguments and errors are as for `convolve2d`.

    Example:
        >>> import numpy as np
        >>> print(correlate2d(np.array([[1.0, 2.0, 3.0]]), np.array([[0.0, 1.0]]), "valid"))
        [[2. 3.]]
    """
    x, y = _matrices("correlate2d", in1, in2, mode, boundary, fillvalue)
    full = _full(x, conjugate(flip(y)), precision)
    return _cut("correlate2d", full, x.shape, y.shape, mode, True)


@composed
def fftconvolve(
    in1: ArrayLike, in2: ArrayLike, mode: str = "full", axes: Sequence[int] | None = None
) -> Array:
    """Return the convolution of two arrays by Fourier transforms: faster than sums where both are large, less exact.

    Along axes that are not in `axes` (all by default) sizes must be equal, and elements are only multiplied. Other
    arguments and errors are as for `convolve`.

    Example:
        >>> import numpy as np
        >>> print(fftconvolve(np.array([1.0, 2.0]), np.array([1.0, 1.0])).round(3))
        [1. 3. 2.]
    """
    x, y = _pair("fftconvolve", in1, in2, mode)
    along = tuple(sorted(as_axes("fftconvolve", axes, x.ndim)))
    apart = [i for i in range(x.ndim) if i not in along and x.shape[i] != y.shape[i]]
    if apart:
        raise ShapeError(
            f"fftconvolve: sizes along axes that are not transformed must be equal, got {x.shape} and {y.shape}"
        )
    if not along:
        return multiply(x, y)
    sizes = [x.shape[i] + y.shape[i] - 1 for i in along]
    if is_complex(x.dtype):
        product = multiply(fftn(x, sizes, along), fftn(y, sizes, along))
        full = ifftn(product, sizes, along)
    else:
        product = multiply(rfftn(x, sizes, along), rfftn(y, sizes, along))
        full = irfftn(product, sizes, along)
    other = tuple([n if i in along else 1 for i, n in enumerate(y.shape)])
    return _cut("fftconvolve", converted(full, x.dtype), x.shape, other, mode, False)


def _pair(function: str, in1: ArrayLike, in2: ArrayLike, mode: str) -> tuple[Array, Array]:
    """Return two arrays of one inexact type and as many axes."""
    names(function, mode=mode)
    if mode not in ("full", "same", "valid"):
        raise ArgumentError(
            f"{function}: mode must be 'full', 'same' or 'valid', got {shown(mode)}"
        )
    x, y = [array_of(v) for v in promote(function, in1, in2, inexact=True)]
    if x.ndim != y.ndim:
        raise ShapeError(
            f"{function}: the arrays must have as many axes, got shapes {x.shape} and {y.shape}"
        )
    if not x.size or not y.size:
        raise ShapeError(f"{function}: the arrays are empty, with shapes {x.shape} and {y.shape}")
    return x, y


def _matrices(
    function: str, in1: ArrayLike, in2: ArrayLike, mode: str, boundary: str, fillvalue: float
) -> tuple[Array, Array]:
    names(function, boundary=boundary)
    x, y = _pair(function, in1, in2, mode)
    if x.ndim != 2:
        raise ShapeError(f"{function}: the arrays must be matrices, got {x.shape} and {y.shape}")
    value: object = fillvalue
    if boundary != "fill" or not isinstance(value, (int, float)) or value != 0:
        raise UnsupportedError(
            f"{function}: only zeros around the arrays are supported, not boundary={shown(boundary)}, "
            f"fillvalue={shown(fillvalue)}",
            fix="pad the first array, and pass mode='valid'",
        )
    return x, y


def _full(x: Array, y: Array, precision: PrecisionLike) -> Array:
    """Return all that overlaps, by sums."""
    if not x.ndim:
        return multiply(x, y)
    kernel = flip(y)
    result = conv_general_dilated(
        ops.reshape(x, shape=(1, 1, *x.shape)),
        ops.reshape(kernel, shape=(1, 1, *y.shape)),
        (1,) * x.ndim,
        [(m - 1, m - 1) for m in y.shape],
        precision=precision,
    )
    return ops.reshape(result, shape=result.shape[2:])


def _cut(
    function: str,
    full: Array,
    first: tuple[int, ...],
    second: tuple[int, ...],
    mode: str,
    from_end: bool,
) -> Array:
    """Return the part of all that overlaps which a mode means; `from_end` rounds the centre up."""
    if mode == "full":
        return full
    if mode == "same":
        sizes = list(first)
        starts = [(n - m) // 2 for n, m in zip(full.shape, sizes, strict=True)]
        if from_end:
            starts = [n - m - s for n, m, s in zip(full.shape, sizes, starts, strict=True)]
    else:
        pairs = list(zip(first, second, strict=True))
        if not (all([n >= m for n, m in pairs]) or all([n <= m for n, m in pairs])):
            raise ShapeError(
                f"{function}: for 'valid' one array must lie within the other, got {first} and {second}"
            )
        sizes = [abs(n - m) + 1 for n, m in pairs]
        starts = [min(pair) - 1 for pair in pairs]
    limits = [s + n for s, n in zip(starts, sizes, strict=True)]
    return ops.slice(full, start=tuple(starts), limit=tuple(limits), strides=(1,) * full.ndim)

"""What stands at which place of a Fourier transform: frequencies, and shifts of their order."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_ir import ArgumentError, Array, DTypeError, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import integer
from treadle_numpy.indexing.positions import counting
from treadle_numpy.numpy.manipulation.rearranging import roll
from treadle_numpy.operands.axes import as_axes
from treadle_numpy.operands.broadcast import broadcast
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array
from treadle_numpy.operands.devices import Device, placed
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.promote import converted

__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq"]


@composed
def fftfreq(
    n: int, d: ArrayLike = 1.0, *, dtype: DTypeLike | None = None, device: Device = None
) -> Array:
    """Return the frequencies of the elements of a transform of length `n`, of samples `d` apart.

    0, 1, ..., (n - 1) // 2, then -(n // 2), ..., -1, divided by n d; of the default float type unless `dtype` is given.

    Raises:
        ArgumentError: n is not an integer, or negative.
        DTypeError: d is complex.

    Example:
        >>> print(fftfreq(4, d=0.5))
        [ 0.   0.5 -1.  -0.5]
    """
    size = _count("fftfreq", n)
    whole = counting((size,))
    k = ops.iota(shape=(size,), dimension=0, dtype=whole)
    positive = ops.compare(k, whole.type((size + 1) // 2), direction="lt")
    return _divided(
        "fftfreq",
        ops.select(positive, k, ops.subtract(k, whole.type(size))),
        size,
        d,
        dtype,
        device,
    )


@composed
def rfftfreq(
    n: int, d: ArrayLike = 1.0, *, dtype: DTypeLike | None = None, device: Device = None
) -> Array:
    """Return the frequencies of the elements of `rfft` of length `n`, of samples `d` apart: 0, 1, ..., n // 2, divided
    by n d.

    They are of the default float type unless `dtype` is given.

    Raises:
        ArgumentError: n is not an integer, or negative.
        DTypeError: d is complex.

    Example:
        >>> print(rfftfreq(4, d=0.5))
        [0.  0.5 1. ]
    """
    size = _count("rfftfreq", n)
    k = ops.iota(shape=(size // 2 + 1,), dimension=0, dtype=counting((size,)))
    return _divided("rfftfreq", k, size, d, dtype, device)


def _count(function: str, n: object) -> int:
    size = integer(function, "n", n)
    if size < 0:
        raise ArgumentError(f"{function}: n is {size}, but must not be negative")
    return size


def _divided(
    function: str,
    k: Array,
    n: int,
    d: ArrayLike,
    dtype: DTypeLike | None,
    device: Device,
) -> Array:
    """k / (n d) in an element type."""
    wanted = as_dtype(function, dtype)
    wanted = default_dtype(float) if wanted is None else wanted
    given = coerce(function, 1, d)
    if is_complex(given.dtype):
        raise DTypeError(f"{function}: d is complex, but samples are a real distance apart")
    spacing = converted(given, wanted)
    whole = ops.multiply(spacing, wanted.type(n))
    return placed(ops.divide(*broadcast(function, [ops.convert(k, dtype=wanted), whole])), device)


@composed
def fftshift(x: ArrayLike, axes: int | Sequence[int] | None = None) -> Array:
    """Return the element of frequency 0 moved to the middle of each axis (of all, by default).

    Raises:
        AxisError: there is no such axis.

    Example:
        >>> print(fftshift(fftfreq(4, d=0.25)))
        [-2. -1.  0.  1.]
    """
    return _shifted("fftshift", x, axes, 1)


@composed
def ifftshift(x: ArrayLike, axes: int | Sequence[int] | None = None) -> Array:
    """Return the inverse of `fftshift`, which differs from it along axes of odd size.

    Raises:
        AxisError: there is no such axis.

    Example:
        >>> import numpy as np
        >>> print(ifftshift(np.array([-2, -1, 0, 1, 2])))
        [ 0  1  2 -2 -1]
    """
    return _shifted("ifftshift", x, axes, -1)


def _shifted(function: str, x: ArrayLike, axes: int | Sequence[int] | None, sign: int) -> Array:
    array = coerce_array(function, 0, x)
    named = as_axes(function, axes, array.ndim)
    if not named:
        return array
    return roll(array, [sign * (array.shape[axis] // 2) for axis in named], named)

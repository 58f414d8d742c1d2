"""Fourier transforms along one axis."""

from __future__ import annotations

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.fft.in_pocketfft import of_real
from treadle_numpy.numpy.fft.transforms import along_one, as_norm, opposite
from treadle_numpy.numpy.ufuncs.parts import conjugate
from treadle_numpy.operands.coerce import ArrayLike, coerce_array

__all__ = ["fft", "hfft", "ifft", "ihfft", "irfft", "rfft"]


@composed(loops=True, host=of_real(forward=True, count=1))
def fft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """Return the discrete Fourier transform along an axis: element k is the sum over j of a_j exp(-2 pi i j k / n).

    `n` is the length: the axis is cut to it, or padded with zeros; by default the axis as it is. With `norm`
    "backward" the result is not scaled, with "ortho" it is divided by sqrt(n), with "forward" by n.

    The result is complex64 (complex128 for 64-bit operands), where NumPy's has the operand's precision likewise. An
    axis without elements has an empty transform, where NumPy raises.

    Raises:
        AxisError: there is no such axis.
        ArgumentError: n is less than 1, or there is no such norm.

    Example:
        >>> import numpy as np
        >>> print(fft(np.array([1.0, 0.0, -1.0, 0.0], np.float32)))
        [0.+0.j 2.+0.j 0.+0.j 2.+0.j]
    """
    return along_one("fft", "fft", a, n, axis, norm)


@composed(loops=True, host=of_real(forward=False, count=1))
def ifft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """Return the inverse of `fft`: element j is 1/n times the sum over k of a_k exp(2 pi i j k / n).

    `n` and `axis` are as for `fft`. With `norm` "backward" the sum is divided by n, with "ortho" by sqrt(n), with
    "forward" by nothing.

    Raises:
        AxisError: there is no such axis.
        ArgumentError: n is less than 1, or there is no such norm.

    Example:
        >>> import numpy as np
        >>> print(ifft(fft(np.array([1.0, 2.0, 4.0], np.float32))).real.round(5))
        [1. 2. 4.]
    """
    return along_one("ifft", "ifft", a, n, axis, norm)


@composed
def rfft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """Return the elements 0 to n // 2 of `fft` of real numbers; the others are their conjugates, mirrored.

    It takes half the time and the memory of `fft`. `n`, `axis` and `norm` are as for `fft`.

    Raises:
        DTypeError: the operand is complex.
        AxisError: there is no such axis.
        ArgumentError: n is less than 1, or there is no such norm.

    Example:
        >>> import numpy as np
        >>> print(rfft(np.array([1.0, 0.0, -1.0, 0.0], np.float32)))
        [0.+0.j 2.+0.j 0.+0.j]
    """
    return along_one("rfft", "rfft", a, n, axis, norm)


@composed
def irfft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """Return the inverse of `rfft`: the real numbers whose transform begins with these n // 2 + 1 elements.

    `n` is the length of the result, by default the even one, 2 (m - 1) for m elements: for an odd one, give it. The
    imaginary part of elements that are real in every such transform is not looked at. `norm` is as for `ifft`.

    Raises:
        AxisError: there is no such axis.
        ArgumentError: n is less than 1, or there is no such norm.

    Example:
        >>> import numpy as np
        >>> print(irfft(rfft(np.array([1.0, 2.0, 4.0], np.float32)), n=3).round(5))
        [1. 2. 4.]
    """
    return along_one("irfft", "irfft", a, n, axis, norm)


@composed
def hfft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """Return the transform of numbers that have the symmetry of `ihfft`, given by their first half; it is real.

    `n` is the length of the result, by default the even one, 2 (m - 1) for m elements. `norm` is as for `fft`.

    Raises:
        AxisError: there is no such axis.
        ArgumentError: n is less than 1, or there is no such norm.

    Example:
        >>> import numpy as np
        >>> print(hfft(np.array([1.0, 2.0, 3.0], np.float32)))
        [ 8. -2.  0. -2.]
    """
    x = conjugate(coerce_array("hfft", 0, a))
    return along_one("hfft", "irfft", x, n, axis, opposite(as_norm("hfft", norm)))


@composed
def ihfft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """Return the inverse of `hfft`: the first half of the inverse transform of real numbers.

    `n` and `axis` are as for `fft`, `norm` as for `ifft`.

    Raises:
        DTypeError: the operand is complex.
        AxisError: there is no such axis.
        ArgumentError: n is less than 1, or there is no such norm.

    Example:
        >>> import numpy as np
        >>> print(ihfft(np.array([8.0, -2.0, 0.0, -2.0], np.float32)).real)
        [1. 2. 3.]
    """
    return conjugate(along_one("ihfft", "rfft", a, n, axis, opposite(as_norm("ihfft", norm))))

"""Fourier transforms along several axes."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.fft.in_pocketfft import of_real
from treadle_numpy.numpy.fft.transforms import along_several
from treadle_numpy.operands.coerce import ArrayLike

__all__ = ["fft2", "fftn", "ifft2", "ifftn", "irfft2", "irfftn", "rfft2", "rfftn"]


@composed(loops=True, host=of_real(forward=True, count=None))
def fftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Array:
    """Return the discrete Fourier transform along several axes, by default all.

    `s` has the length of each axis, which is cut to it or padded with zeros; without `axes` these are the last ones, as
    many as there are lengths. `norm` is as for `fft`, with n the product of the lengths. Any number of axes are
    transformed; no axis may be named twice, which NumPy allows.

    Raises:
        AxisError: there is no such axis.
        ArgumentError: an axis is named twice; there are not as many lengths as axes, or one is less than 1; or there is
            no such norm.

    Example:
        >>> import numpy as np
        >>> print(fftn(np.eye(2, dtype=np.float32)))
        [[2.+0.j 0.+0.j]
         [0.+0.j 2.+0.j]]
    """
    return along_several("fftn", "fft", a, s, axes, norm)


@composed(loops=True, host=of_real(forward=False, count=None))
def ifftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Array:
    """Return the inverse of `fftn`.

    `s` and `axes` are as for `fftn`, `norm` as for `ifft`, with n the product of the lengths.

    Raises:
        AxisError: there is no such axis.
        ArgumentError: an axis is named twice; there are not as many lengths as axes, or one is less than 1; or there is
            no such norm.

    Example:
        >>> import numpy as np
        >>> print(ifftn(fftn(np.eye(2, dtype=np.float32))).real)
        [[1. 0.]
         [0. 1.]]
    """
    return along_several("ifftn", "ifft", a, s, axes, norm)


@composed
def rfftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Array:
    """Apply `fftn` to real numbers: along the last axis compute elements 0 to n // 2, which determine the others.

    `s`, `axes` and `norm` are as for `fftn`. There must be at least one axis.

    Raises:
        DTypeError: the operand is complex.
        AxisError: there is no such axis.
        ArgumentError: an axis is named twice; there are not as many lengths as axes, or one is less than 1; or there is
            no such norm.

    Example:
        >>> import numpy as np
        >>> print(rfftn(np.eye(3, dtype=np.float32)).shape)
        (3, 2)
    """
    return along_several("rfftn", "rfft", a, s, axes, norm)


@composed
def irfftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Array:
    """Return the inverse of `rfftn`.

    `s` has the lengths of the result; without it, the last one is even, 2 (m - 1) for m elements. `axes` is as for
    `fftn`, `norm` as for `ifft`. There must be at least one axis.

    Raises:
        AxisError: there is no such axis.
        ArgumentError: an axis is named twice; there are not as many lengths as axes, or one is less than 1; or there is
            no such norm.

    Example:
        >>> import numpy as np
        >>> print(irfftn(rfftn(np.eye(3, dtype=np.float32)), s=(3, 3)).round(5))
        [[1. 0. 0.]
         [0. 1. 0.]
         [0. 0. 1.]]
    """
    return along_several("irfftn", "irfft", a, s, axes, norm)


@composed(loops=True, host=of_real(forward=True, count=2))
def fft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Array:
    """Apply `fftn` along two axes, by default the last two.

    `s` and `norm` are as for `fftn`.

    Raises:
        AxisError: there is no such axis.
        ArgumentError: not two axes are named, or one twice; there are not two lengths, or one is less than 1; or
            there is no such norm.

    Example:
        >>> import numpy as np
        >>> print(fft2(np.ones((1, 2, 2), np.float32)).real)
        [[[4. 0.]
          [0. 0.]]]
    """
    return along_several("fft2", "fft", a, s, axes, norm, 2)


@composed(loops=True, host=of_real(forward=False, count=2))
def ifft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Array:
    """Return the inverse of `fft2`.

    `s` and `norm` are as for `ifftn`.

    Raises:
        AxisError: there is no such axis.
        ArgumentError: not two axes are named, or one twice; there are not two lengths, or one is less than 1; or
            there is no such norm.

    Example:
        >>> import numpy as np
        >>> print(ifft2(np.array([[4.0, 0.0], [0.0, 0.0]], np.float32)).real)
        [[1. 1.]
         [1. 1.]]
    """
    return along_several("ifft2", "ifft", a, s, axes, norm, 2)


@composed
def rfft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Array:
    """Apply `rfftn` along two axes, by default the last two.

    `s` and `norm` are as for `fftn`.

    Raises:
        DTypeError: the operand is complex.
        AxisError: there is no such axis.
        ArgumentError: not two axes are named, or one twice; there are not two lengths, or one is less than 1; or
            there is no such norm.

    Example:
        >>> import numpy as np
        >>> print(rfft2(np.ones((2, 4), np.float32)).real)
        [[8. 0. 0.]
         [0. 0. 0.]]
    """
    return along_several("rfft2", "rfft", a, s, axes, norm, 2)


@composed
def irfft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Array:
    """Return the inverse of `rfft2`.

    `s` has the lengths of the result; without it, the last one is even. `norm` is as for `ifft`.

    Raises:
        AxisError: there is no such axis.
        ArgumentError: not two axes are named, or one twice; there are not two lengths, or one is less than 1; or
            there is no such norm.

    Example:
        >>> import numpy as np
        >>> print(irfft2(rfft2(np.eye(2, dtype=np.float32))))
        [[1. 0.]
         [0. 1.]]
    """
    return along_several("irfft2", "irfft", a, s, axes, norm, 2)

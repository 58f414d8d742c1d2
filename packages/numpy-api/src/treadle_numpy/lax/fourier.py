"""Fourier transforms of the last axes."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Final

from treadle_ir import Array, ops
from treadle_ir.calling import composed
from treadle_ir.core import inexact_dtype
from treadle_ir.core.dtypes import complex_of
from treadle_ir.errors import integers, refused
from treadle_ir.primitives.fourier import FftKind
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.promote import converted

__all__ = ["FftType", "fft"]


class FftType(enum.IntEnum):
    """Which transform `fft` does: of complex numbers or of real ones, there or back.

    Example:
        >>> import numpy as np
        >>> print(fft(np.array([1.0, 0.0]), FftType.FFT, (2,)))
        [1.+0.j 1.+0.j]
    """

    FFT = 0
    IFFT = 1
    RFFT = 2
    IRFFT = 3


_KINDS: Final[dict[FftType, FftKind]] = {
    FftType.FFT: "fft",
    FftType.IFFT: "ifft",
    FftType.RFFT: "rfft",
    FftType.IRFFT: "irfft",
}


def fft(x: ArrayLike, fft_type: FftType | str, fft_lengths: Sequence[int]) -> Array:
    """Return the discrete Fourier transform of the last one to three axes, as many as there are lengths.

    `fft_type` is a member of `FftType` or its name. Nothing is padded or cut: the last axes must have these lengths; of
    the operand of "irfft", and of the result of "rfft", the last one has n // 2 + 1 elements. "ifft" and "irfft" divide
    by the product of the lengths. `treadle.numpy.fft` has axes, lengths and norms. No lengths change nothing.

    Raises:
        ArgumentError: there is no such transform.
        ShapeError: the lengths do not fit the last axes, or there are more than three.
        DTypeError: the operand of "rfft" is not f32 or f64.

    Example:
        >>> import numpy as np
        >>> print(fft(np.array([1.0, 0.0, -1.0, 0.0], np.float32), "rfft", (4,)))
        [0.+0.j 2.+0.j 0.+0.j]
    """
    return _transform(x, _kind(fft_type), integers("fft", "fft_lengths", fft_lengths))


@composed
def _transform(x: ArrayLike, kind: FftKind, lengths: tuple[int, ...]) -> Array:
    operand = coerce_array("fft", 0, x)
    if not lengths:
        return operand
    if kind != "rfft":
        operand = converted(operand, complex_of(inexact_dtype(operand.dtype)))
    return ops.fft(operand, kind=kind, lengths=lengths)


def _kind(fft_type: object) -> FftKind:
    if isinstance(fft_type, FftType):
        return _KINDS[fft_type]
    if isinstance(fft_type, str) and fft_type.upper() in FftType.__members__:
        return _KINDS[FftType[fft_type.upper()]]
    raise refused("fft", "fft_type", f"one of {', '.join(FftType.__members__)}", fft_type)

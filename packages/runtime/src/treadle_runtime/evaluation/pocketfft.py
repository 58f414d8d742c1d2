"""Fourier transforms of small arrays by pocketfft, through the extension module that `scipy.fft` wraps.

It accepts arrays with any strides, keeps their precision and transforms several axes in one call, which takes a
microsecond for a few elements; the functions of NumPy and SciPy around it take 4 to 16. The module is private to SciPy,
which calls it ducc from 1.18 on: if a release has neither name, there are no host kernels, and the reference kernels
are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from treadle_ir import ArrayType
from treadle_ir.errors import module_or_none
from treadle_ir.primitives.fourier import Fft
from treadle_runtime.evaluation.host_kernels import HostKernel, host_kernel_of

# Elements of an operand: on larger ones XLA's transform is faster, not counting its launch.
MOST: Final = 1 << 14
_BY_NOTHING: Final = 0  # the normalisation: results are divided by 1, or by the lengths of the axes
_BY_LENGTHS: Final = 2
_THREADS: Final = 1


@host_kernel_of(Fft)
def fft(primitive: Fft, operands: Sequence[ArrayType]) -> HostKernel | None:
    """`c2c`, `r2c` or `c2r`."""
    (x,) = operands
    pocketfft = _pocketfft()
    if pocketfft is None or not 0 < x.size <= MOST or 0 in primitive.lengths:
        return None
    axes = tuple([x.ndim + axis for axis in primitive.axes])
    if primitive.kind == "irfft":
        c2r, last = pocketfft.c2r, primitive.lengths[-1]
        return lambda x: c2r(x, axes, last, False, _BY_LENGTHS, None, _THREADS)
    if primitive.kind == "rfft":
        r2c = pocketfft.r2c
        return lambda x: r2c(x, axes, True, _BY_NOTHING, None, _THREADS)
    c2c, forward = pocketfft.c2c, primitive.kind == "fft"
    norm = _BY_NOTHING if forward else _BY_LENGTHS
    return lambda x: c2c(x, axes, forward, norm, None, _THREADS)


# Any: SciPy ships no types for it.
def _pocketfft() -> Any:
    return module_or_none("scipy.fft._duccfft.pyduccfft", "scipy.fft._pocketfft.pypocketfft")

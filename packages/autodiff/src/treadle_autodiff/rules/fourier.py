"""Derivatives of Fourier transforms, which are linear.

Linear functions of complex numbers are transposed with respect to Re(sum of ct y), without a conjugate. The matrix of
"fft", exp(-2 pi i j k / n), is symmetric, and so is the matrix of "ifft".

"rfft" keeps y_k = sum over j of x_j w^(j k) for k = 0 ... n // 2, with w = exp(-2 pi i / n), so
ct_x_j = Re(sum over these k of ct_k w^(j k)) = Re(sum of conj(ct_k) w^(-j k)). "irfft" computes 1/n times such a sum,
in which it counts every k twice but for those that are their own mirror image (k = 0, and k = n / 2 of an even n).
"irfft" is this the other way round: ct_X_k = (m_k / n) sum over j of ct_j w^(-j k), m_k = 1 for the mirror images of
themselves and 2 for the others; for real ct that sum is the conjugate of "rfft". Further axes change n only.
"""

from __future__ import annotations

import math

import numpy as np

from treadle_autodiff.registry import linear, unary_transpose_rule
from treadle_ir import ArrayType, Operand, ops, type_of
from treadle_ir.primitives.fourier import Fft

linear(Fft)


def _with_factors(z: Operand, length: int, own: float, other: float) -> Operand:
    """Half a spectrum, multiplied by `own` where an element is its own mirror image, elsewhere by `other`."""
    type = type_of(z)
    last = type.ndim - 1
    k = ops.iota(shape=(type.shape[last],), dtype=np.dtype(np.int32), dimension=0)
    twice = ops.and_(
        ops.compare(k, np.int32(0), direction="gt"),
        ops.compare(k, np.int32((length + 1) // 2), direction="lt"),
    )
    factors = ops.select(twice, type.dtype.type(other), type.dtype.type(own))
    factors = ops.broadcast_in_dim(factors, shape=type.shape, dimensions=(last,))
    return ops.multiply(z, factors)


@unary_transpose_rule(Fft)
def fft_transpose(primitive: Fft, ct: Operand, type: ArrayType, /) -> Operand:
    """The same transform; of "rfft" a weighted "irfft", and of "irfft" a weighted "rfft"."""
    kind, lengths = primitive.kind, primitive.lengths
    if kind in ("fft", "ifft"):
        return ops.fft(ct, kind=kind, lengths=lengths)
    if 0 in type.shape:
        return ops.broadcast_in_dim(type.dtype.type(0), shape=type.shape, dimensions=())
    n = math.prod(lengths)
    if kind == "rfft":
        weighted = _with_factors(ops.conjugate(ct), lengths[-1], n, n / 2)
        return ops.fft(weighted, kind="irfft", lengths=lengths)
    spectrum = ops.conjugate(ops.fft(ct, kind="rfft", lengths=lengths))
    return _with_factors(spectrum, lengths[-1], 1 / n, 2 / n)

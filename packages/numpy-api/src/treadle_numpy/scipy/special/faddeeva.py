"""The Faddeeva function."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np

from treadle_autodiff import custom_jvp
from treadle_ir import Array, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import converted, inexact_operand
from treadle_numpy.operands.scalars import literal, number, zero_like

__all__ = ["wofz"]

# The Fourier coefficients of exp(-t^2) (L^2 + t^2) with t = L tan(angle / 2).
_COEFFICIENTS: Final = (
    3.194064589395071,
    2.9304498956237564,
    2.537048487444691,
    2.070759971674292,
    1.5913084691178008,
    1.1492204645397783,
    0.7780624191484229,
    0.49225702391399073,
    0.2897998907960483,
    0.1578633044338048,
    0.07895589553470023,
    0.03586136998337672,
    0.014546837792237557,
    0.005125813548225864,
    0.0014864991251956356,
    0.0003078691364088662,
    1.7506316371146354e-05,
    -1.9054461618984307e-05,
    -9.475638240385133e-06,
    -1.944565778931926e-06,
    1.949433748332226e-07,
    2.6549492017089926e-07,
    6.927000635887189e-08,
    -6.386809951834911e-09,
    -9.596254752690327e-09,
    -2.0156599753747294e-09,
    5.775289765573929e-10,
    3.8794210668839534e-10,
    2.1621977623864713e-11,
    -4.38658826625544e-11,
    -1.193549432875935e-11,
    3.425425851841253e-12,
    2.2154904726186045e-12,
    -9.643276446430455e-14,
    -3.226848307383478e-13,
    -3.1939423743169587e-14,
    4.2343104696919383e-14,
    9.604840482711728e-15,
    -5.297944345174825e-15,
    -1.942664860638219e-15,
    6.554481018191845e-16,
    3.4839124551595324e-16,
    -8.30426154989282e-17,
    -5.980582306295593e-17,
    1.1239721046705055e-17,
    1.0143644768059784e-17,
    -1.7002414703874366e-18,
    -1.7229929424851937e-18,
)
_FEW: Final = 26  # of the coefficients: all others together are 2e-9
_SCALE: Final = math.sqrt(len(_COEFFICIENTS) / math.sqrt(2))  # L


@composed
def wofz(z: ArrayLike) -> Array:
    """Return the Faddeeva function, `exp(-z ** 2) * erfc(-1j * z)`, complex also for real `z` (complex64 for f16).

    Exact to 1e-13 of its modulus where the imaginary part of `z` is not negative (1e-6 in complex64).

    Source: J. Weideman, Computation of the complex error function, SIAM J. Numer. Anal. 31 (1994).

    Example:
        >>> print(f"{complex(wofz(1j)):.4f}")
        0.4276+0.0000j
    """
    operand = inexact_operand("wofz", z)
    if not is_complex(operand.dtype):
        if operand.dtype.itemsize < 4:
            operand = converted(operand, np.dtype(np.float32))
        operand = ops.complex(operand, zero_like(operand))
    result: Array = _wofz(operand)
    return result


@partial(custom_jvp, pure=True)
def _wofz(z: Operand) -> Array:
    below = ops.compare(ops.imag(z), zero_like(ops.imag(z)), direction="lt")
    upper = ops.select(below, ops.negate(z), z)
    mirrored = ops.subtract(literal(_SCALE, z), ops.multiply(literal(1j, z), upper))
    other = ops.add(literal(_SCALE, z), ops.multiply(literal(1j, z), upper))
    ratio = ops.divide(other, mirrored)
    coefficients = _COEFFICIENTS if z.dtype.itemsize > 8 else _COEFFICIENTS[:_FEW]
    series: Operand = literal(coefficients[-1], z)
    for c in reversed(coefficients[:-1]):
        series = ops.add(ops.multiply(series, ratio), literal(c, z))
    inverse = ops.divide(literal(1, z), mirrored)
    value = ops.multiply(
        inverse,
        ops.add(
            literal(1 / math.sqrt(math.pi), z),
            ops.multiply(literal(2, z), ops.multiply(series, inverse)),
        ),
    )
    modulus = ops.abs(z)
    endless = ops.compare(modulus, number(np.inf, modulus), direction="eq")
    value = ops.select(endless, zero_like(z), value)
    inner = ops.select(below, z, zero_like(z))
    grown = ops.multiply(literal(2, z), ops.exponential(ops.negate(ops.square(inner))))
    return ops.select(below, ops.subtract(grown, value), value)


@_wofz.defjvp
def _wofz_jvp(primals: Sequence[Operand], tangents: Sequence[Operand]) -> tuple[Operand, Operand]:
    (z,), (dz,) = primals, tangents
    value = _wofz(z)
    slope = ops.subtract(
        literal(2j / math.sqrt(math.pi), z), ops.multiply(literal(2, z), ops.multiply(z, value))
    )
    return value, ops.multiply(dz, slope)

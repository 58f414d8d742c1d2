"""Special functions of some elements at once, for types of 32 bits and less: digamma, Bessel functions.

A polynomial of some elements is a product of its coefficients and a matrix of powers, in three calls of NumPy: for ten
elements half of what Horner's rule takes on Python's floats, for sixty a fifth. Vectors are of float64; a function
returns None where elements are outside of what its formula is for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.polynomial.chebyshev import cheb2poly

from treadle_ir.formulas.bessel_series import I0_NEAR, I1_NEAR
from treadle_ir.primitive import Primitive
from treadle_ir.primitives import elementwise as e
from treadle_ir.reference.registry import Elements
from treadle_ir.types import ArrayType

_F64: Final = np.dtype(np.float64)
LEAST: Final = 4  # elements: fewer are computed one by one
_CUT: Final = 1e-11  # of the greatest coefficient: far below the rounding of float32
Vector = Callable[[Elements], "Elements | None"]


def without_last_digits(series: Sequence[float]) -> list[float]:
    """A Chebyshev series without the coefficients that float32 does not see, as those of a polynomial."""
    least = _CUT * max(map(abs, series))
    coefficients: list[float] = cheb2poly([c for c in series if abs(c) > least]).tolist()
    return coefficients


def polynomial(coefficients: Sequence[float]) -> Callable[[Elements], Elements]:
    """The polynomial with these coefficients, lowest first, of each element of a vector."""
    first, rest = np.array(coefficients[0]), np.array(coefficients[1:])
    degree, empty, accumulate = rest.size, np.empty, np.multiply.accumulate

    def of_vector(x: Elements) -> Elements:
        powers = empty((degree, x.size))
        powers[...] = x
        accumulate(powers, 0, None, powers)
        value: Elements = rest.dot(powers)
        value += first
        return value

    return of_vector


_I0: Final = polynomial(without_last_digits(I0_NEAR))
_I1: Final = polynomial(without_last_digits(I1_NEAR))
# The asymptotic series of digamma from 16 on, in 1 / x^2.
_DIGAMMA: Final = polynomial((0.0, -1 / 12, 1 / 120, -1 / 252, 1 / 240))
_SHIFT: Final = np.arange(16.0)
# Numbers as arrays: NumPy takes as long again to make one of a Python number.
ONE: Final = np.array(1.0)
_HALF: Final = np.array(0.5)
_QUARTER: Final = np.array(0.25)
_FAR: Final = np.array(16.0)
_ONES: Final = np.ones(16)
_NEAR_ZERO: Final = 1e-6  # below, some units of 1e-15 would count


def digamma_of_positive(x: Elements) -> Elements:
    """The derivative of lgamma; its error is some units in the last place of 1, also where it is small.

    Source: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 6.3.6 (recurrence), 6.3.18 (asymptotic
        series).
    """
    far = x + _FAR
    inverse = ONE / far
    value: Elements = np.log(far) - _HALF * inverse + _DIGAMMA(inverse * inverse)
    value -= (ONE / (x[:, None] + _SHIFT)).dot(_ONES)
    return value


def digamma(x: Elements) -> Elements | None:
    """The derivative of lgamma of positive numbers that are not near its zero."""
    if not x[x.argmin()] > 0.0:
        return None
    value = digamma_of_positive(x)
    return value if abs(value[abs(value).argmin()]) > _NEAR_ZERO else None


def bessel_i0e(x: Elements) -> Elements | None:
    """`exp(-|x|) I0(x)` for |x| <= 8."""
    magnitude = abs(x)
    return _I0(magnitude * _QUARTER - ONE) if magnitude[magnitude.argmax()] <= 8.0 else None


def bessel_i1e(x: Elements) -> Elements | None:
    """`exp(-|x|) I1(x)` for |x| <= 8."""
    magnitude = abs(x)
    return x * _I1(magnitude * _QUARTER - ONE) if magnitude[magnitude.argmax()] <= 8.0 else None


VECTORS: Final[Mapping[type[Primitive], Vector]] = {
    e.BesselI0e: bessel_i0e,
    e.BesselI1e: bessel_i1e,
    e.Digamma: digamma,
}


def of_vector(primitive: type[Primitive], x: Elements) -> Elements | None:
    """The function of a vector that is not too short, if there is one for its elements."""
    function = VECTORS.get(primitive)
    return None if function is None or x.size < LEAST else function(x)


def vector_kernel(
    primitive: type[Primitive], result: ArrayType, each: Callable[[Elements], Elements]
) -> Callable[..., Elements]:
    """The function of a vector for results of a type; `each` where there is none, and for elements that it leaves."""
    function, dtype = VECTORS.get(primitive), result.dtype
    if function is None or result.size < LEAST:
        return each

    def at_once(x: Elements) -> Elements:
        found = function(x.astype(_F64))
        return each(x) if found is None else found.astype(dtype)

    return at_once

"""Special functions of a few elements on Python's floats, for types of 32 bits and less; here Bessel and gamma.

The formulas of `treadle_ir.formulas` take 0.3 to 5 ms in NumPy, however few the elements are: each step of a series is
some calls for both sides of every `where`. An element alone takes one side and stops when its own series has ended.
Computed in float64 and rounded to 32 bits, what is left of the error is the last rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from treadle_ir.formulas.bessel_series import I0_FAR, I0_NEAR, I1_FAR, I1_NEAR
from treadle_ir.primitive import Primitive
from treadle_ir.primitives import elementwise as e
from treadle_ir.reference import few_integrals, few_waves
from treadle_ir.reference.few import MOST, chebyshev
from treadle_ir.reference.few_series import SERIES
from treadle_ir.reference.few_vectors import of_vector, vector_kernel
from treadle_ir.reference.registry import Elements, eval_rules
from treadle_ir.types import ArrayType

_TINY: Final = 1e-300
_ENOUGH: Final = 1e-13
Kernel = Callable[..., Elements]
Scalar = Callable[..., float | None]  # None where only the formula is exact enough


_I0: Final = chebyshev(I0_NEAR), chebyshev(I0_FAR)
_I1: Final = chebyshev(I1_NEAR), chebyshev(I1_FAR)
Series = Callable[[float], float]


def _by_parts(magnitude: float, near: Series, far: Series) -> float:
    if magnitude <= 8.0:
        return near(magnitude * 0.25 - 1.0)
    return far(16.0 / magnitude - 1.0) / math.sqrt(magnitude)


def bessel_i0e(x: float) -> float:
    """`exp(-|x|) I0(x)`."""
    return _by_parts(abs(x), *_I0) if x == x else x


def bessel_i1e(x: float) -> float:
    """`exp(-|x|) I1(x)`."""
    if x != x or x == 0.0:
        return x
    magnitude = abs(x)
    value = _by_parts(magnitude, *_I1)
    return math.copysign(value if magnitude > 8.0 else magnitude * value, x)


def _part(a: float, x: float) -> tuple[float, bool]:
    """One of both incomplete gamma functions, and whether it is the lower one.

    Source: DLMF 8.11.4 for the series, 8.9.2 for the continued fraction; W. Lentz, Applied Optics 15 (1976).
    """
    density = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1.0:
        term = total = 1.0 / a
        n = a
        while term > 1e-17 * total:  # the other function may be what is left of 1
            n += 1.0
            term *= x / n
            total += term
        return density * total, True
    b = x + 1.0 - a
    c = 1.0 / _TINY
    d = h = 1.0 / b
    k = 1.0
    while True:
        numerator = -k * (k - a)
        b += 2.0
        d = 1.0 / (numerator * d + b or _TINY)
        c = b + numerator / c or _TINY
        change = c * d
        h *= change
        if abs(change - 1.0) <= _ENOUGH:
            return density * h, False
        k += 1.0


def _inside(a: float, x: float) -> bool:
    """Where nothing cancels but what float64 has to spare beside 32 bits, and series are short."""
    return 1e-4 <= a <= 1e3 and 1e-30 <= x <= 1e4


def igamma(a: float, x: float) -> float | None:
    """The lower incomplete gamma function over Gamma(a)."""
    if not _inside(a, x):
        return None
    value, lower = _part(a, x)
    return value if lower else 1.0 - value


def igammac(a: float, x: float) -> float | None:
    """The upper incomplete gamma function over Gamma(a)."""
    if not _inside(a, x):
        return None
    value, lower = _part(a, x)
    return 1.0 - value if lower else value


SCALARS: Final[Mapping[type[Primitive], Scalar]] = {
    e.BesselI0e: bessel_i0e,
    e.BesselI1e: bessel_i1e,
    e.CosineIntegral: few_waves.cosine_integral,
    e.Expi: few_integrals.expi,
    e.Expn: few_integrals.expn,
    e.Igamma: igamma,
    e.IgammaGradA: few_integrals.igamma_grad_a,
    e.Igammac: igammac,
    e.Polygamma: few_integrals.polygamma,
    e.RegularizedIncompleteBeta: few_integrals.betainc,
    e.SineIntegral: few_waves.sine_integral,
    e.Zeta: few_integrals.zeta,
}


def of_few(primitive: Primitive, operands: Sequence[Elements]) -> Elements | None:
    """The function of a few elements of 32 bits or less; None where the formula has to compute it."""
    scalar, series = SCALARS.get(type(primitive)), SERIES.get(type(primitive))
    first = operands[0]
    if len(operands) > 1:  # numbers beside arrays
        operands = np.broadcast_arrays(*operands)
        first = operands[0]
    flat = [x.astype(np.float64).ravel() for x in operands]
    if series is not None:
        found = series(*flat)
        if found is not None:
            return found.astype(first.dtype).reshape(first.shape)
    if len(flat) == 1:
        found = of_vector(type(primitive), flat[0])
        if found is not None:
            return found.astype(first.dtype).reshape(first.shape)
    if scalar is None:
        return None
    numbers = list(map(scalar, *[x.tolist() for x in flat]))
    if None in numbers:
        return None
    return np.array(numbers, np.float64).astype(first.dtype).reshape(first.shape)


def kernel_of(
    primitive: Primitive, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel | None:
    """The function of few elements of 32 bits or less; None if the rule has to compute it."""
    scalar, series = SCALARS.get(type(primitive)), SERIES.get(type(primitive))
    shape, dtype = result.shape, result.dtype
    if scalar is series is None or dtype.itemsize > 4 or not 0 < result.size <= MOST:
        return None
    array, wide, rule = np.array, np.dtype(np.float64), eval_rules.get(type(primitive))
    assert rule is not None, "every formula has a rule"
    vectors = len(shape) == 1 and all([x.shape == shape and x.dtype == dtype for x in operands])
    if dtype.char != "f" or not vectors:

        def of_any_shape(*operands: Elements) -> Elements:
            found = of_few(primitive, operands)
            return rule(primitive, *operands)[0] if found is None else found

        return of_any_shape
    if scalar is None or series is not None:
        assert series is not None

        def summed(*operands: Elements) -> Elements:
            found = series(*[x.astype(wide) for x in operands])
            return found.astype(dtype) if found is not None else rule(primitive, *operands)[0]

        return summed

    def each(*operands: Elements) -> Elements:
        numbers = list(map(scalar, *[x.tolist() for x in operands]))
        return array(numbers, dtype) if None not in numbers else rule(primitive, *operands)[0]

    return vector_kernel(type(primitive), result, each)

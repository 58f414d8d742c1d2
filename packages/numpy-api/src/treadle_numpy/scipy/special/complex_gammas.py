"""The logarithm of the gamma function in the complex plane."""

from __future__ import annotations

import math
from typing import Final

from treadle_ir import Array, Operand, ops
from treadle_numpy.numpy.ufuncs.signs import signbit
from treadle_numpy.operands.scalars import literal
from treadle_numpy.scipy.special.stirling import FAR, stirling_series

_STEPS: Final = FAR  # to the right


def complex_loggamma(z: Operand) -> Array:
    """Return the analytic logarithm of the gamma function: real for z > 0, with a cut along the negative numbers.

    To the right of 1/2 it is Stirling's series at z + 8, less the logarithms of z, z + 1, ..., z + 7. To the left it is
    reflected: log(gamma(z)) = log(pi) - log(sin(pi z)) - log(gamma(1 - z)), with the logarithm of the sine that is
    analytic in the upper half of the plane. The lower half mirrors the upper one.

    Source: D. Hare, "Computing the principal branch of log-Gamma", J. Algorithms 25 (1997).
    """
    below = signbit(ops.imag(z))
    upper = ops.select(below, _conjugate(z), z)
    left = ops.compare(ops.real(upper), literal(0.5, ops.real(upper)), direction="lt")
    one = literal(1, z)
    right = _stirling(ops.select(left, ops.subtract(one, upper), upper))
    # where the reflection is not taken, its derivative is to be finite
    sine = _log_of_sine(ops.select(left, upper, literal(0.5, z)))
    reflected = ops.subtract(literal(math.log(math.pi), z), ops.add(sine, right))
    value = ops.select(left, reflected, right)
    return ops.select(below, _conjugate(value), value)


def _conjugate(z: Operand) -> Operand:
    return ops.complex(ops.real(z), ops.negate(ops.imag(z)))


def _stirling(z: Operand) -> Array:
    """For real parts of 1/2 and more."""
    far = ops.add(z, literal(_STEPS, z))
    inverse = ops.divide(literal(1, z), far)
    value = ops.subtract(
        ops.multiply(ops.subtract(z, literal(0.5, z)), ops.log(far)),
        ops.subtract(far, literal(0.5 * math.log(2 * math.pi), z)),
    )
    value = ops.add(value, stirling_series(inverse))
    # the logarithms of (z + k) / (z + 8), of two at once, whose angles together are less than pi
    ratios = [ops.multiply(ops.add(z, literal(k, z)), inverse) for k in range(_STEPS)]
    for one, other in zip(ratios[::2], ratios[1::2], strict=True):
        value = ops.subtract(value, ops.log(ops.multiply(one, other)))
    return value


def _log_of_sine(z: Operand) -> Array:
    """Return the logarithm of sin(pi z) that is analytic where the imaginary part is not negative, and real at 1/2.

    It is `-i pi z + log(1 - exp(2 i pi z)) + i pi / 2 - log(2)`.
    """
    x, y = ops.real(z), ops.imag(z)
    near = ops.subtract(x, ops.round_nearest_even(x))
    angle = ops.multiply(literal(2 * math.pi, x), near)
    decay = ops.multiply(literal(-2 * math.pi, y), y)
    # 1 - exp(decay + i angle), without loss of digits near 0
    half = ops.sine(ops.multiply(literal(0.5, angle), angle))
    shrunk = ops.exponential(decay)
    real = ops.subtract(
        ops.multiply(literal(2, x), ops.multiply(shrunk, ops.square(half))),
        ops.exponential_minus_one(decay),
    )
    imaginary = ops.negate(ops.multiply(shrunk, ops.sine(angle)))
    rest = ops.log(ops.complex(real, imaginary))
    pi = literal(math.pi, x)
    return ops.complex(
        ops.add(ops.multiply(pi, y), ops.subtract(ops.real(rest), literal(math.log(2), x))),
        ops.subtract(ops.add(ops.imag(rest), literal(math.pi / 2, x)), ops.multiply(pi, x)),
    )

"""Logarithms to the bases 2 and 10, which are integers for powers of the base."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Final

from treadle_autodiff import custom_jvp
from treadle_ir import Array, Operand, ops
from treadle_ir.core.dtypes import is_complex
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.dtypes import F32, FORMATS, Format
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.scalars import number

_EXPONENT: Final = 12  # bits of the exponents of all of them, with a sign
# The logarithm of 2 to base 10, and what it lacks.
_TWO: Final = (math.log10(2.0), -2.8037281277851704e-18)


def logarithm(base: int, x: Operand) -> Array:
    """Return the logarithm of floats or complex numbers to base 2 or 10, no longer weak; 16 bits are computed in 32."""
    if is_complex(x.dtype):
        # Part by part: a quotient of complex numbers has NaN for the argument of an infinite one.
        natural = ops.log(converted(x, x.dtype))
        return ops.complex(_by(ops.real(natural), base), _by(ops.imag(natural), base))
    wide = x.dtype if x.dtype in FORMATS else F32
    result: Array = _of_floats(base, array_of(converted(x, wide)))
    return converted(result, x.dtype)


def _by(x: Array, base: int) -> Array:
    return ops.divide(x, number(math.log(base), x))


@partial(custom_jvp, nondiff_argnums=(0,), pure=True)
def _of_floats(base: int, x: Array) -> Array:
    """x is 2**e m, with m between the roots of a half and of two: the result is e log(2) + log(m), all to the base.

    e times the first bits of log(2) is exact, and what is added to it is small, so that only the last sum rounds what
    comes out whole. What is not a normal number counts as m.
    """
    form = FORMATS[x.dtype]
    whole = form.bits.type
    least, infinity = 1 << form.stored, (2 * form.bias + 1) << form.stored  # as bits
    bits = ops.bitcast_convert(x, dtype=form.bits)
    normal = ops.and_(
        ops.compare(bits, whole(least), direction="ge"),
        ops.compare(bits, whole(infinity), direction="lt"),
    )
    root = x.dtype.type(math.sqrt(0.5)).view(form.bits)
    exponent = ops.shift_right_arithmetic(ops.subtract(bits, root), whole(form.stored))
    exponent = ops.select(normal, exponent, whole(0))
    of_mantissa = ops.subtract(bits, ops.shift_left(exponent, whole(form.stored)))
    rest = _by(ops.log(ops.bitcast_convert(of_mantissa, dtype=x.dtype)), base)
    exponent = ops.convert(exponent, dtype=x.dtype)
    if base == 2:
        return ops.add(exponent, rest)
    first, last = [number(part, x) for part in _two(form)]
    rest = ops.add(ops.multiply(exponent, last), rest)
    return ops.add(ops.multiply(exponent, first), rest)


def _two(form: Format) -> tuple[float, float]:
    """Return log10(2) in two parts: its first bits, as many as leave room for the bits of an exponent, and the rest."""
    unit = 2.0 ** (form.stored - _EXPONENT)
    first = round(_TWO[0] * unit) / unit
    return first, (_TWO[0] - first) + _TWO[1]


@_of_floats.defjvp
def _of_floats_jvp(
    base: int, primals: Sequence[Array], tangents: Sequence[Array]
) -> tuple[Array, Array]:
    return _of_floats(base, *primals), _by(ops.divide(tangents[0], primals[0]), base)

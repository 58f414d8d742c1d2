"""NumPy kernels of elementwise operations.

An operation whose row names a function of NumPy's is that function. NumPy and ml_dtypes compute f16, bf16 and f8
functions in f32 and round once; operations of several steps do so by `through`. NumPy widens integers of less than a
byte, so integer kernels convert back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import BY_NAME, DType, bit_width, is_narrow_integer, is_unsigned
from treadle_ir.core.primitive import Primitive
from treadle_ir.primitives import elementwise as e
from treadle_ir.reference.bits import as_type, signed, unsigned
from treadle_ir.reference.registry import Elements, eval_rule, eval_rules
from treadle_ir.reference.special import functions

Kernel: TypeAlias = Callable[..., Elements]
F32: Final = BY_NAME["f32"]
F64: Final = BY_NAME["f64"]
_WIDE: Final = frozenset(BY_NAME[name] for name in ("f32", "f64", "c64", "c128"))
_COMMON: Final = "fdFD"  # NumPy's letters of f32, f64, c64 and c128, for the shortest test

# Functions that NumPy lacks, on float64.
_SPECIAL: Final[dict[type[Primitive], Kernel]] = {
    e.Digamma: functions.digamma,
    e.Erf: functions.erf,
    e.ErfInv: functions.erf_inv,
    e.Erfc: functions.erfc,
    e.Lgamma: functions.lgamma,
}


def _one_function(primitive: type[Primitive], function: Kernel) -> None:
    # By number of operands: unpacking a tuple of arguments would cost half of what np.add does.
    def unary(primitive: Primitive, x: Elements, /) -> tuple[Elements]:
        return (function(x),)

    def binary(primitive: Primitive, x: Elements, y: Elements, /) -> tuple[Elements]:
        return (function(x, y),)

    eval_rules.register(primitive, binary if issubclass(primitive, e.Binary) else unary)


def _narrowing(primitive: type[Primitive], function: Kernel) -> None:
    def rule(primitive: Primitive, /, *operands: Elements) -> list[Elements]:
        result = function(*operands)
        dtype = operands[0].dtype
        return [result if result.dtype == dtype else result.astype(dtype)]

    eval_rules.register(primitive, rule)


def _special(primitive: type[Primitive], function: Kernel) -> None:
    def rule(primitive: Primitive, x: Elements, /) -> list[Elements]:
        return [function(x.astype(F64)).astype(x.dtype, copy=False)]

    eval_rules.register(primitive, rule)


for _kind, _row in e.OPERATIONS.items():
    if _row.numpy is not None:
        (_narrowing if _row.widens else _one_function)(_kind, _row.numpy)
for _primitive, _function in _SPECIAL.items():
    _special(_primitive, _function)


def through(function: Kernel, *operands: Elements) -> Elements:
    """Apply a function of several steps to floats, in f32 if they are narrower, and round once at the end."""
    dtype = operands[0].dtype
    if dtype in _WIDE:
        return function(*operands)
    return function(*[x.astype(F32) for x in operands]).astype(dtype)


@eval_rule(e.Abs)
def abs_eval(primitive: e.Abs, x: Elements) -> list[Elements]:
    """Compute NumPy's absolute value, which wraps around at the least integer."""
    y = np.abs(x)
    return [as_type(y, x.dtype) if is_narrow_integer(x.dtype) else y]


@eval_rule(e.Real)
def real_eval(primitive: e.Real, x: Elements) -> list[Elements]:
    """Return a view."""
    return [x.real]


@eval_rule(e.Imag)
def imag_eval(primitive: e.Imag, x: Elements) -> list[Elements]:
    """Return a view."""
    return [x.imag]


@eval_rule(e.Complex)
def complex_eval(primitive: e.Complex, x: Elements, y: Elements) -> list[Elements]:
    """Part by part: `x + 1j * y` would turn an infinite y into a NaN."""
    result = np.empty(np.broadcast_shapes(x.shape, y.shape), dtypes.complex_of(x.dtype))
    result.real = x
    result.imag = y
    return [result]


@eval_rule(e.Sign)
def sign_eval(primitive: e.Sign, x: Elements) -> list[Elements]:
    """NumPy's of integers. Of floats it loses the sign of -0; of complex numbers it makes units of infinities."""
    if dtypes.is_complex(x.dtype):
        size = np.abs(x)
        unit = complex_eval(e.Complex(), x.real / size, x.imag / size)[0]
        return [np.where(size == 0, x, unit)]
    result = np.sign(x)
    if dtypes.is_floating(x.dtype):
        return [np.copysign(result, x)]
    return [result if result.dtype == x.dtype else result.astype(x.dtype)]


@eval_rule(e.LogPlusOne)
def log_plus_one_eval(primitive: e.LogPlusOne, x: Elements) -> list[Elements]:
    """Compute NumPy's function for reals; its complex version cancels near 0.

    log|1 + z| = log1p(a (a + 2) + b^2) / 2 for z = a + bi; in float64, where c64 is exact.
    """
    if not dtypes.is_complex(x.dtype):
        return [np.log1p(x)]
    a, b = x.real.astype(F64), x.imag.astype(F64)
    near = 0.5 * np.log1p(a * (a + 2) + b * b)
    far = np.log(np.hypot(1 + a, b))
    modulus = np.where((np.abs(a) < 0.5) & (np.abs(b) < 0.5), near, far)
    result = np.empty(x.shape, BY_NAME["c128"])
    result.real = modulus
    result.imag = np.arctan2(b, 1 + a)
    return [result.astype(x.dtype)]


@eval_rule(e.ExponentialMinusOne)
def exponential_minus_one_eval(primitive: e.ExponentialMinusOne, x: Elements) -> list[Elements]:
    """NumPy's; of complex numbers with the special cases of C99 (Annex G, as of the exponential), which it lacks."""
    return [expm1_of_complex(x) if x.dtype.kind == "c" else np.expm1(x)]


def expm1_of_complex(x: Elements) -> Elements:
    """NumPy's, but real where x is, of infinities with an angle or without one, and +0 at -0."""
    y: Elements = np.expm1(x)
    a, b = x.real, x.imag
    known = np.isfinite(x) & (b != 0)
    if known.all():
        return y
    beyond = np.isinf(a) & ~np.isfinite(b)
    none = beyond & (a < 0)
    re = np.where(beyond, np.where(none, a.dtype.type(-1), a), y.real) + a.dtype.type(0)
    im = np.where(b == 0, b, np.where(none, a.dtype.type(0), y.imag))
    return complex_eval(e.Complex(), re, im)[0]


@eval_rule(e.Tanh)
def tanh_eval(primitive: e.Tanh, x: Elements) -> list[Elements]:
    """Compute NumPy's tanh; a zero imaginary part of a complex result has the sign of x's, as in the array API."""
    return [tanh_of_complex(x) if x.dtype.kind == "c" else np.tanh(x)]


def tanh_of_complex(x: Elements) -> Elements:
    """Compute NumPy's tanh, but the zero in `tanh(inf + bj)` has the sign of b here, and of sin(2b) in C99."""
    y: Elements = np.tanh(x)
    infinite = np.isinf(x.real)
    if not infinite.any():
        return y
    zero = np.copysign(x.imag.dtype.type(0), x.imag)
    return complex_eval(e.Complex(), y.real, np.where(infinite, zero, y.imag))[0]


def tan_of_complex(x: Elements) -> Elements:
    """Return `-i tanh(ix)`, as NumPy's, but for `tan(a + inf j)`: a zero with the sign of a."""
    y: Elements = np.tan(x)
    infinite = np.isinf(x.imag)
    if not infinite.any():
        return y
    zero = np.copysign(x.real.dtype.type(0), x.real)
    return complex_eval(e.Complex(), np.where(infinite, zero, y.real), y.imag)[0]


@eval_rule(e.Tan)
def tan_eval(primitive: e.Tan, x: Elements) -> list[Elements]:
    """Compute NumPy's tan; a zero real part of a complex result has the sign of x's, as in the array API."""
    return [tan_of_complex(x) if x.dtype.kind == "c" else np.tan(x)]


@eval_rule(e.Logistic)
def logistic_eval(primitive: e.Logistic, x: Elements) -> list[Elements]:
    """With an exponential that cannot overflow: subnormal results are not lost, complex results are not NaN."""
    if x.dtype.kind != "c":
        return [through(logistic, x)]
    one = np.int8(1)  # yields to every floating type
    negative = x.real < 0
    power = np.exp(np.where(negative, x, -x))
    return [np.where(negative, power, one) / (one + power)]


def logistic(x: Elements) -> Elements:
    """`exp(x) / (1 + exp(x))` below 0 and `1 / (1 + exp(-x))` above; an exponential costs less than a `where`."""
    one = np.int8(1)  # yields to every floating type
    result: Elements = np.exp(np.minimum(x, np.int8(0))) / (
        one + np.exp(np.copysign(x, np.int8(-1)))
    )
    return result


@eval_rule(e.Rsqrt)
def rsqrt_eval(primitive: e.Rsqrt, x: Elements) -> list[Elements]:
    """Return one over the root."""
    return [through(lambda x: inverse(np.sqrt(x)), x)]


def inverse(x: Elements) -> Elements:
    """Return 1 / x, and 0 for complex infinities: NumPy returns NaN if both parts are infinite."""
    quotient: Elements = np.int8(1) / x
    return np.where(np.isinf(x), x.dtype.type(0), quotient) if x.dtype.kind == "c" else quotient


@eval_rule(e.RoundNearestAfz)
def round_nearest_afz_eval(primitive: e.RoundNearestAfz, x: Elements) -> list[Elements]:
    """Truncate after adding the greatest number below one half: one half itself would round 0.49999997 up."""

    def rounded(x: Elements) -> Elements:
        half = np.copysign(np.nextafter(x.dtype.type(0.5), x.dtype.type(0)), x)
        result: Elements = np.trunc(x + half)
        return result

    return [through(rounded, x)]


@eval_rule(e.Popcnt)
def popcnt_eval(primitive: e.Popcnt, x: Elements) -> list[Elements]:
    """Count the ones of the unsigned bits: NumPy counts the bits of the absolute value."""
    return [as_type(np.bitwise_count(unsigned(x)), x.dtype)]


@eval_rule(e.CountLeadingZeros)
def count_leading_zeros_eval(primitive: e.CountLeadingZeros, x: Elements) -> list[Elements]:
    """Spread the highest one bit over all below it, then count the ones.

    Source: H. Warren, Hacker's Delight, section 5-3.
    """
    bits = unsigned(x)
    shift = 1
    while shift < bit_width(x.dtype):
        bits = bits | (bits >> bits.dtype.type(shift))
        shift *= 2
    ones = np.bitwise_count(bits).astype(np.uint8)
    return [as_type(np.uint8(bit_width(x.dtype)) - ones, x.dtype)]


def _native(x: Elements) -> Elements:
    # An integer of less than a byte in a whole one; other integers as they are.
    if not is_narrow_integer(x.dtype):
        return x
    return x.astype(np.uint8 if is_unsigned(x.dtype) else np.int8)


def integer_quotient(x: Elements, y: Elements) -> Elements:
    """Divide toward zero: x - fmod(x, y) is a multiple of y, so flooring is exact; x / 0 is all ones, as in XLA."""
    if np.count_nonzero(y) == y.size:
        exact: Elements = (x - np.fmod(x, y)) // y
        return exact
    zero = y == 0
    safe = np.where(zero, y.dtype.type(1), y)
    quotient = (x - np.fmod(x, safe)) // safe
    return np.where(zero, ~y.dtype.type(0), quotient)


@eval_rule(e.Divide)
def divide_eval(primitive: e.Divide, x: Elements, y: Elements) -> list[Elements]:
    """Divide floats as NumPy does, integers toward zero with x / 0 = -1 and least / -1 = least."""
    if x.dtype.char not in _COMMON and dtypes.is_integer(x.dtype):
        return [as_type(integer_quotient(_native(x), _native(y)), x.dtype)]
    return [np.divide(x, y)]


@eval_rule(e.Remainder)
def remainder_eval(primitive: e.Remainder, x: Elements, y: Elements) -> list[Elements]:
    """Return the remainder with the sign of x; for integers x % 0 = x."""
    if dtypes.is_integer(x.dtype):
        a, b = _native(x), _native(y)
        if np.count_nonzero(b) == b.size:
            return [as_type(np.fmod(a, b), x.dtype)]
        zero = b == 0
        return [as_type(np.where(zero, a, np.fmod(a, np.where(zero, b.dtype.type(1), b))), x.dtype)]
    return [np.fmod(x, y)]


@eval_rule(e.GreatestCommonDivisor)
def greatest_common_divisor_eval(
    primitive: e.GreatestCommonDivisor, x: Elements, y: Elements
) -> list[Elements]:
    """Apply NumPy's function."""
    return [as_type(np.asarray(np.gcd(_native(x), _native(y))), x.dtype)]


@eval_rule(e.Power)
def power_eval(primitive: e.Power, x: Elements, y: Elements) -> list[Elements]:
    """Compute powers of floats as NumPy does; integers wrap around.

    With a negative integer exponent 1 and -1 keep their power and all others, 0 too, give 0, as XLA has it.
    """
    if not dtypes.is_integer(x.dtype):
        return [np.power(x, y)]
    base, exponent = _native(x), _native(y)
    zero = exponent.dtype.type(0)
    if dtypes.is_unsigned(x.dtype) or not exponent.size or exponent.min() >= zero:
        return [as_type(np.power(base, exponent), x.dtype)]
    powers = np.power(base, np.maximum(exponent, zero))
    odd = (exponent & 1).astype(np.bool_)
    inverse = integer_quotient(np.ones_like(powers), np.where(odd, base, np.abs(base)))
    inverse = np.where(base == zero, zero, inverse)
    return [as_type(np.where(exponent < zero, inverse, powers), x.dtype)]


@eval_rule(e.IntegerPower)
def integer_power_eval(primitive: e.IntegerPower, x: Elements) -> list[Elements]:
    """Repeated squaring; a negative exponent inverts at the end."""

    def power(x: Elements) -> Elements:
        n = abs(primitive.exponent)
        result: Elements | None = None
        square = x
        while n:
            if n & 1:
                result = square if result is None else result * square
            n >>= 1
            if n:
                square = square * square
        if result is None:
            return np.ones_like(x)
        return inverse(result) if primitive.exponent < 0 else result

    if dtypes.is_integer(x.dtype):
        return [as_type(power(_native(x)), x.dtype)]
    return [through(power, x)]


@eval_rule(e.ShiftLeft)
def shift_left_eval(primitive: e.ShiftLeft, x: Elements, y: Elements) -> list[Elements]:
    """A shift by the width or more, or by a negative number (a great unsigned one), leaves 0."""
    bits, by = unsigned(x), unsigned(y)
    return [_from_bits(bits << by, x.dtype)]  # NumPy's, too, shifts everything out


@eval_rule(e.ShiftRightLogical)
def shift_right_logical_eval(
    primitive: e.ShiftRightLogical, x: Elements, y: Elements
) -> list[Elements]:
    """Shift to the right in the same way."""
    bits, by = unsigned(x), unsigned(y)
    return [_from_bits(bits >> by, x.dtype)]


@eval_rule(e.ShiftRightArithmetic)
def shift_right_arithmetic_eval(
    primitive: e.ShiftRightArithmetic, x: Elements, y: Elements
) -> list[Elements]:
    """A shift by the width or more leaves the sign bit everywhere; unsigned integers too have one here."""
    bits, by = signed(x), unsigned(y)
    most = by.dtype.type(bit_width(x.dtype) - 1)
    shifted = bits >> np.minimum(by, most).astype(bits.dtype)
    return [_from_bits(shifted, x.dtype)]


def _from_bits(bits: Elements, dtype: DType) -> Elements:
    return as_type(bits, dtype) if is_narrow_integer(dtype) else np.asarray(bits).view(dtype)

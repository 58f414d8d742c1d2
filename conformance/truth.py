"""The meaning of each primitive, defined independently of the reference, which is compared with it.

Floats are computed in `numpy.longdouble` (64 bits of mantissa on x86), complex numbers likewise, the special
functions by SciPy in float64, integers as Python's own and wrapped around at the end; what moves elements does so one
at a time, by index, as StableHLO's specification writes it. No kernel of the reference is called.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import scipy.special

from treadle_ir import ArrayType, Primitive, Program
from treadle_ir.core import InlineCall, dtypes
from treadle_ir.core.dtypes import DType, bit_width
from treadle_ir.core.values import Literal
from treadle_ir.primitives import (
    call,
    compare,
    composite,
    contract,
    control,
    convert,
    creation,
    cumulative,
    custom_vmap,
    elementwise as e,
    fourier,
    implicit,
    indexing,
    linear_call,
    memory,
    metadata,
    partitioned,
    random,
    reduce,
    shape,
    sort,
    window,
)

# longdouble, clongdouble, bool, or objects that are Python integers
Wide: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Types: TypeAlias = Sequence[ArrayType]
Truth: TypeAlias = Callable[
    ..., Sequence[Wide]
]  # of a primitive, its operands' types, and the operands
Index: TypeAlias = tuple[int, ...]

REAL: Final = np.dtype(np.longdouble)
COMPLEX: Final = np.dtype(np.clongdouble)

TRUTH: Final[dict[type[Primitive], Truth]] = {}


def widened(x: Any, dtype: DType) -> Wide:
    """The same numbers in the wide type."""
    array = np.asarray(x)
    if dtypes.is_bool(dtype):
        return array.astype(np.bool_)
    if dtypes.is_integer(dtype):
        native = array.astype(np.int64) if bit_width(dtype) == 4 else array
        return np.asarray(native.astype(object))
    if dtypes.is_key(dtype):  # all words as one number
        return _objects([dtypes.key_number(key) for key in array.reshape(-1)], array.shape)
    with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN like others
        if dtypes.is_complex(dtype):
            return array.astype(COMPLEX)
        return array.astype(np.float64).astype(REAL)


def wrapped(value: int, dtype: DType) -> int:
    """An integer as the element type keeps it."""
    bits = bit_width(dtype)
    value &= (1 << bits) - 1
    return value - (1 << bits) if dtypes.is_signed(dtype) and value >> (bits - 1) else value


def true_results(primitive: Primitive, types: Types, operands: Sequence[Wide]) -> list[Wide]:
    """The results of a primitive on wide operands; integers wrap around."""
    with np.errstate(all="ignore"):
        results = TRUTH[type(primitive)](primitive, types, *operands)
    kept = []
    for result, type_ in zip(results, primitive.infer(*types), strict=True):
        assert isinstance(type_, ArrayType)
        array = np.asarray(result)
        if dtypes.is_integer(type_.dtype) or dtypes.is_key(type_.dtype):
            array = _objects([wrapped(int(v), type_.dtype) for v in array.flat], array.shape)
        elif dtypes.is_bool(type_.dtype):
            array = array.astype(np.bool_)
        else:
            array = array.astype(COMPLEX if dtypes.is_complex(type_.dtype) else REAL)
        kept.append(np.broadcast_to(array, type_.shape))
    return kept


def _objects(values: Sequence[Any], shape: Sequence[int]) -> Wide:
    array = np.empty(len(values), object)
    array[:] = values
    return array.reshape(tuple(shape))


def truth_of(*classes: type[Primitive]) -> Callable[[Truth], Truth]:
    """Enter a function into the table."""

    def enter(function: Truth) -> Truth:
        for cls in classes:
            TRUTH[cls] = function
        return function

    return enter


# --- elementwise --------------------------------------------------------------------------------------


def _plainly(function: Callable[..., Any]) -> Truth:
    """A function of the operands alone."""
    return lambda primitive, types, *operands: [np.asarray(function(*operands))]


def _each(function: Callable[..., Any]) -> Truth:
    """A function of one Python integer for each operand, and of the element type."""

    def of_integers(primitive: Primitive, types: Types, *operands: Wide) -> Sequence[Wide]:
        spread = np.broadcast_arrays(*operands)
        rows = zip(*[x.flat for x in spread], strict=True)
        values = [function(*map(int, row), types[0].dtype) for row in rows]
        return [_objects(values, spread[0].shape)]

    return of_integers


def _divisor(x: int, y: int, dtype: DType) -> int:
    """Return the greatest common divisor, which wraps around where the type cannot represent it."""
    greatest = math.gcd(x, y)
    fits = greatest >> (bit_width(dtype) - (0 if dtypes.is_unsigned(dtype) else 1)) == 0
    return greatest if fits else -greatest


def _by_kind(**functions: Truth) -> Truth:
    """One truth for booleans, one for integers, one for floats, one for complex numbers."""

    def choose(primitive: Primitive, types: Types, *operands: Wide) -> Sequence[Wide]:
        dtype = types[0].dtype
        for name, holds in (
            ("bool", dtypes.is_bool),
            ("integer", dtypes.is_integer),
            ("real", dtypes.is_floating),
            ("complex", dtypes.is_complex),
        ):
            if holds(dtype) and name in functions:
                return functions[name](primitive, types, *operands)
        return functions["other"](primitive, types, *operands)

    return choose


def _in_double(function: Callable[..., Any]) -> Truth:
    return _plainly(lambda x: np.asarray(function(x.astype(np.float64)), REAL))


def _complex(real: Any, imaginary: Any) -> Wide:
    result = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imaginary)), COMPLEX)
    result.real, result.imag = real, imaginary
    return result


def _nan_or(choose: Callable[[Any, Any], Any]) -> Callable[..., Wide]:
    def chosen(x: Wide, y: Wide) -> Wide:
        if x.dtype == object or x.dtype == np.bool_:
            return np.where(choose(x, y), x, y)
        # Of the two zeros -0 is the lesser, though they compare equal: either may come out, see SIGNLESS.
        return np.where(np.isnan(x), x, np.where(np.isnan(y), y, np.where(choose(x, y), x, y)))

    return chosen


def _lgamma(x: Any) -> Any:
    # SciPy has -inf at -inf, C and the reference inf.
    return np.where(np.isinf(x), np.inf, scipy.special.gammaln(x))


def _erf_inv(x: Any) -> Any:
    return np.where(x == 0, x, scipy.special.erfinv(x))  # SciPy loses the sign of -0


def _digamma(x: Any) -> Any:
    # SciPy has the infinity of the side that the sign of 0 says, XLA since jaxlib 0.12 and the reference -inf.
    return np.where(x == 0, -np.inf, scipy.special.psi(x))


def _nearest(x: Wide, *, even: bool) -> Wide:
    whole = np.floor(np.abs(x))
    part = np.abs(x) - whole
    up = (part > 0.5) | ((part == 0.5) & (np.fmod(whole, 2) == 1 if even else np.isfinite(x)))
    return np.copysign(np.where(up, whole + 1, whole), x)


def _quotient(x: int, y: int, dtype: DType) -> int:
    if y == 0:
        return -1
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def _power(x: int, y: int, dtype: DType) -> int:
    if y >= 0:
        return pow(x, y, 1 << bit_width(dtype))
    return x**-y if x in (1, -1) else 0


def _shifted(x: int, y: int, dtype: DType, *, left: bool, logical: bool) -> int:
    bits = bit_width(dtype)
    by, pattern = y % (1 << bits), x % (1 << bits)
    if not logical:  # the highest bit is a sign, in unsigned integers, too
        signed = pattern - (1 << bits) if pattern >> (bits - 1) else pattern
        return signed >> min(by, bits - 1)
    if by >= bits:
        return 0
    return pattern << by if left else pattern >> by


def _pattern(value: Any, dtype: DType) -> int:
    """The bits of a float of an element type, as an unsigned integer."""
    return int.from_bytes(np.asarray(value).astype(np.float64).astype(dtype).tobytes(), "little")


# Bits of exponent and mantissa.
FIELDS: Final = {
    "f8e4m3fn": (4, 3),
    "f8e5m2": (5, 2),
    "bf16": (8, 7),
    "f16": (5, 10),
    "f32": (8, 23),
    "f64": (11, 52),
}


def _number(pattern: int, dtype: DType) -> Any:
    """Return the float with these bits, assembled from its fields."""
    name = dtypes.dtype_name(dtype)
    exponent_bits, mantissa_bits = FIELDS[name]
    sign = -1 if pattern >> (exponent_bits + mantissa_bits) else 1
    exponent = (pattern >> mantissa_bits) % (1 << exponent_bits)
    mantissa = pattern % (1 << mantissa_bits)
    top, bias = (1 << exponent_bits) - 1, (1 << (exponent_bits - 1)) - 1
    if name == "f8e4m3fn":
        if exponent == top and mantissa == (1 << mantissa_bits) - 1:
            return REAL.type(math.nan)
    elif exponent == top:
        return REAL.type(math.nan if mantissa else sign * math.inf)
    if exponent == 0:
        return sign * np.ldexp(REAL.type(mantissa), 1 - bias - mantissa_bits)
    return sign * np.ldexp(
        REAL.type(mantissa + (1 << mantissa_bits)), exponent - bias - mantissa_bits
    )


@truth_of(e.NextAfter)
def _next_after(primitive: Primitive, types: Types, x: Wide, y: Wide) -> Sequence[Wide]:
    dtype = types[0].dtype
    half = 1 << (bit_width(dtype) - 1)

    def one(a: Any, b: Any) -> Any:
        if np.isnan(a) or np.isnan(b):
            return REAL.type(math.nan)
        if a == b:
            return b
        pattern = _pattern(a, dtype)
        place = (
            -(pattern - half) if pattern >= half else pattern
        )  # floats in order, both zeros at 0
        place += 1 if b > a else -1
        if place == 0:
            return np.copysign(REAL.type(0), a)
        return _number(half - place if place < 0 else place, dtype)

    spread = np.broadcast_arrays(x, y)
    values = [one(a, b) for a, b in zip(spread[0].flat, spread[1].flat, strict=True)]
    return [np.array(values, REAL).reshape(spread[0].shape)]


@truth_of(e.IntegerPower)
def _integer_power(primitive: e.IntegerPower, types: Types, x: Wide) -> Sequence[Wide]:
    n = primitive.exponent
    if x.dtype == object:
        return [_objects([v**n for v in x.flat], x.shape)]
    power = np.ones_like(x)
    for _ in range(abs(n)):
        power = power * x
    return [1 / power if n < 0 else power]


def _sign(x: Wide) -> Wide:
    if x.dtype == COMPLEX:
        size = np.hypot(x.real, x.imag)
        return np.where(size == 0, x, _complex(x.real / size, x.imag / size))
    return np.where(np.isnan(x) | (x == 0), x, np.where(x > 0, REAL.type(1), REAL.type(-1)))


def _times(x: Wide, y: Wide) -> Wide:
    if x.dtype != COMPLEX:
        return np.asarray(x * y)
    return _complex(x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real)


def _over(x: Wide, y: Wide) -> Wide:
    if x.dtype != COMPLEX:
        return np.asarray(x / y)
    size = y.real * y.real + y.imag * y.imag  # no overflow: longdouble has the square of every f64
    top = _times(x, np.conj(y))
    return _complex(top.real / size, top.imag / size)


def _logistic(x: Wide) -> Wide:
    return np.asarray(1 / (1 + np.exp(-x)))


def _bits(count: Callable[[int, int], int]) -> Truth:
    return _each(lambda x, dtype: count(x % (1 << bit_width(dtype)), bit_width(dtype)))


TRUTH.update(
    {
        e.Abs: _by_kind(
            integer=_each(lambda x, dtype: abs(x)),
            real=_plainly(lambda x: np.copysign(x, 1)),
            complex=_plainly(lambda x: np.hypot(x.real, x.imag)),
        ),
        e.Acos: _plainly(np.arccos),
        e.Acosh: _plainly(np.arccosh),
        e.Add: _plainly(operator.add),
        e.And: _plainly(operator.and_),
        e.Asin: _plainly(np.arcsin),
        e.Asinh: _plainly(np.arcsinh),
        e.Atan: _plainly(np.arctan),
        e.Atan2: _plainly(np.arctan2),
        e.Atanh: _plainly(np.arctanh),
        e.Cbrt: _plainly(np.cbrt),
        e.Ceil: _plainly(lambda x: -np.floor(-x)),
        e.Complex: _plainly(_complex),
        e.Conjugate: _plainly(lambda x: _complex(x.real, -x.imag)),
        e.Cosh: _plainly(np.cosh),
        e.Cosine: _plainly(np.cos),
        e.CountLeadingZeros: _bits(lambda pattern, bits: bits - pattern.bit_length()),
        e.Digamma: _in_double(_digamma),
        e.Divide: _by_kind(integer=_each(_quotient), other=_plainly(_over)),
        e.Erf: _in_double(scipy.special.erf),
        e.ErfInv: _in_double(_erf_inv),
        e.Erfc: _in_double(scipy.special.erfc),
        e.Exponential: _plainly(np.exp),
        e.Exponential2: _by_kind(
            real=_plainly(np.exp2), complex=_plainly(lambda x: np.exp(x * np.log(REAL.type(2))))
        ),
        e.ExponentialMinusOne: _by_kind(
            real=_plainly(np.expm1),
            # e^z - 1 = expm1(a) cos b - 2 sin(b / 2)^2 + i e^a sin b: nothing cancels in the last term
            complex=_plainly(
                lambda x: _complex(
                    np.expm1(x.real) * np.cos(x.imag) - 2 * np.sin(x.imag / 2) ** 2,
                    np.exp(x.real) * np.sin(x.imag),
                )
            ),
        ),
        e.Floor: _plainly(np.floor),
        e.Imag: _plainly(lambda x: x.imag),
        e.IsFinite: _plainly(lambda x: np.abs(x) < np.inf),
        e.Lgamma: _in_double(_lgamma),
        e.Log: _by_kind(
            real=_plainly(np.log),
            complex=_plainly(
                lambda x: _complex(np.log(np.hypot(x.real, x.imag)), np.arctan2(x.imag, x.real))
            ),
        ),
        e.LogPlusOne: _by_kind(
            real=_plainly(np.log1p),
            complex=_plainly(
                lambda x: _complex(
                    np.where(
                        np.abs(x) < 0.5,
                        np.log1p(x.real * (x.real + 2) + x.imag * x.imag) / 2,
                        np.log(np.hypot(1 + x.real, x.imag)),
                    ),
                    np.arctan2(x.imag, 1 + x.real),
                )
            ),
        ),
        e.GreatestCommonDivisor: _each(_divisor),
        e.Logistic: _plainly(_logistic),
        e.Maximum: _plainly(_nan_or(operator.gt)),
        e.Minimum: _plainly(_nan_or(operator.lt)),
        e.Multiply: _plainly(_times),
        e.Negate: _plainly(operator.neg),
        e.Not: _by_kind(bool=_plainly(np.logical_not), integer=_each(lambda x, dtype: -1 - x)),
        e.Or: _plainly(operator.or_),
        e.Popcnt: _bits(lambda pattern, bits: f"{pattern:b}".count("1")),
        e.Power: _by_kind(integer=_each(_power), other=_plainly(np.power)),
        e.Real: _plainly(lambda x: x.real),
        e.Remainder: _by_kind(
            integer=_each(lambda x, y, dtype: x - y * _quotient(x, y, dtype) if y else x),
            other=_plainly(np.fmod),
        ),
        e.RoundNearestAfz: _plainly(lambda x: _nearest(x, even=False)),
        e.RoundNearestEven: _plainly(lambda x: _nearest(x, even=True)),
        e.Rsqrt: _plainly(lambda x: 1 / np.sqrt(x)),
        e.ShiftLeft: _each(lambda x, y, dtype: _shifted(x, y, dtype, left=True, logical=True)),
        e.ShiftRightArithmetic: _each(
            lambda x, y, dtype: _shifted(x, y, dtype, left=False, logical=False)
        ),
        e.ShiftRightLogical: _each(
            lambda x, y, dtype: _shifted(x, y, dtype, left=False, logical=True)
        ),
        e.Sign: _by_kind(integer=_each(lambda x, dtype: (x > 0) - (x < 0)), other=_plainly(_sign)),
        e.Sine: _plainly(np.sin),
        e.Sinh: _plainly(np.sinh),
        e.Sqrt: _plainly(np.sqrt),
        e.Square: _plainly(lambda x: _times(x, x)),
        e.Subtract: _plainly(operator.sub),
        e.Tan: _plainly(np.tan),
        e.Tanh: _plainly(np.tanh),
        e.Xor: _plainly(operator.xor),
        call.CheckpointName: _plainly(lambda x: x),
        call.StopGradient: _plainly(lambda x: x),
        metadata.ValueMetadata: _plainly(lambda x: x),
        convert.Copy: _plainly(lambda x: x),
        memory.ToMemory: _plainly(lambda x: x),
        memory.LayoutConstraint: _plainly(lambda x: x),
    }
)


@truth_of(call.OptimizationBarrier)
def _unchanged(primitive: Primitive, types: Types, *operands: Wide) -> Sequence[Wide]:
    return operands


# --- comparison and conversion ------------------------------------------------------------------------


@truth_of(compare.Compare)
def _compare(primitive: compare.Compare, types: Types, x: Wide, y: Wide) -> Sequence[Wide]:
    holds = getattr(operator, primitive.direction)
    spread = np.broadcast_arrays(x, y)
    values = [bool(holds(a, b)) for a, b in zip(spread[0].flat, spread[1].flat, strict=True)]
    return [np.array(values, np.bool_).reshape(spread[0].shape)]


@truth_of(compare.Select)
def _select(
    primitive: Primitive, types: Types, condition: Wide, on_true: Wide, on_false: Wide
) -> Sequence[Wide]:
    c, x, y = np.broadcast_arrays(condition, on_true, on_false)
    chosen = [x[i] if c[i] else y[i] for i in np.ndindex(c.shape)]
    return [_of(chosen, c.shape, x.dtype)]


def _of(values: Sequence[Any], shape: Sequence[int], dtype: np.dtype[Any]) -> Wide:
    if dtype.kind == "O":
        return _objects(values, shape)
    return np.array(values, dtype).reshape(tuple(shape))


@truth_of(compare.Clamp)
def _clamp(primitive: Primitive, types: Types, low: Wide, x: Wide, high: Wide) -> Sequence[Wide]:
    return [
        np.asarray(_nan_or(operator.lt)(np.asarray(_nan_or(operator.gt)(x, low)), high)),
    ]


@truth_of(convert.Convert)
def _convert(primitive: convert.Convert, types: Types, x: Wide) -> Sequence[Wide]:
    target = primitive.dtype
    if dtypes.is_bool(target):
        return [np.asarray(x != 0)]
    if dtypes.is_key(target):  # only from keys of its own type
        return [x]
    if x.dtype == COMPLEX and not dtypes.is_complex(target):
        x = x.real
    if not dtypes.is_integer(target):
        return [x.astype(COMPLEX if dtypes.is_complex(target) else REAL)]
    if x.dtype != REAL:
        return [_objects([int(v) for v in x.flat], x.shape)]
    bits = bit_width(target)
    low, high = (
        (-(1 << bits - 1), (1 << bits - 1) - 1)
        if dtypes.is_signed(target)
        else (0, (1 << bits) - 1)
    )

    def one(value: Any) -> int:
        if np.isnan(value):
            return 0
        if np.isinf(value):
            return high if value > 0 else low
        return min(max(int(value), low), high)

    return [_objects([one(value) for value in x.flat], x.shape)]


@truth_of(convert.BitcastConvert)
def _bitcast(primitive: convert.BitcastConvert, types: Types, x: Wide) -> Sequence[Wide]:
    source, target = types[0].dtype, primitive.dtype
    if source == target:
        return [x]
    floating = dtypes.is_floating(source)
    patterns = [
        _pattern(v, source) if floating else int(v) % (1 << bit_width(source)) for v in x.flat
    ]
    if dtypes.is_floating(target):
        return [_of([_number(pattern, target) for pattern in patterns], x.shape, REAL)]
    return [_objects(patterns, x.shape)]


@truth_of(convert.ReducePrecision)
def _reduce_precision(primitive: convert.ReducePrecision, types: Types, x: Wide) -> Sequence[Wide]:
    own_exponent, own_mantissa = FIELDS[dtypes.dtype_name(types[0].dtype)]
    reach = (1 << (min(primitive.exponent_bits, own_exponent) - 1)) - 1
    fraction = min(primitive.mantissa_bits, own_mantissa)
    least_own = 2 - (1 << (own_exponent - 1))

    def one(value: Any) -> Any:
        if value == 0 or not np.isfinite(value):
            return value
        _, exponent = np.frexp(value)
        exponent = max(int(exponent) - 1, least_own)  # subnormal numbers have fewer bits
        unit = np.ldexp(REAL.type(1), exponent - fraction)
        rounded = np.copysign(_nearest(np.asarray(value / unit), even=True) * unit, value)
        if abs(rounded) >= np.ldexp(REAL.type(2), reach):
            return np.copysign(REAL.type(np.inf), value)
        if primitive.exponent_bits < own_exponent and abs(rounded) < np.ldexp(
            REAL.type(1), 1 - reach
        ):
            return np.copysign(REAL.type(0), value)
        return rounded

    return [_of([one(value) for value in x.flat], x.shape, REAL)]


# --- shapes -------------------------------------------------------------------------------------------


def _filled_by(
    primitive: Primitive, types: Types, element: Callable[[Index], Any], dtype: np.dtype[Any]
) -> list[Wide]:
    """The result whose element at each index is what a function says."""
    (result, *_) = primitive.infer(*types)
    assert isinstance(result, ArrayType)
    return [_of([element(i) for i in np.ndindex(result.shape)], result.shape, dtype)]


@truth_of(creation.Iota)
def _iota(primitive: creation.Iota, types: Types) -> Sequence[Wide]:
    return _filled_by(primitive, types, lambda i: i[primitive.dimension], np.dtype(object))


@truth_of(creation.DimensionSize)
def _dimension_size(primitive: creation.DimensionSize, types: Types) -> Sequence[Wide]:
    return [np.asarray(primitive.dimension, dtype=object)]


@truth_of(shape.BroadcastInDim)
def _broadcast(primitive: shape.BroadcastInDim, types: Types, x: Wide) -> Sequence[Wide]:
    def element(i: Index) -> Any:
        return x[
            tuple(
                [0 if n == 1 else i[d] for n, d in zip(x.shape, primitive.dimensions, strict=True)]
            )
        ]

    return _filled_by(primitive, types, element, x.dtype)


def _position(index: Index, shape: Sequence[int]) -> int:
    position = 0
    for i, n in zip(index, shape, strict=True):
        position = position * n + i
    return position


@truth_of(shape.Reshape)
def _reshape(primitive: shape.Reshape, types: Types, x: Wide) -> Sequence[Wide]:
    flat = list(x.flat)
    return _filled_by(primitive, types, lambda i: flat[_position(i, primitive.shape)], x.dtype)


@truth_of(shape.Transpose)
def _transpose(primitive: shape.Transpose, types: Types, x: Wide) -> Sequence[Wide]:
    def element(i: Index) -> Any:
        source = [0] * x.ndim
        for axis, old in enumerate(primitive.permutation):
            source[old] = i[axis]
        return x[tuple(source)]

    return _filled_by(primitive, types, element, x.dtype)


@truth_of(shape.Reverse)
def _reverse(primitive: shape.Reverse, types: Types, x: Wide) -> Sequence[Wide]:
    def element(i: Index) -> Any:
        return x[
            tuple(
                [
                    n - 1 - j if axis in primitive.dimensions else j
                    for axis, (j, n) in enumerate(zip(i, x.shape, strict=True))
                ]
            )
        ]

    return _filled_by(primitive, types, element, x.dtype)


@truth_of(shape.Concatenate)
def _concatenate(primitive: shape.Concatenate, types: Types, *operands: Wide) -> Sequence[Wide]:
    axis = primitive.dimension

    def element(i: Index) -> Any:
        at = i[axis]
        for x in operands:
            if at < x.shape[axis]:
                return x[(*i[:axis], at, *i[axis + 1 :])]
            at -= x.shape[axis]
        raise AssertionError

    return _filled_by(primitive, types, element, operands[0].dtype)


@truth_of(shape.Pad)
def _pad(primitive: shape.Pad, types: Types, x: Wide, value: Wide) -> Sequence[Wide]:
    def element(i: Index) -> Any:
        source = []
        for at, low, between, n in zip(i, primitive.low, primitive.interior, x.shape, strict=True):
            place, rest = divmod(at - low, between + 1)
            if rest or not 0 <= place < n:
                return value[()]
            source.append(place)
        return x[tuple(source)]

    return _filled_by(primitive, types, element, x.dtype)


@truth_of(shape.Slice)
def _slice(primitive: shape.Slice, types: Types, x: Wide) -> Sequence[Wide]:
    def element(i: Index) -> Any:
        return x[
            tuple(
                [
                    s + j * step
                    for j, s, step in zip(i, primitive.start, primitive.strides, strict=True)
                ]
            )
        ]

    return _filled_by(primitive, types, element, x.dtype)


# --- reductions, cumulative operations, contractions ------------------------------------------------------


def _least(dtype: DType) -> Any:
    if dtypes.is_bool(dtype):
        return False
    if dtypes.is_inexact(dtype):
        return REAL.type(-448 if dtypes.dtype_name(dtype) == "f8e4m3fn" else -math.inf)
    return -(1 << bit_width(dtype) - 1) if dtypes.is_signed(dtype) else 0


def _greatest(dtype: DType) -> Any:
    if dtypes.is_bool(dtype):
        return True
    if dtypes.is_inexact(dtype):
        return -_least(dtype)
    return (1 << bit_width(dtype) - dtypes.is_signed(dtype)) - 1


def _before_all(bound: Callable[[DType], Any]) -> Callable[[DType], Any]:
    # What a running extreme starts with: any element replaces it.
    def start(dtype: DType) -> Any:
        value = bound(dtype)
        return COMPLEX.type(complex(value, value)) if dtypes.is_complex(dtype) else value

    return start


def _greater(x: Any, y: Any) -> Any:
    return x if x != x or x > y else y


def _lesser(x: Any, y: Any) -> Any:
    return x if x != x or x < y else y


def _product(x: Any, y: Any) -> Any:
    return _times(np.asarray(x), np.asarray(y))[()] if isinstance(x, np.clongdouble) else x * y


FOLDS: Final[dict[type[Primitive], tuple[Callable[[Any, Any], Any], Callable[[DType], Any]]]] = {
    reduce.ReduceAdd: (operator.add, lambda dtype: 0),
    reduce.ReduceMultiply: (_product, lambda dtype: 1),
    reduce.ReduceMaximum: (_greater, _least),
    reduce.ReduceMinimum: (_lesser, _greatest),
    reduce.ReduceAnd: (operator.and_, lambda dtype: True if dtypes.is_bool(dtype) else -1),
    reduce.ReduceOr: (operator.or_, lambda dtype: False if dtypes.is_bool(dtype) else 0),
    reduce.ReduceXor: (operator.xor, lambda dtype: False if dtypes.is_bool(dtype) else 0),
    window.ReduceWindowAdd: (operator.add, lambda dtype: 0),
    window.ReduceWindowMaximum: (_greater, _least),
    window.ReduceWindowMinimum: (_lesser, _greatest),
    cumulative.CumulativeAdd: (operator.add, lambda dtype: 0),
    cumulative.CumulativeMultiply: (_product, lambda dtype: 1),
    cumulative.CumulativeMaximum: (_greater, _before_all(_least)),
    cumulative.CumulativeMinimum: (_lesser, _before_all(_greatest)),
}


def _start(primitive: Primitive, dtype: DType, wide: np.dtype[Any]) -> Any:
    value = FOLDS[type(primitive)][1](dtype)
    return value if wide.kind in "Ob" else wide.type(value)


def _folded(primitive: Primitive, dtype: DType, values: Sequence[Any], wide: np.dtype[Any]) -> Any:
    total = _start(primitive, dtype, wide)
    for value in values:
        total = FOLDS[type(primitive)][0](value, total)
    return total


@truth_of(*[cls for cls in FOLDS if issubclass(cls, reduce.Reduction)])
def _reduce(primitive: reduce.Reduction, types: Types, x: Wide) -> Sequence[Wide]:
    kept = [axis for axis in range(x.ndim) if axis not in primitive.axes]
    rows: dict[Index, list[Any]] = {}
    for i in np.ndindex(x.shape):
        rows.setdefault(tuple([i[axis] for axis in kept]), []).append(x[i])
    return _filled_by(
        primitive,
        types,
        lambda i: _folded(primitive, types[0].dtype, rows.get(i, []), x.dtype),
        x.dtype,
    )


@truth_of(reduce.Argmax, reduce.Argmin)
def _argument(primitive: reduce.ArgReduction, types: Types, x: Wide) -> Sequence[Wide]:
    axis = primitive.axis
    better = operator.gt if isinstance(primitive, reduce.Argmax) else operator.lt

    def element(i: Index) -> int:
        row = [x[(*i[:axis], at, *i[axis:])] for at in range(x.shape[axis])]
        best = 0
        for at, value in enumerate(row):
            if row[best] == row[best] and (value != value or better(value, row[best])):
                best = at
        return best

    return _filled_by(primitive, types, element, np.dtype(object))


def _seen(primitive: cumulative.Cumulative, x: Wide, i: Index) -> list[Any]:
    axis = primitive.axis
    places = range(i[axis], x.shape[axis]) if primitive.reverse else range(i[axis] + 1)
    return [x[(*i[:axis], at, *i[axis + 1 :])] for at in places]


@truth_of(*[cls for cls in FOLDS if issubclass(cls, cumulative.Cumulative)])
def _cumulative(primitive: cumulative.Cumulative, types: Types, x: Wide) -> Sequence[Wide]:
    if x.size > 512:  # each place by itself would take the square of the length
        ufunc = _LONG[type(primitive)]
        seen = np.flip(x, primitive.axis) if primitive.reverse else x
        total = ufunc.accumulate(seen, axis=primitive.axis)
        return [np.flip(total, primitive.axis) if primitive.reverse else total]
    return _filled_by(
        primitive,
        types,
        lambda i: _folded(primitive, types[0].dtype, _seen(primitive, x, i), x.dtype),
        x.dtype,
    )


_LONG: Final[dict[type[Primitive], np.ufunc]] = {
    cumulative.CumulativeAdd: np.add,
    cumulative.CumulativeMultiply: np.multiply,
}


@truth_of(cumulative.CumulativeLogsumexp)
def _logsumexp(primitive: cumulative.Cumulative, types: Types, x: Wide) -> Sequence[Wide]:
    def element(i: Index) -> Any:
        values = np.array(_seen(primitive, x, i), REAL)
        most = np.max(values)
        if not np.isfinite(most):
            return most
        others = np.delete(values, np.argmax(values))
        return most + np.log1p(np.sum(np.exp(others - most)))

    return _filled_by(primitive, types, element, x.dtype)


def _summed(values: Iterator[Any] | Sequence[Any], wide: np.dtype[Any]) -> Any:
    total = False if wide == np.bool_ else 0 if wide.kind == "O" else wide.type(0)
    for value in values:
        total = total | value if wide == np.bool_ else total + value
    return total


@truth_of(contract.DotGeneral)
def _dot(primitive: contract.DotGeneral, types: Types, x: Wide, y: Wide) -> Sequence[Wide]:
    (batch_x, batch_y), (sum_x, sum_y) = primitive.batching, primitive.contracting
    free_x = [i for i in range(x.ndim) if i not in (*batch_x, *sum_x)]
    free_y = [i for i in range(y.ndim) if i not in (*batch_y, *sum_y)]

    def element(i: Index) -> Any:
        batch, rest = i[: len(batch_x)], i[len(batch_x) :]
        own_x, own_y = rest[: len(free_x)], rest[len(free_x) :]

        def terms() -> Iterator[Any]:
            for k in np.ndindex(*[x.shape[axis] for axis in sum_x]):
                at_x = dict(zip((*batch_x, *free_x, *sum_x), (*batch, *own_x, *k), strict=True))
                at_y = dict(zip((*batch_y, *free_y, *sum_y), (*batch, *own_y, *k), strict=True))
                yield _product(
                    x[tuple([at_x[axis] for axis in range(x.ndim)])],
                    y[tuple([at_y[axis] for axis in range(y.ndim)])],
                )

        return _summed(terms(), x.dtype)

    return _filled_by(primitive, types, element, x.dtype)


def _window_source(
    place: Index, offset: Index, settings: Sequence[tuple[int, int, int, int, int]]
) -> Index | None:
    """The element under a position of a window: stride, low padding, dilation of base and window, size per axis."""
    source = []
    for at, k, (stride, low, base, hole, size) in zip(place, offset, settings, strict=True):
        index, rest = divmod(at * stride + k * hole - low, base)
        if rest or not 0 <= index < size:
            return None
        source.append(index)
    return tuple(source)


@truth_of(contract.Convolution)
def _convolution(
    primitive: contract.Convolution, types: Types, x: Wide, kernel: Wide
) -> Sequence[Wide]:
    x, kernel = x.transpose(primitive.lhs_spec), kernel.transpose(primitive.rhs_spec)
    outputs, inputs, *width = kernel.shape
    groups, batches = primitive.feature_group_count, primitive.batch_group_count
    settings = [
        (stride, low, base, hole, size)
        for stride, (low, _), base, hole, size in zip(
            primitive.strides,
            primitive.padding,
            primitive.lhs_dilation,
            primitive.rhs_dilation,
            x.shape[2:],
            strict=True,
        )
    ]

    def element(i: Index) -> Any:
        batch, output, *place = [i[axis] for axis in primitive.out_spec]
        group = output // (outputs // groups)
        row = output // (outputs // batches) * (x.shape[0] // batches) + batch

        def terms() -> Iterator[Any]:
            for k in np.ndindex(*width):
                source = _window_source(tuple(place), k, settings)
                if source is not None:
                    for channel in range(inputs):
                        yield _product(
                            x[(row, group * inputs + channel, *source)],
                            kernel[(output, channel, *k)],
                        )

        return _summed(terms(), x.dtype)

    return _filled_by(primitive, types, element, x.dtype)


# --- Fourier transforms -------------------------------------------------------------------------------


def _waves(n: int, count: int, sign: int) -> Wide:
    """exp(sign 2 pi i j k / n) for j < n and k < count, the angles reduced while they are integers."""
    turns = np.outer(np.arange(n), np.arange(count)) % max(n, 1)
    angles = turns.astype(REAL) * (8 * np.arctan(REAL.type(1))) / max(n, 1)
    return np.cos(angles) + sign * COMPLEX.type(1j) * np.sin(angles)


@truth_of(fourier.Fft)
def _fft(primitive: fourier.Fft, types: Types, x: Wide) -> Sequence[Wide]:
    *others, last = primitive.axes
    lengths = primitive.lengths
    sign = -1 if primitive.kind in ("fft", "rfft") else 1
    result = x.astype(COMPLEX)
    for axis, n in zip(others, lengths, strict=False):
        result = _along(result, axis, _waves(n, n, sign))
    n = lengths[-1]
    if primitive.kind == "irfft":  # the missing elements are the conjugates of those there
        half = n // 2 + 1 if n else 0
        weights = np.where((np.arange(half) == 0) | (2 * np.arange(half) == n), 1, 2)
        result = _along(result * weights, last, _waves(n, half, sign).T).real
    else:
        result = _along(
            result, last, _waves(n, n // 2 + 1 if primitive.kind == "rfft" and n else n, sign)
        )
    if sign > 0:
        result = result / max(math.prod(lengths), 1)
    return [result]


def _along(x: Wide, axis: int, matrix: Wide) -> Wide:
    return np.asarray(np.moveaxis(np.moveaxis(x, axis, -1) @ matrix, -1, axis))


# --- windows ------------------------------------------------------------------------------------------


def _under(primitive: window.Windowed, shape: Sequence[int], place: Index) -> list[Index]:
    """The elements of the array under the window at a place, in row-major order."""
    settings = [
        (stride, low, base, hole, size)
        for stride, (low, _), base, hole, size in zip(
            primitive.window_strides,
            primitive.padding,
            primitive.base_dilation,
            primitive.window_dilation,
            shape,
            strict=True,
        )
    ]
    sources = [_window_source(place, k, settings) for k in np.ndindex(*primitive.window_dimensions)]
    return [source for source in sources if source is not None]


@truth_of(*[cls for cls in FOLDS if issubclass(cls, window.ReduceWindowFamily)])
def _reduce_window(primitive: window.ReduceWindowFamily, types: Types, x: Wide) -> Sequence[Wide]:
    def element(i: Index) -> Any:
        values = [x[source] for source in _under(primitive, x.shape, i)]
        return _folded(primitive, types[0].dtype, values, x.dtype)

    return _filled_by(primitive, types, element, x.dtype)


def _selected(primitive: window.WindowSelection, x: Wide, place: Index) -> Index | None:
    stays = operator.ge if primitive.select == "ge" else operator.le
    best: Index | None = None
    for source in _under(primitive, x.shape, place):
        if best is None or not stays(x[best], x[source]):
            best = source
    return best


@truth_of(window.SelectAndGatherAdd)
def _select_and_gather(
    primitive: window.SelectAndGatherAdd, types: Types, tangents: Wide, x: Wide
) -> Sequence[Wide]:
    def element(i: Index) -> Any:
        best = _selected(primitive, x, i)
        return _summed([], x.dtype) if best is None else tangents[best]

    return _filled_by(primitive, types, element, x.dtype)


@truth_of(window.SelectAndScatterAdd)
def _select_and_scatter(
    primitive: window.SelectAndScatterAdd, types: Types, source: Wide, x: Wide
) -> Sequence[Wide]:
    totals: dict[Index, Any] = {}
    for i in np.ndindex(source.shape):
        best = _selected(primitive, x, i)
        if best is not None:
            totals[best] = totals.get(best, _summed([], x.dtype)) + source[i]
    return _filled_by(primitive, types, lambda i: totals.get(i, _summed([], x.dtype)), x.dtype)


# --- indexing -----------------------------------------------------------------------------------------


def _clipped(start: int, limit: int) -> int:
    return min(max(start, 0), limit)


@truth_of(indexing.Gather)
def _gather(
    primitive: indexing.Gather, types: Types, operand: Wide, indices: Wide
) -> Sequence[Wide]:
    dtype = types[0].dtype
    fill: Any
    if primitive.fill_value is not None:
        fill = widened(np.asarray(primitive.fill_value).astype(dtype), dtype)[()]
    elif dtypes.is_bool(dtype):
        fill = True
    elif dtypes.is_inexact(dtype):
        fill = (COMPLEX if dtypes.is_complex(dtype) else REAL).type(math.nan)
    else:
        fill = _least(dtype) if dtypes.is_signed(dtype) else _greatest(dtype)
    dropped = (*primitive.collapsed_slice_dims, *primitive.operand_batching_dims)

    def element(i: Index) -> Any:
        batch = tuple([j for axis, j in enumerate(i) if axis not in primitive.offset_dims])
        offsets = iter([j for axis, j in enumerate(i) if axis in primitive.offset_dims])
        source = [0 if axis in dropped else next(offsets) for axis in range(operand.ndim)]
        for number, axis in enumerate(primitive.start_index_map):
            start = int(indices[(*batch, number)])
            limit = operand.shape[axis] - primitive.slice_sizes[axis]
            if primitive.mode == "fill" and not 0 <= start <= limit:
                return fill
            source[axis] += _clipped(start, limit)
        for axis, place in zip(
            primitive.operand_batching_dims, primitive.start_indices_batching_dims, strict=True
        ):
            source[axis] += batch[place]
        return operand[tuple(source)]

    return _filled_by(primitive, types, element, operand.dtype)


SCATTERS: Final[dict[type[Primitive], Callable[[Any, Any], Any]]] = {
    indexing.Scatter: lambda old, new: new,
    indexing.ScatterAdd: lambda old, new: old | new if isinstance(old, np.bool_) else old + new,
    indexing.ScatterMultiply: lambda old, new: (
        old & new if isinstance(old, np.bool_) else _product(old, new)
    ),
    indexing.ScatterMaximum: lambda old, new: old if old != old else _greater(new, old),
    indexing.ScatterMinimum: lambda old, new: old if old != old else _lesser(new, old),
}


@truth_of(*SCATTERS)
def _scatter(
    primitive: indexing.ScatterFamily, types: Types, operand: Wide, indices: Wide, updates: Wide
) -> Sequence[Wide]:
    result = np.array(operand)
    if not result.size:
        return [result]
    dropped = (*primitive.inserted_window_dims, *primitive.operand_batching_dims)
    window_sizes = iter([updates.shape[axis] for axis in primitive.update_window_dims])
    sizes = [1 if axis in dropped else next(window_sizes) for axis in range(operand.ndim)]
    for i in np.ndindex(updates.shape):
        batch = tuple([j for axis, j in enumerate(i) if axis not in primitive.update_window_dims])
        offsets = iter([j for axis, j in enumerate(i) if axis in primitive.update_window_dims])
        target = [0 if axis in dropped else next(offsets) for axis in range(operand.ndim)]
        inside = True
        for number, axis in enumerate(primitive.scatter_dims_to_operand_dims):
            start, limit = int(indices[(*batch, number)]), operand.shape[axis] - sizes[axis]
            inside = inside and 0 <= start <= limit
            target[axis] += _clipped(start, limit)
        for axis, place in zip(
            primitive.operand_batching_dims, primitive.scatter_indices_batching_dims, strict=True
        ):
            target[axis] += batch[place]
        if inside or primitive.mode != "fill":
            combined = SCATTERS[type(primitive)](result[tuple(target)], updates[i])
            if operand.dtype == object:
                combined = wrapped(int(combined), types[0].dtype)
            result[tuple(target)] = combined
    return [result]


@truth_of(indexing.DynamicSlice)
def _dynamic_slice(
    primitive: indexing.DynamicSlice, types: Types, operand: Wide, *starts: Wide
) -> Sequence[Wide]:
    first = [
        _clipped(int(start), size - n)
        for start, size, n in zip(starts, operand.shape, primitive.sizes, strict=True)
    ]
    return _filled_by(
        primitive,
        types,
        lambda i: operand[tuple([a + b for a, b in zip(first, i, strict=True)])],
        operand.dtype,
    )


@truth_of(indexing.DynamicUpdateSlice)
def _dynamic_update_slice(
    primitive: Primitive, types: Types, operand: Wide, update: Wide, *starts: Wide
) -> Sequence[Wide]:
    result = np.array(operand)
    first = [
        _clipped(int(start), size - n)
        for start, size, n in zip(starts, operand.shape, update.shape, strict=True)
    ]
    for i in np.ndindex(update.shape):
        result[tuple([a + b for a, b in zip(first, i, strict=True)])] = update[i]
    return [result]


# --- sorting ------------------------------------------------------------------------------------------


def _rank(value: Any, *, zeros_differ: bool) -> tuple[Any, ...]:
    if isinstance(value, np.clongdouble):
        return (*_rank(value.real, zeros_differ=False), *_rank(value.imag, zeros_differ=False))
    if isinstance(value, np.longdouble):
        if np.isnan(value):
            return (1, 0, 0)
        return (0, value, int(zeros_differ and value == 0 and not np.signbit(value)))
    return (0, int(value), 0)


@truth_of(sort.Sort)
def _sort(primitive: sort.Sort, types: Types, *operands: Wide) -> Sequence[Wide]:
    axis = primitive.dimension
    results = [x.copy() for x in operands]
    alone = len(operands) == 1
    others = [range(n) if i != axis else [0] for i, n in enumerate(operands[0].shape)]
    for i in itertools.product(*others):
        places = [(*i[:axis], at, *i[axis + 1 :]) for at in range(operands[0].shape[axis])]
        order = sorted(
            places,
            key=lambda at: tuple(
                [_rank(x[at], zeros_differ=alone) for x in operands[: primitive.num_keys]]
            ),
        )
        for result, x in zip(results, operands, strict=True):
            for target, source in zip(places, order, strict=True):
                result[target] = x[source]
    return results


@truth_of(sort.TopK)
def _top_k(primitive: sort.TopK, types: Types, x: Wide) -> Sequence[Wide]:
    values = np.empty((*x.shape[:-1], primitive.k), x.dtype)
    places = np.empty(values.shape, object)
    for i in np.ndindex(x.shape[:-1]):
        order = sorted(
            range(x.shape[-1]),
            key=lambda at: [-part for part in _rank(x[(*i, at)], zeros_differ=False)],
        )
        for at, source in enumerate(order[: primitive.k]):
            values[(*i, at)], places[(*i, at)] = x[(*i, source)], source
    return [values, places]


# --- random bits --------------------------------------------------------------------------------------


def threefry(key: tuple[int, int], counter: tuple[int, int]) -> tuple[int, int]:
    """Threefry-2x32-20, round by round, as the paper of Salmon and others (2011) has it."""
    rotations = (13, 15, 26, 6, 17, 29, 16, 24)
    schedule = (*key, 0x1BD11BDA ^ key[0] ^ key[1])
    a, b = (x + k for x, k in zip(counter, key, strict=True))
    for number in range(20):
        a = (a + b) % 2**32
        b %= 2**32
        turn = rotations[number % 8]
        b = (b * 2**turn % 2**32 + b // 2 ** (32 - turn)) ^ a
        if number % 4 == 3:
            step = number // 4 + 1
            a += schedule[step % 3]
            b += schedule[(step + 1) % 3] + step
    return a % 2**32, b % 2**32


@truth_of(random.Threefry2x32)
def _threefry(primitive: Primitive, types: Types, *operands: Wide) -> Sequence[Wide]:
    k0, k1, x0, x1 = np.broadcast_arrays(*operands)
    words = [
        threefry((int(k0[i]), int(k1[i])), (int(x0[i]), int(x1[i]))) for i in np.ndindex(k0.shape)
    ]
    return [_objects([pair[n] for pair in words], k0.shape) for n in (0, 1)]


def _as_words(types: Types, keys: Wide) -> Wide:
    """Return the words of each key as a last axis; raw keys are returned unchanged."""
    if not dtypes.is_key(types[0].dtype):
        return keys
    count = dtypes.key_words(types[0].dtype)
    words = [int(key) >> 32 * i & 0xFFFFFFFF for key in keys.flat for i in range(count)]
    return _objects(words, (*keys.shape, count))


def _new_keys(
    primitive: Primitive, types: Types, words: Callable[[Index], Sequence[int]]
) -> list[Wide]:
    """Keys whose words at each index are what a function says: typed or raw, as the result is."""
    (result, *_) = primitive.infer(*types)
    assert isinstance(result, ArrayType)

    def element(i: Index) -> int:
        if not dtypes.is_key(result.dtype):
            return words(i[:-1])[i[-1]]
        return sum(word << 32 * place for place, word in enumerate(words(i)))

    return _filled_by(primitive, types, element, np.dtype(object))


@truth_of(random.RandomWrap)
def _random_wrap(primitive: Primitive, types: Types, words: Wide) -> Sequence[Wide]:
    return _new_keys(primitive, types, lambda i: [int(word) for word in words[i]])


@truth_of(random.RandomUnwrap)
def _random_unwrap(primitive: Primitive, types: Types, keys: Wide) -> Sequence[Wide]:
    return [_as_words(types, keys)]


def _word(primitive: Primitive, keys: Wide, i: Index, inner: Sequence[int]) -> tuple[int, int]:
    outer = keys.ndim - 1
    position = _position(i[outer:], inner)
    first, second = map(int, keys[i[:outer]])
    return threefry((first, second), divmod(position, 2**32))


def philox(key: tuple[int, int], counter: tuple[int, int, int, int]) -> tuple[int, ...]:
    """Philox-4x32-10 as the paper of Salmon and others (2011) has it."""
    (a, b), (c0, c1, c2, c3) = key, counter
    for number in range(10):
        left, right = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        k0, k1 = (a + number * 0x9E3779B9) % 2**32, (b + number * 0xBB67AE85) % 2**32
        c0, c1 = right // 2**32 ^ c1 ^ k0, right % 2**32
        c2, c3 = left // 2**32 ^ c3 ^ k1, left % 2**32
    return c0, c1, c2, c3


def generated(keys: Wide, position: int, width: int) -> int:
    """The number of a width at a position of what the first of some keys of four words draws."""
    w0, w1, w2, w3 = map(int, keys.reshape(-1, 4)[0])

    def word(at: int) -> int:
        counter = (w2 + (w3 << 32) + (w0 << 64) + (w1 << 96) + at // 4) % 2**128
        c0, c1, c2, c3 = (counter >> 32 * i & 0xFFFFFFFF for i in range(4))
        return philox((w0, w1), (c0, c1, c2, c3))[at % 4]

    if width == 64:
        return word(2 * position) + (word(2 * position + 1) << 32)
    return word(position) % (1 << width)


def _by_halves(keys: Wide, change: Callable[[Wide], Sequence[int]]) -> list[int]:
    """Apply a function of keys of two words to each half of the words."""
    return [
        word
        for start in range(0, keys.shape[-1], 2)
        for word in change(keys[..., start : start + 2])
    ]


@truth_of(random.RandomBits)
def _random_bits(primitive: random.RandomBits, types: Types, keys: Wide) -> Sequence[Wide]:
    keys = _as_words(types, keys)
    (result, *_) = primitive.infer(*types)
    assert isinstance(result, ArrayType)

    def element(i: Index) -> int:
        if keys.shape[-1] == 4:
            return generated(keys, _position(i, result.shape), primitive.bit_width)
        high, low = _word(primitive, keys, i, primitive.shape)
        if primitive.bit_width == 64:
            return high * 2**32 + low
        return (high ^ low) % (1 << primitive.bit_width)

    return _filled_by(primitive, types, element, np.dtype(object))


@truth_of(random.RandomSplit)
def _random_split(primitive: random.RandomSplit, types: Types, keys: Wide) -> Sequence[Wide]:
    keys = _as_words(types, keys)

    def words(i: Index) -> Sequence[int]:
        if (
            types[0].dtype == dtypes.UNSAFE_RBG
        ):  # every tenth of the keys that are drawn, batch by batch
            outer = keys.ndim - 1
            number = _position(i[outer:], primitive.shape)
            batch = _position(i[:outer], keys.shape[:-1])
            first = 40 * (batch * math.prod(primitive.shape) + number)
            return [generated(keys, first + at, 32) for at in range(4)]
        return _by_halves(keys, lambda half: _word(primitive, half, i, primitive.shape))

    return _new_keys(primitive, types, words)


@truth_of(random.RandomFoldIn)
def _random_fold_in(primitive: Primitive, types: Types, keys: Wide, data: Wide) -> Sequence[Wide]:
    keys = _as_words(types, keys)
    spread = np.broadcast_to(data, keys.shape[:-1])

    def words(i: Index) -> Sequence[int]:
        if types[0].dtype == dtypes.UNSAFE_RBG:  # the last of ten keys that the data draws
            own = tuple([0 if n == 1 else at for at, n in zip(i, data.shape, strict=False)])
            first = 40 * _position(own, data.shape) + 36
            seed = int(data.reshape(-1)[0])
            seeded = _objects([0, seed, 0, seed], (4,))
            return [int(keys[(*i, at)]) ^ generated(seeded, first + at, 32) for at in range(4)]

        def folded(half: Wide) -> tuple[int, int]:
            first, second = map(int, half[i])
            return threefry((first, second), (0, int(spread[i])))

        return _by_halves(keys, folded)

    return _new_keys(primitive, types, words)


# --- programs -----------------------------------------------------------------------------------------


def run(program: Program, operands: Sequence[Wide]) -> list[Wide]:
    """A program by the table of truths."""
    environment: dict[Any, Wide] = dict(zip(program.parameters, operands, strict=True))

    def read(atom: Any) -> Wide:
        if isinstance(atom, Literal):
            return widened(atom.value, atom.type.dtype)
        return environment[atom]

    for equation in program.equations:
        types: list[Any] = [atom.type for atom in equation.operands]
        results = true_results(
            equation.primitive, types, [read(atom) for atom in equation.operands]
        )
        environment.update(zip(equation.results, results, strict=True))
    return [read(atom) for atom in program.results]


@truth_of(
    call.Call,
    call.Checkpoint,
    call.CustomJvpStaged,
    call.CustomVjpStaged,
    composite.Composite,
    custom_vmap.CustomVmapStaged,
    metadata.XlaMetadata,
    partitioned.CustomPartitioning,
)
def _call(primitive: InlineCall, types: Types, *operands: Wide) -> Sequence[Wide]:
    return run(primitive.program, operands)


@truth_of(implicit.LinearSolve, implicit.Root)
def _solution(
    primitive: implicit.LinearSolve | implicit.Root, types: Types, *operands: Wide
) -> Sequence[Wide]:
    return run(primitive.solve, operands)


@truth_of(linear_call.LinearCall)
def _linear_call(
    primitive: linear_call.LinearCall, types: Types, *operands: Wide
) -> Sequence[Wide]:
    return run(primitive.program, operands)


@truth_of(composite.PlatformIndex)
def _platform_index(primitive: composite.PlatformIndex, types: Types) -> Sequence[Wide]:
    names = primitive.platforms
    place = next((place for place, name in enumerate(names) if name == "cpu"), len(names))
    return [np.asarray(place, dtype=object)]


@truth_of(control.Case)
def _case(primitive: control.Case, types: Types, index: Wide, *operands: Wide) -> Sequence[Wide]:
    return run(primitive.branches[_clipped(int(index), len(primitive.branches) - 1)], operands)


@truth_of(control.While)
def _while(primitive: control.While, types: Types, *operands: Wide) -> Sequence[Wide]:
    first, second = primitive.cond_constants, primitive.cond_constants + primitive.body_constants
    carries = list(operands[second:])
    iterations = 0
    while primitive.trip_bound is None or iterations < primitive.trip_bound:
        if not run(primitive.cond, [*operands[:first], *carries])[0]:
            break
        carries = run(primitive.body, [*operands[first:second], *carries])
        iterations += 1
    return carries


@truth_of(control.Scan)
def _scan(primitive: control.Scan, types: Types, *operands: Wide) -> Sequence[Wide]:
    fixed = primitive.constants + primitive.carries
    carries = list(operands[primitive.constants : fixed])
    rows: dict[int, list[Wide]] = {}
    for i in range(primitive.length)[:: -1 if primitive.reverse else 1]:
        given = [
            *operands[: primitive.constants],
            *carries,
            *[np.asarray(x[i]) for x in operands[fixed:]],
        ]
        returned = run(primitive.body, given)
        carries, rows[i] = returned[: primitive.carries], returned[primitive.carries :]
    ys = []
    for number, type_ in enumerate(primitive.infer(*types)[primitive.carries :]):
        assert isinstance(type_, ArrayType)
        empty = widened(np.zeros(type_.shape, type_.dtype), type_.dtype)
        stacked = [rows[i][number] for i in range(primitive.length)]
        ys.append(np.stack(stacked) if stacked else empty)
    return [*carries, *ys]

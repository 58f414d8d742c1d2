"""Operations that are one call of NumPy, or a few.

A reference kernel looks at the types of its operands in each call. Here that is done once, and what remains is NumPy's
function, closed over the attributes of the primitive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, Final

import numpy as np

from treadle_ir import ArrayType, Primitive, Type, reference
from treadle_ir.core import dtypes
from treadle_ir.primitives import elementwise as e, reduce as r, shape as s
from treadle_ir.primitives.call import StopGradient
from treadle_ir.primitives.compare import Clamp, Compare, Select
from treadle_ir.primitives.contract import Convolution, DotGeneral
from treadle_ir.primitives.convert import BitcastConvert, Convert, ReducePrecision
from treadle_ir.primitives.cumulative import CumulativeAdd
from treadle_ir.primitives.indexing import DynamicSlice, DynamicUpdateSlice, Gather, Scatter
from treadle_ir.primitives.random import RandomBits, RandomFoldIn, RandomSplit
from treadle_ir.primitives.sort import Sort
from treadle_runtime.evaluation.host import indexing, math_functions
from treadle_runtime.evaluation.host.by_rule import Kernel, by_rule
from treadle_runtime.evaluation.host.convolution import convolution
from treadle_runtime.evaluation.host.indexing import MOST
from treadle_runtime.evaluation.host.reduce_precision import reduce_precision
from treadle_runtime.evaluation.host.threefry import bits_kernel, fold_in_kernel, split_kernel

# NumPy's letters of dtypes
_FLOATS: Final = (
    "fdFD"  # of which sums have the same dtype by default; sums of integers are widened
)
_INTEGERS: Final = "bhilqBHILQ"
_NATIVE: Final = "?efdFD" + _INTEGERS  # all dtypes of NumPy itself
OWN_ACCUMULATOR: Final = "fdilqFD"  # dtypes that elements of the same dtype are added in
MANY_CHOICES: Final = 1 << 12  # elements from which on they are selected by their bits
WRITTEN: Final = 1 << 12  # elements up to which writing a broadcast array is faster than a view
MOST_ADDED: Final = 1 << 12  # elements up to which a sum is a product with ones
_ONES: Final = {
    dtype.char: np.ones(MOST_ADDED, dtype) for dtype in map(np.dtype, (np.float32, np.float64))
}
_COMPARISONS: Final[Mapping[str, Kernel]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}

# Elementwise operations that are one function of NumPy, and whether NumPy computes 4-bit integers in wider ones.
_FUNCTIONS: Final[Mapping[type[Primitive], tuple[Kernel, bool]]] = {
    kind: (row.numpy, row.widens) for kind, row in e.OPERATIONS.items() if row.numpy is not None
}

# Any: a primitive's class says what attributes it has.
Maker = Callable[[Any, Sequence[ArrayType], ArrayType], "Kernel | None"]


def numpy_kernel(
    primitive: Primitive, operands: Sequence[Type], result: ArrayType
) -> Kernel | None:
    """Return the function that computes the only result of a primitive from its operands; None if there is none.

    The function may return a NumPy scalar, and a view of an operand where the primitive may alias.

    Args:
        primitive: the operation.
        operands: the types of its operands.
        result: the type of its result.
    """
    kind = type(primitive)
    function, widens = _FUNCTIONS.get(kind, (None, False))
    if function is not None and not widens:
        return function
    types = [type for type in operands if isinstance(type, ArrayType)]
    if kind in _ANY_TYPE:
        return _ANY_TYPE[kind](primitive, types, result)
    of_few = math_functions.kernel_of(primitive, result)
    if of_few is not None:
        return of_few
    if any([dtypes.letter(type.dtype) not in _NATIVE for type in (*types, result)]):
        return None
    if function is not None:
        return function
    maker = _MAKERS.get(kind)
    return None if maker is None else maker(primitive, types, result)


def _sum(primitive: r.ReduceAdd, operands: Sequence[ArrayType], result: ArrayType) -> Kernel | None:
    """Return a product with ones for few real numbers.

    BLAS takes a third of the time of NumPy's reduction, most of which is preparation, and is as exact.
    """
    (x,) = operands
    axes, rank, size = primitive.axes, x.ndim, x.size
    if x.dtype.char not in _ONES or not 0 < size <= MOST_ADDED or not 0 < len(axes) <= rank <= 2:
        return _total(np.add.reduce)(primitive, operands, result)
    if len(axes) == rank:
        ones = _ONES[x.dtype.char][:size]
        return (lambda x: x.dot(ones)) if rank == 1 else (lambda x: x.ravel().dot(ones))
    (axis,) = axes
    ones = _ONES[x.dtype.char][: x.shape[axis]]
    return (lambda x: x.dot(ones)) if axis else (lambda x: ones.dot(x))


def _total(reduce: Kernel) -> Maker:
    def make(
        primitive: r.ReduceAdd | r.ReduceMultiply,
        operands: Sequence[ArrayType],
        result: ArrayType,
    ) -> Kernel | None:
        axes, dtype = primitive.axes, result.dtype
        if dtype.char in _FLOATS:
            return lambda x: reduce(x, axes)  # `partial` would take half as long again
        if dtype.char in OWN_ACCUMULATOR:
            return lambda x: reduce(x, axes, dtype)
        return None

    return make


def _ordered(reduce: Kernel, of_vector: Kernel) -> Maker:
    def make(
        primitive: r.ReduceMaximum | r.ReduceMinimum,
        operands: Sequence[ArrayType],
        result: ArrayType,
    ) -> Kernel | None:
        axes = primitive.axes
        if operands[0].size == 0 or dtypes.letter(result.dtype) not in "fd" + _INTEGERS:
            return None
        if _is_short(axes, operands[0]):
            return of_vector
        return lambda x: reduce(x, axes)

    return make


def _is_short(axes: tuple[int, ...], operand: ArrayType) -> bool:
    """Return whether a reduction is of a short vector, where a search takes a quarter of the time of a reduction."""
    return operand.ndim == 1 and axes == (0,) and 0 < operand.size <= MOST


def greatest(x: Any) -> Any:
    """Return the greatest element of a vector; NaN, if there is one, since NumPy searches for NaN, too."""
    return x[x.argmax()]


def least(x: Any) -> Any:
    """Return the least element of a vector; NaN, if there is one, since NumPy searches for NaN, too."""
    return x[x.argmin()]


def _of_booleans(reduce: Kernel, of_vector: Kernel) -> Maker:
    def make(
        primitive: r.ReduceAnd | r.ReduceOr, operands: Sequence[ArrayType], result: ArrayType
    ) -> Kernel | None:
        axes = primitive.axes
        if result.dtype.char != "?":
            return None
        if _is_short(axes, operands[0]):
            return of_vector
        return lambda x: reduce(x, axes)

    return make


def _compare(primitive: Compare, operands: Sequence[ArrayType], result: ArrayType) -> Kernel:
    return _COMPARISONS[primitive.direction]


def _floating(function: Kernel) -> Maker:
    def make(
        primitive: Primitive, operands: Sequence[ArrayType], result: ArrayType
    ) -> Kernel | None:
        return function if result.dtype.kind == "f" else None

    return make


def _of_reals(function: Kernel) -> Maker:
    """Make a kernel of NumPy's function for reals, and of the rule, which corrects it, for complex numbers."""

    def make(primitive: Primitive, operands: Sequence[ArrayType], result: ArrayType) -> Kernel:
        return by_rule(primitive) if result.dtype.kind == "c" else function

    return make


def _rsqrt(primitive: e.Rsqrt, operands: Sequence[ArrayType], result: ArrayType) -> Kernel | None:
    sqrt, divide, one = np.sqrt, np.divide, np.array(1, result.dtype)
    return (lambda x: divide(one, sqrt(x))) if result.dtype.char in "fd" else None


def _sign(primitive: e.Sign, operands: Sequence[ArrayType], result: ArrayType) -> Kernel | None:
    sign, copysign = np.sign, np.copysign
    return (lambda x: copysign(sign(x), x)) if result.dtype.kind == "f" else None


def _shift_left(primitive: e.ShiftLeft, operands: Sequence[ArrayType], result: ArrayType) -> Kernel:
    return np.left_shift  # which gives 0 for shifts by the width or more, or by negative numbers


def _shift_right_arithmetic(
    primitive: e.ShiftRightArithmetic, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel | None:
    return np.right_shift if result.dtype.kind == "i" else None


def _shift_right_logical(
    primitive: e.ShiftRightLogical, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel:
    shift, dtype, bits = np.right_shift, result.dtype, np.dtype(f"u{result.dtype.itemsize}")
    if dtype == bits:
        return shift
    return lambda x, y: shift(x.view(bits), y.view(bits)).view(dtype)


def _clamp(primitive: Clamp, operands: Sequence[ArrayType], result: ArrayType) -> Kernel | None:
    minimum, maximum = np.minimum, np.maximum
    return lambda low, x, high: minimum(maximum(x, low), high)


def _logistic(
    primitive: e.Logistic, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel | None:
    if result.dtype.char not in "fd":
        return None
    # As the rule, with numbers of the type, which NumPy need not convert.
    exp, minimum, copysign, add, divide = np.exp, np.minimum, np.copysign, np.add, np.divide
    zero, one, minus = [np.array(x, result.dtype) for x in (0, 1, -1)]
    return lambda x: divide(exp(minimum(x, zero)), add(one, exp(copysign(x, minus))))


def _selected_bits(itemsize: int) -> Kernel:
    """Return a selection by the bits of its operands, which takes the same time for every condition.

    `where` branches: of 90,000 f32 it takes 0.06 ms if the condition is sorted and 0.47 if it is random, and this 0.06.
    """
    if itemsize > 8:
        return np.where
    word = np.dtype(f"i{itemsize}")

    def selected(condition: Any, x: Any, y: Any) -> Any:
        mask = condition.view(np.int8).astype(word)
        np.negative(mask, out=mask)  # all bits where it is true
        below = y.view(word)
        mask &= x.view(word) ^ below
        mask ^= below
        return mask.view(x.dtype)

    return selected


def _select(primitive: Select, operands: Sequence[ArrayType], result: ArrayType) -> Kernel:
    condition, _, on_false = [type.shape for type in operands]
    shape, dtype = result.shape, result.dtype
    if result.size >= MANY_CHOICES and condition == shape and dtypes.letter(dtype) in _NATIVE:
        return _selected_bits(dtype.itemsize)
    if not shape or condition != shape or result.size > MOST:
        return np.where
    # Elements put into an array take half the time of `where`, which broadcasts.
    put, empty = np.putmask, np.empty

    def into_copy(condition: Any, x: Any, y: Any) -> Any:
        out = y.copy()
        put(out, condition, x)
        return out

    def into_number(condition: Any, x: Any, y: Any) -> Any:
        out = empty(shape, dtype)
        out.fill(y)
        put(out, condition, x)
        return out

    return into_copy if on_false == shape else into_number if on_false == () else np.where


def _sort(primitive: Sort, operands: Sequence[ArrayType], result: ArrayType) -> Kernel | None:
    if len(operands) != 1 or result.ndim != 1 or result.size == 0:
        return None
    kind = dtypes.letter(result.dtype)
    if kind in _INTEGERS:

        def ascending(x: Any) -> Any:
            out = x.copy()
            out.sort()
            return out

        return ascending
    if kind not in "fd":
        return None
    count, size, rule = np.count_nonzero, result.size, by_rule(primitive)

    def without_zeros(x: Any) -> Any:
        # Zeros, whose signs NumPy does not look at, and NaNs, which come last, are for the rule.
        if count(x) == size:
            out = x.copy()
            out.sort()
            last = out[-1]
            if last == last:
                return out
        return rule(x)

    return without_zeros


def _saturating(primitive: Convert, source: ArrayType, target: Any) -> Kernel | None:
    """Return a kernel that casts floats to integers in one step if all of them fit; NaN does not fit."""
    if source.dtype.char not in "fd" or not 0 < source.size <= MOST or source.ndim > 1:
        return None
    bits, rule = 8 * target.itemsize, by_rule(primitive)
    low, high = (
        (-1.0, 2.0**bits) if target.kind == "u" else (-(2.0 ** (bits - 1)), 2.0 ** (bits - 1))
    )
    if not source.shape:
        return lambda x: x.astype(target) if low < float(x) < high else rule(x)
    return lambda x: x.astype(target) if low < least(x) and greatest(x) < high else rule(x)


def _convert(primitive: Convert, operands: Sequence[ArrayType], result: ArrayType) -> Kernel | None:
    source, target = operands[0].dtype, result.dtype
    if source == target:
        return lambda x: x
    widened = (target.kind == "f" and source.kind in "biuf") or (
        target.kind in "iu" and source.kind in "biu"
    )
    if widened:
        return lambda x: x.astype(target)
    return (
        _saturating(primitive, operands[0], target)
        if target.kind in "iu" and source.kind == "f"
        else None
    )


def _bitcast(primitive: BitcastConvert, operands: Sequence[ArrayType], result: ArrayType) -> Kernel:
    dtype = result.dtype
    return lambda x: x.view(dtype)


def _reshape(primitive: s.Reshape, operands: Sequence[ArrayType], result: ArrayType) -> Kernel:
    shape = result.shape
    return lambda x: x.reshape(shape)


def _broadcast(
    primitive: s.BroadcastInDim, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel:
    shape, dtype, aligned = result.shape, result.dtype, [1] * len(result.shape)
    for size, dimension in zip(operands[0].shape, primitive.dimensions, strict=True):
        aligned[dimension] = size
    if tuple(aligned) == shape:
        return lambda x: x.reshape(shape)
    if prod(shape) > WRITTEN:
        return lambda x: np.broadcast_to(x.reshape(aligned), shape)
    empty = np.empty

    def written(x: Any) -> Any:
        out = empty(shape, dtype)
        out[...] = x.reshape(aligned)
        return out

    return written


def _slice(primitive: s.Slice, operands: Sequence[ArrayType], result: ArrayType) -> Kernel:
    place = tuple(map(slice, primitive.start, primitive.limit, primitive.strides))
    return lambda x: x[place]


def _transpose(primitive: s.Transpose, operands: Sequence[ArrayType], result: ArrayType) -> Kernel:
    permutation = primitive.permutation
    return lambda x: x.transpose(permutation)


def _concatenate(
    primitive: s.Concatenate, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel:
    concatenate, axis = np.concatenate, primitive.dimension
    return lambda *operands: concatenate(operands, axis)


def _pad(primitive: s.Pad, operands: Sequence[ArrayType], result: ArrayType) -> Kernel:
    shape, sources, targets = reference.padding_of(primitive, operands[0].shape)
    dtype, empty = result.dtype, np.empty

    def padded(x: Any, value: Any) -> Any:
        out = empty(shape, dtype)
        out.fill(value)
        out[targets] = x[sources]
        return out

    return padded


def _reverse(primitive: s.Reverse, operands: Sequence[ArrayType], result: ArrayType) -> Kernel:
    turned = [
        slice(None, None, -1 if axis in primitive.dimensions else None)
        for axis in range(result.ndim)
    ]
    place = tuple(turned)
    return lambda x: x[place]


def _cumulative_add(
    primitive: CumulativeAdd, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel | None:
    accumulate, axis = np.add.accumulate, primitive.axis
    own = result.dtype.char in OWN_ACCUMULATOR and not primitive.reverse
    dtype = result.dtype
    return (lambda x: accumulate(x, axis, dtype)) if own else None


def _divide(primitive: e.Divide, operands: Sequence[ArrayType], result: ArrayType) -> Kernel | None:
    if result.dtype.kind in "fc":
        return np.divide
    if dtypes.letter(result.dtype) not in _INTEGERS:
        return None
    count, remainder, size, rule = np.count_nonzero, np.fmod, operands[1].size, by_rule(primitive)

    def quotient(x: Any, y: Any) -> Any:
        # Toward zero: x - fmod(x, y) is a multiple of y, so that the floor of the quotient is exact.
        return (x - remainder(x, y)) // y if count(y) == size else rule(x, y)

    return quotient


def _integer_power(
    primitive: e.IntegerPower, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel | None:
    if dtypes.letter(result.dtype) not in _FLOATS + _INTEGERS:
        return None
    if primitive.exponent == 0:
        one = np.ones(operands[0].shape, result.dtype)
        return lambda x: one.copy()
    if primitive.exponent == 2:
        multiply = np.multiply
        return lambda x: multiply(x, x)
    return None


def _dot(primitive: DotGeneral, operands: Sequence[ArrayType], result: ArrayType) -> Kernel | None:
    x, y = operands
    plain = (
        not primitive.batching[0]
        and primitive.contracting == ((x.ndim - 1,), (0,))
        and y.ndim <= 2
        and x.dtype == y.dtype == result.dtype
        and result.dtype.char in OWN_ACCUMULATOR
    )
    # The method: NumPy's function first looks whether an operand has a function of its own, which takes half as long.
    return (lambda x, y: x.dot(y)) if plain else None


def _count_leading_zeros(
    primitive: e.CountLeadingZeros, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel | None:
    dtype = result.dtype
    if dtype.itemsize > 4:  # float64 does not hold all integers of 64 bits
        return None
    unsigned, wide, frexp = np.dtype(f"u{dtype.itemsize}"), np.dtype(np.float64), np.frexp
    width = np.array(8 * dtype.itemsize, np.int32)
    # The exponent of an integer counts its digits; the exponent of 0 is 0.
    return lambda x: (width - frexp(x.view(unsigned).astype(wide))[1]).astype(dtype)


def _arg(search: str) -> Maker:
    def make(
        primitive: r.Argmax | r.Argmin, operands: Sequence[ArrayType], result: ArrayType
    ) -> Kernel | None:
        axis, dtype = primitive.axis, result.dtype
        if dtypes.letter(operands[0].dtype) not in "?fd" + _INTEGERS:
            return None
        if search == "argmax":
            return lambda x: x.argmax(axis).astype(dtype)
        return lambda x: x.argmin(axis).astype(dtype)

    return make


_MAKERS: Final[Mapping[type[Primitive], Maker]] = {
    BitcastConvert: _bitcast,
    Clamp: _clamp,
    Compare: _compare,
    Convert: _convert,
    CumulativeAdd: _cumulative_add,
    DynamicSlice: indexing.dynamic_slice,
    DynamicUpdateSlice: indexing.dynamic_update_slice,
    Gather: indexing.gather,
    Scatter: indexing.scatter,
    Select: _select,
    Sort: _sort,
    StopGradient: lambda primitive, operands, result: lambda x: x,
    Convolution: convolution,
    DotGeneral: _dot,
    ReducePrecision: reduce_precision,
    e.Abs: lambda primitive, operands, result: np.abs,
    e.CountLeadingZeros: _count_leading_zeros,
    e.Divide: _divide,
    e.GreatestCommonDivisor: lambda primitive, operands, result: np.gcd,
    e.IntegerPower: _integer_power,
    e.LogPlusOne: _floating(np.log1p),
    e.Logistic: _logistic,
    e.Power: _floating(np.power),
    e.Remainder: _floating(np.fmod),
    e.Rsqrt: _rsqrt,
    e.ShiftLeft: _shift_left,
    e.ShiftRightArithmetic: _shift_right_arithmetic,
    e.ShiftRightLogical: _shift_right_logical,
    e.Sign: _sign,
    r.Argmax: _arg("argmax"),
    r.Argmin: _arg("argmin"),
    r.ReduceAdd: _sum,
    r.ReduceMultiply: _total(np.multiply.reduce),
    r.ReduceAnd: _of_booleans(np.logical_and.reduce, least),
    r.ReduceMaximum: _ordered(np.maximum.reduce, greatest),
    r.ReduceMinimum: _ordered(np.minimum.reduce, least),
    r.ReduceOr: _of_booleans(np.logical_or.reduce, greatest),
    s.BroadcastInDim: _broadcast,
    s.Concatenate: _concatenate,
    s.Pad: _pad,
    s.Reverse: _reverse,
}

# Of elements that NumPy does not know, too.
_ANY_TYPE: Final[Mapping[type[Primitive], Maker]] = {
    RandomBits: bits_kernel,
    RandomFoldIn: fold_in_kernel,
    RandomSplit: split_kernel,
    e.ExponentialMinusOne: _of_reals(np.expm1),
    e.Tan: _of_reals(np.tan),
    e.Tanh: _of_reals(np.tanh),
    s.Reshape: _reshape,
    s.Slice: _slice,
    s.Transpose: _transpose,
}

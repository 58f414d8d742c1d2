"""Lowering of reductions.

Narrow floats are reduced in f32 and converted once, as the reference does it. argmax and argmin are made of
reductions that XLA:CPU turns into vector code; its reduction of (value, position) pairs is a scalar loop.

Along a short axis, such as the classes of a classifier, extremes are taken of integers in the order of the floats,
which XLA:CPU reduces in one vector loop: YNNPACK is started again for each row. Positions are then the low half of such
an integer. Of 1e5 rows of ten f32 the maxima take 0.49 ms on one core and not 0.70, their positions 0.56 and not 4.1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType, DType
from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import greatest, least
from treadle_ir.primitives.compare import Direction
from treadle_ir.primitives.reduce import (
    Argmax,
    Argmin,
    ReduceAdd,
    ReduceAnd,
    ReduceMaximum,
    ReduceMinimum,
    ReduceMultiply,
    ReduceOr,
    ReduceXor,
    Reduction,
)

_F32: Final = np.dtype(np.float32)
_I8: Final = np.dtype(np.int8)
_I32: Final = np.dtype(np.int32)
_I64: Final = np.dtype(np.int64)
STRIPS: Final = 16
# elements in a row of memory, from which on it pays to compile the folding
LONG_STRIP: Final = 1 << 12


# elements along an axis up to which it is short: beyond that, the loop is none of vectors
SHORT: Final = 32

# elements of a row below which integers are faster even than YNNPACK without a look for NaN
FEW: Final = 8


def wide(dtype: DType) -> DType:
    """The element type to compute in: f32 for narrower floats, i32 for 4-bit integers, else the same."""
    if dtypes.is_floating(dtype):
        return _F32 if dtype.itemsize < 4 else dtype
    return _I32 if dtypes.is_integer(dtype) and dtype.kind not in "iu" else dtype


_REDUCTIONS: Final[dict[type[Reduction], tuple[str, object]]] = {
    ReduceAdd: ("add", 0),
    ReduceMultiply: ("multiply", 1),
    ReduceAnd: ("and", True),
    ReduceOr: ("or", 0),
    ReduceXor: ("xor", 0),
}
"""The operation that combines two elements, and its identity."""


def reduce_lowering(context: LoweringContext, primitive: Reduction, /, x: HloValue) -> HloValues:
    """A reduction, of sums and products in the wide type."""
    op, identity = _REDUCTIONS[type(primitive)]
    if isinstance(primitive, ReduceAdd | ReduceMultiply):
        x = emit.convert(context, x, wide(x.dtype))
    if isinstance(primitive, ReduceAnd):  # the identity has all bits
        ones: object = np.asarray(-1, np.int8).astype(x.dtype)
        identity = ones if dtypes.is_signed(x.dtype) else greatest(x.dtype)
    result = emit.reduce(context, op, x, identity, primitive.axes)
    return [emit.convert(context, result, emit.result_type(context).dtype)]


for _reduction in _REDUCTIONS:
    lowering_rule(_reduction)(reduce_lowering)


def _extreme(
    context: LoweringContext, op: str, identity: object, x: HloValue, axes: Sequence[int]
) -> HloValue:
    """A reduction by maximum or minimum, NaN where there is one.

    XLA:CPU of jaxlib 0.10 hands reductions to YNNPACK, whose maximum passes over NaN, so NaN is looked for apart:
    a sum of squares is NaN if and only if a term is, since infinities cannot cancel, and YNNPACK squares as it adds.
    A search by `x != x` took twice the time, XLA's own maximum four times. Where many elements are reduced, strips of
    them are folded before that: 1e6 f32 on one core take 0.11 ms without and 0.07 with it, and 0.06 if NaN is lost;
    they compile in 40, 75 and 15 ms. May go when test_nan_is_the_maximum_of_every_shape passes without it on all
    releases of jaxlib in our window.
    """
    if context.platform == "cpu" and dtypes.is_floating(x.dtype):
        if x.dtype.itemsize == 1:  # most have no infinity: squares would overflow to NaN
            numbers = emit.convert(context, x, _F32)
            found = _extreme(context, op, np.asarray(identity).astype(_F32)[()], numbers, axes)
            return emit.convert(context, found, x.dtype)
        if x.dtype.itemsize >= 4 and [*axes] == [len(x.shape) - 1] and 0 < x.shape[-1] <= SHORT:
            return _extreme_of_integers(context, op, x)
        x, axes = _folded(context, op, x, axes)
        result = emit.reduce(context, op, x, identity, axes)
        size = emit.reduce(context, "add", emit.binary(context, "multiply", x, x), 0, axes)
        nan = emit.compare(context, size, size, "ne")
        return emit.select(context, nan, emit.like(context, result, np.nan), result)
    return emit.reduce(context, op, x, identity, axes)


def _extreme_of_integers(context: LoweringContext, op: str, x: HloValue) -> HloValue:
    """A reduction along the last axis by maximum or minimum, NaN where there is one."""
    ordered = _ordered(context, x, _nan_of(op, x.dtype))
    identity = least(ordered.dtype) if op == "maximum" else greatest(ordered.dtype)
    found = emit.reduce(context, op, ordered, identity, [len(x.shape) - 1])
    return emit.bitcast(context, _turned(context, found), x.dtype)


def _ordered(context: LoweringContext, x: HloValue, nan: object) -> HloValue:
    """Signed integers in the order of floats of f32 or f64, with one of them for all NaN."""
    bits = emit.bitcast(context, x, _I32 if x.dtype.itemsize == 4 else _I64)
    missing = emit.compare(context, x, x, "ne")
    return emit.select(context, missing, emit.like(context, bits, nan), _turned(context, bits))


def _turned(context: LoweringContext, bits: HloValue) -> HloValue:
    """Negative integers in the opposite order, which is the order of the floats with these bits; its own inverse."""
    negative = emit.compare(context, bits, emit.like(context, bits, 0), "lt")
    turned = emit.binary(context, "xor", bits, emit.like(context, bits, greatest(bits.dtype)))
    return emit.select(context, negative, turned, bits)


def _nan_of(op: str, dtype: DType) -> object:
    """Return the ordered integer that stands for NaN: beyond infinity, and NaN when it is turned back."""
    index = np.dtype(f"i{dtype.itemsize}")
    nan = np.asarray(np.nan, dtype).view(index)[()]
    return nan if op == "maximum" else ~nan


def _folded(
    context: LoweringContext, op: str, x: HloValue, axes: Sequence[int]
) -> tuple[HloValue, Sequence[int]]:
    """Return an array with the same extremes along some axes, with a sixteenth of the elements where there are many.

    The strips are read in one loop of vector instructions: the greater of two by a selection that takes no notice of
    NaN, which one instruction does, and whether there is NaN in any. The last strip overlaps the one before it.
    """
    module = context.module
    divided = module.partitioning is not None and context.manual is None
    if divided or x.dtype.itemsize < 4:
        return x, axes
    if len(axes) == len(x.shape):
        x, axes = emit.reshape(context, x, (math.prod(x.shape),)), (0,)
    axis = max(axes, key=lambda i: x.shape[i], default=0)
    size = x.shape[axis] if axes else 0
    length = -(-size // STRIPS)
    if length * math.prod(x.shape[axis + 1 :]) < LONG_STRIP:
        return x, axes
    strips = []
    for start in range(0, size, length):
        first = min(start, size - length)
        strips.append(emit.slice(context, x, axis, first, first + length))
    direction: Direction = "gt" if op == "maximum" else "lt"
    best, nan = strips[0], emit.compare(context, strips[0], strips[0], "ne")
    for strip in strips[1:]:
        best = emit.select(context, emit.compare(context, best, strip, direction), best, strip)
        unlike = emit.compare(context, strip, strip, "ne")
        nan = emit.binary(context, "or", nan, unlike)
    return emit.select(context, nan, emit.like(context, best, np.nan), best), axes


def _extreme_of_complex(
    context: LoweringContext, op: str, x: HloValue, axes: Sequence[int], keeps_nan: bool
) -> HloValue:
    """The extreme real part, and the extreme imaginary part of those that have it; NaN where there is one.

    XLA:CPU reduces floats in vectors: the extreme of 1e6 c64 takes 1.0 ms, and 11 by comparisons of both parts.
    """
    real, imaginary = emit.parts(context, x)
    bound = least if op == "maximum" else greatest
    beyond = bound(real.dtype)
    best = _extreme(context, op, beyond, real, axes)
    kept = [i for i in range(len(x.shape)) if i not in axes]
    attained = emit.compare(context, real, emit.broadcast(context, best, x.shape, kept), "eq")
    imaginary = emit.select(context, attained, imaginary, emit.like(context, imaginary, beyond))
    second = _extreme(context, op, beyond, imaginary, axes)
    result = context.one("stablehlo.complex", (best, second), ArrayType(best.shape, x.dtype))
    # the identity has no imaginary part, so it is beyond some infinities
    result = emit.binary(context, op, result, emit.like(context, result, bound(x.dtype)))
    if not keeps_nan:
        return result
    nan = emit.reduce(context, "or", emit.compare(context, x, x, "ne"), False, axes)
    return emit.select(context, nan, emit.like(context, result, complex(np.nan, np.nan)), result)


@lowering_rule(ReduceMaximum)
def reduce_maximum_lowering(
    context: LoweringContext, primitive: ReduceMaximum, x: HloValue
) -> HloValues:
    """A reduction; of complex numbers, one of each part."""
    if dtypes.is_complex(x.dtype):
        return [_extreme_of_complex(context, "maximum", x, primitive.axes, primitive.keeps_nan)]
    last = primitive.axes == (len(x.shape) - 1,)
    if not primitive.keeps_nan and not (last and x.shape[-1] < FEW):
        return [emit.reduce(context, "maximum", x, least(x.dtype), primitive.axes)]
    return [_extreme(context, "maximum", least(x.dtype), x, primitive.axes)]


@lowering_rule(ReduceMinimum)
def reduce_minimum_lowering(
    context: LoweringContext, primitive: ReduceMinimum, x: HloValue
) -> HloValues:
    """A reduction; of complex numbers, one of each part."""
    if dtypes.is_complex(x.dtype):
        return [_extreme_of_complex(context, "minimum", x, primitive.axes, True)]
    return [_extreme(context, "minimum", greatest(x.dtype), x, primitive.axes)]


def arg_extreme_lowering(
    context: LoweringContext, primitive: Argmax | Argmin, /, x: HloValue
) -> HloValues:
    """The first place of the extreme, or of NaN."""
    op, bound = ("maximum", least) if isinstance(primitive, Argmax) else ("minimum", greatest)
    found = _first_extreme(context, op, bound(x.dtype), x, primitive.axis)
    return [emit.convert(context, found, primitive.dtype)]


lowering_rule(Argmax)(arg_extreme_lowering)
lowering_rule(Argmin)(arg_extreme_lowering)


def _first_extreme(
    context: LoweringContext, op: str, identity: object, x: HloValue, axis: int
) -> HloValue:
    """Reduce to the extreme of the numbers, then to the least position that has it.

    Positions of NaN count from minus the size, so they are below all others and the first of them wins, whether
    or not the extreme is NaN itself (see `_extreme`).
    """
    size = x.shape[axis]
    if dtypes.is_bool(x.dtype):  # XLA:CPU has no vectors of truth values: seven times as fast
        x, identity = emit.convert(context, x, _I8), int(bool(identity))
    if context.platform == "cpu" and size <= SHORT and _fits_i32(x.dtype):
        return _first_of_integers(context, op, x, axis)
    index = _I32 if size <= np.iinfo(_I32).max else _I64
    extreme = emit.reduce(context, op, x, identity, [axis])
    kept = [i for i in range(len(x.shape)) if i != axis]
    hit = emit.compare(context, x, emit.broadcast(context, extreme, x.shape, kept), "eq")
    places = emit.iota(context, x.shape, index, axis)
    beyond = np.iinfo(index).max
    chosen = emit.select(context, hit, places, emit.like(context, places, beyond))
    if not dtypes.is_floating(x.dtype):
        return emit.reduce(context, "minimum", chosen, beyond, [axis])
    below = emit.binary(context, "subtract", places, emit.like(context, places, size))
    chosen = emit.select(context, emit.compare(context, x, x, "ne"), below, chosen)
    found = emit.reduce(context, "minimum", chosen, beyond, [axis])
    negative = emit.compare(context, found, emit.like(context, found, 0), "lt")
    moved = emit.binary(context, "add", found, emit.like(context, found, size))
    return emit.select(context, negative, moved, found)


def _fits_i32(dtype: DType) -> bool:
    """Return whether elements, or the integers in their order, are i32."""
    if dtypes.is_floating(dtype):
        return dtype.itemsize <= 4
    return dtype.itemsize < 4 or dtype == _I32


def _first_of_integers(context: LoweringContext, op: str, x: HloValue, axis: int) -> HloValue:
    """The first place of the extreme, or of NaN: the low half of integers that have the elements in their high half."""
    if dtypes.is_floating(x.dtype):
        x = emit.convert(context, x, _F32)
        nan = greatest(_I32) if op == "maximum" else least(_I32)
        zero = emit.compare(context, x, emit.like(context, x, 0), "eq")  # of either sign
        ordered = _ordered(context, x, nan)
        x = emit.select(context, zero, emit.like(context, ordered, 0), ordered)
    size = x.shape[axis]
    high = emit.convert(context, x, _I64)
    high = emit.binary(context, "shift_left", high, emit.like(context, high, 32))
    low = emit.iota(context, x.shape, _I64, axis)
    if op == "maximum":  # of equal ones, the first is the greatest
        low = emit.binary(context, "subtract", emit.like(context, low, size - 1), low)
    pairs = emit.binary(context, "or", high, low)
    identity = least(_I64) if op == "maximum" else greatest(_I64)
    found = emit.reduce(context, op, pairs, identity, [axis])
    low = emit.binary(context, "and", found, emit.like(context, found, 0xFFFFFFFF))
    if op == "maximum":
        low = emit.binary(context, "subtract", emit.like(context, low, size - 1), low)
    return emit.convert(context, low, _I32)

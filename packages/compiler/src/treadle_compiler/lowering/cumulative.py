"""Lowering of cumulative operations.

On CPU a loop along the axis, which carries the last result and writes over its own input: axis 0 of 1000x1000 f32
takes 0.3 ms (one `reduce_window`: 3). It adds in the reference's order, so sums agree to the bit.

Where the axis is long and the last one, each iteration of such a loop waits for the one before, through memory: 3.6 ms
for 1e6 f32. So sums go through the flat array in blocks, whose own partial sums do not wait: 1.0 ms (rows times
a triangle: 5 to 8; log-step scan: 13; columns of a transposed copy: 1.8). Float sums are then rounded in another
order. Maxima gain nothing by it, and products keep the loop: the product of a block can overflow where the product of
all elements does not.

Elsewhere one `reduce_window` over all that came before, which XLA splits into a tree: a loop would launch a kernel
for each element.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.lowering.reduce import wide
from treadle_compiler.registry import lowering_rule
from treadle_compiler.types import i64_array
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType, DType
from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import greatest, least
from treadle_ir.primitives.cumulative import (
    Cumulative,
    CumulativeAdd,
    CumulativeLogsumexp,
    CumulativeMaximum,
    CumulativeMinimum,
    CumulativeMultiply,
)

LEAST_SIZE: Final = 1 << 15  # smaller arrays keep the reference's order
LEAST_LENGTH: Final = 64  # shorter axes: one iteration for each position along the axis

_BOOL: Final = np.dtype(np.bool_)
_I32: Final = np.dtype(np.int32)
_I64: Final = np.dtype(np.int64)
_OPERATIONS: Final[dict[type[Cumulative], str]] = {
    CumulativeAdd: "add",
    CumulativeMultiply: "multiply",
    CumulativeMaximum: "maximum",
    CumulativeMinimum: "minimum",
}


def _combine(context: LoweringContext, primitive: Cumulative, x: HloValue, y: HloValue) -> HloValue:
    """Combine the elements so far with one more."""
    if isinstance(primitive, CumulativeLogsumexp):
        return _logaddexp(context, x, y)
    return emit.binary(context, _OPERATIONS[type(primitive)], x, y)


def _logaddexp(context: LoweringContext, x: HloValue, y: HloValue) -> HloValue:
    """max(x, y) + log(1 + e^-|x - y|); equal infinities, whose difference is NaN, get log 2 added."""
    most = emit.binary(context, "maximum", x, y)
    distance = emit.unary(context, "abs", emit.binary(context, "subtract", x, y))
    power = emit.unary(context, "exponential", emit.unary(context, "negate", distance))
    rest = emit.unary(context, "log_plus_one", power)
    equal = emit.compare(context, x, y, "eq")
    rest = emit.select(context, equal, emit.like(context, x, np.log(2.0)), rest)
    return emit.binary(context, "add", most, rest)


def _identity(primitive: Cumulative, dtype: DType) -> object:
    if dtypes.is_complex(dtype) and isinstance(primitive, (CumulativeMaximum, CumulativeMinimum)):
        beyond = -np.inf if isinstance(primitive, CumulativeMaximum) else np.inf
        return complex(beyond, beyond)
    if isinstance(primitive, CumulativeMinimum):
        return greatest(dtype)
    if isinstance(primitive, (CumulativeMaximum, CumulativeLogsumexp)):
        return least(dtype)
    return 1 if isinstance(primitive, CumulativeMultiply) else 0


def _block(dtype: DType) -> int:
    """Return the number of elements in a block: the quickest of 4, 8 and 16."""
    return 8 if dtypes.is_floating(dtype) else 4


def _goes_in_blocks(primitive: Cumulative, x: HloValue) -> bool:
    inner = math.prod(x.shape[primitive.axis + 1 :])
    n = x.shape[primitive.axis]
    size = math.prod(x.shape)
    return (
        isinstance(primitive, CumulativeAdd)
        and not dtypes.is_complex(x.dtype)
        and inner == 1
        and n >= LEAST_LENGTH
        and LEAST_SIZE <= size <= np.iinfo(_I32).max - _block(x.dtype)
        and (n == size or n % _block(x.dtype) == 0)
    )


def _in_blocks(context: LoweringContext, primitive: Cumulative, x: HloValue) -> HloValue:
    """A loop over blocks of the flat array: the results in a block alone, then with what came before it.

    It reads one array and writes another: XLA would copy, in each iteration, an array that is read twice.
    """
    n, size, width = x.shape[primitive.axis], math.prod(x.shape), _block(x.dtype)
    flat = emit.reshape(context, x, (size,))
    identity = _identity(primitive, x.dtype)
    beyond = -size % width
    if beyond:
        flat = emit.pad(context, flat, emit.scalar(context, identity, x.dtype), 0, 0, beyond)
    one, block = ArrayType((1,), x.dtype), ArrayType((width,), x.dtype)
    forward = not primitive.reverse
    first, last, step, order = 0, size + beyond - width, width, range(width)
    if not forward:
        first, last, step, order = last, first, -width, order[::-1]

    def combined(x: HloValue, y: HloValue) -> HloValue:
        return _combine(context, primitive, x, y)

    def unfinished(carry: HloValues) -> HloValue:
        return emit.compare(context, carry[0], emit.scalar(context, last + step, _I32), "ne")

    def advance(carry: HloValues) -> list[HloValue]:
        place, before, array, written = carry
        if n != size:  # each row starts again
            edge = emit.binary(context, "remainder", place, emit.scalar(context, n, _I32))
            start = emit.scalar(context, 0 if forward else n - width, _I32)
            begins = context.broadcast_scalar(
                emit.compare(context, edge, start, "eq"), ArrayType((1,), _BOOL)
            )
            before = emit.select(context, begins, emit.like(context, before, identity), before)
        here = emit.dynamic_slice(context, array, (place,), (width,))
        results: list[HloValue] = []
        for k in order:
            element = emit.slice(context, here, 0, k, k + 1)
            results.append(combined(results[-1], element) if results else element)
        after = combined(before, results[-1])
        parts = results if forward else results[::-1]
        axis = {"dimension": "0 : i64"}
        own = context.one("stablehlo.concatenate", parts, block, axis)
        every = emit.broadcast(context, emit.reshape(context, before, ()), (width,), ())
        written = emit.dynamic_update_slice(context, written, combined(every, own), (place,))
        following = emit.binary(context, "add", place, emit.scalar(context, step, _I32))
        return [following, after, array, written]

    start = emit.scalar(context, first, _I32)
    carry = (start, context.constant(identity, one), flat, emit.like(context, flat, identity))
    result = emit.while_loop(context, carry, unfinished, advance)[3]
    if beyond:
        result = emit.slice(context, result, 0, 0, size)
    return emit.reshape(context, result, x.shape)


@lowering_rule(Cumulative, platform="cpu")
def cumulative_cpu_lowering(
    context: LoweringContext, primitive: Cumulative, x: HloValue
) -> HloValues:
    """A loop along the axis."""
    axis, shape = primitive.axis, x.shape
    n = shape[axis]
    if n <= 1 or 0 in shape:
        return [x]
    values = emit.convert(context, x, wide(x.dtype))
    if _goes_in_blocks(primitive, values):
        return [emit.convert(context, _in_blocks(context, primitive, values), x.dtype)]
    row = ArrayType((*shape[:axis], 1, *shape[axis + 1 :]), values.dtype)
    index = _I32 if n <= np.iinfo(_I32).max else _I64
    step = -1 if primitive.reverse else 1
    end = -1 if primitive.reverse else n

    def unfinished(carry: HloValues) -> HloValue:
        return emit.compare(context, carry[0], emit.scalar(context, end, index), "ne")

    def advance(carry: HloValues) -> list[HloValue]:
        place, before, array = carry
        zero = emit.scalar(context, 0, index)
        starts = [place if i == axis else zero for i in range(len(shape))]
        element = emit.dynamic_slice(context, array, starts, row.shape)
        result = _combine(context, primitive, before, element)
        written = emit.dynamic_update_slice(context, array, result, starts)
        following = emit.binary(context, "add", place, emit.scalar(context, step, index))
        return [following, result, written]

    start = emit.scalar(context, n - 1 if primitive.reverse else 0, index)
    before = context.constant(_identity(primitive, values.dtype), row)
    strong = HloValue(values.name, ArrayType(shape, values.dtype))
    result = emit.while_loop(context, (start, before, strong), unfinished, advance)[2]
    return [emit.convert(context, result, x.dtype)]


@lowering_rule(Cumulative)
def cumulative_lowering(context: LoweringContext, primitive: Cumulative, x: HloValue) -> HloValues:
    """A window as long as the axis, of which only what came before lies inside."""
    axis, shape = primitive.axis, x.shape
    n, rank = shape[axis], len(shape)
    if n <= 1 or 0 in shape:
        return [x]
    values = emit.convert(context, x, wide(x.dtype))
    init = emit.scalar(context, _identity(primitive, values.dtype), values.dtype)
    region = context.region((init.type, init.type), lambda xy: [_combine(context, primitive, *xy)])
    around = f"[0, {n - 1}]" if primitive.reverse else f"[{n - 1}, 0]"
    padding = ", ".join([around if i == axis else "[0, 0]" for i in range(rank)])
    ones = i64_array([1] * rank)
    attributes = {
        "window_dimensions": i64_array([n if i == axis else 1 for i in range(rank)]),
        "window_strides": ones,
        "base_dilations": ones,
        "window_dilations": ones,
        "padding": f"dense<[{padding}]> : tensor<{rank}x2xi64>",
    }
    type = ArrayType(shape, values.dtype)
    result = context.one("stablehlo.reduce_window", (values, init), type, attributes, (region,))
    return [emit.convert(context, result, x.dtype)]

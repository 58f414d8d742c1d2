"""Short spellings of single StableHLO operations, for lowering rules that need more than one."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Final, final

import numpy as np

from treadle_compiler.context import LoweringContext
from treadle_compiler.types import i64_array
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType, DType
from treadle_ir.core import dtypes
from treadle_ir.primitives.compare import Direction

_BOOL: Final = np.dtype(np.bool_)
_F32: Final = np.dtype(np.float32)
_I32: Final = np.dtype(np.int32)
_I64: Final = np.dtype(np.int64)
_WITHOUT_NEGATIVE_ZERO: Final = frozenset(
    [dtypes.BY_NAME[name] for name in dtypes.MINIFLOATS if name.endswith("uz")]
)


def array_type(x: HloValue) -> ArrayType:
    """The type of an array's value."""
    assert isinstance(x.type, ArrayType)
    return x.type


def result_type(context: LoweringContext) -> ArrayType:
    """The type of the one result of the equation that is being lowered."""
    (type,) = context.result_types
    assert isinstance(type, ArrayType)
    return type


def scalar(context: LoweringContext, value: object, dtype: DType) -> HloValue:
    """A scalar constant."""
    return context.constant(value, ArrayType((), dtype))


def like(context: LoweringContext, x: HloValue, value: object) -> HloValue:
    """A scalar constant broadcast to the shape of a value, of its element type."""
    return context.constant(value, ArrayType(x.shape, x.dtype))


def binary(context: LoweringContext, op: str, x: HloValue, y: HloValue) -> HloValue:
    """`x op y`, elementwise: `binary(context, "add", x, y)`."""
    if op in ("maximum", "minimum") and dtypes.is_complex(x.dtype):
        return _extreme_by_parts(context, op, x, y)
    return context.one(f"stablehlo.{op}", (x, y), ArrayType(x.shape, x.dtype))


def _extreme_by_parts(context: LoweringContext, op: str, x: HloValue, y: HloValue) -> HloValue:
    """Return the greater or the lesser of complex numbers by real part, then by imaginary part; NaN wins."""
    direction: Direction = "gt" if op == "maximum" else "lt"
    (x_real, x_imag), (y_real, y_imag) = parts(context, x), parts(context, y)
    further = compare(context, x_imag, y_imag, direction)
    further = binary(context, "and", compare(context, x_real, y_real, "eq"), further)
    first = binary(context, "or", compare(context, x_real, y_real, direction), further)
    first = binary(context, "and", first, compare(context, y, y, "eq"))
    first = binary(context, "or", first, compare(context, x, x, "ne"))
    return select(context, first, x, y)


def unary(context: LoweringContext, op: str, x: HloValue) -> HloValue:
    """`op x`, elementwise."""
    return context.one(f"stablehlo.{op}", (x,), ArrayType(x.shape, x.dtype))


def compare(context: LoweringContext, x: HloValue, y: HloValue, direction: Direction) -> HloValue:
    """Return whether `x` stands in a relation to `y`, elementwise; both of one shape."""
    type = ArrayType(x.shape, _BOOL)
    return context.one("stablehlo.compare", (x, y), type, _comparison(direction, x.dtype))


@functools.lru_cache(maxsize=256)
def _comparison(direction: Direction, dtype: DType) -> dict[str, str]:
    order = "SIGNED" if dtypes.is_signed(dtype) else "UNSIGNED"
    if dtypes.is_inexact(dtype):
        order = "FLOAT"
    return {
        "comparison_direction": f"#stablehlo<comparison_direction {direction.upper()}>",
        "compare_type": f"#stablehlo<comparison_type {order}>",
    }


def select(
    context: LoweringContext, condition: HloValue, on_true: HloValue, on_false: HloValue
) -> HloValue:
    """`on_true` where `condition` holds, else `on_false`; all of one shape."""
    operands = condition, on_true, on_false
    return context.one("stablehlo.select", operands, ArrayType(on_true.shape, on_true.dtype))


def convert(context: LoweringContext, x: HloValue, dtype: DType) -> HloValue:
    """The same numbers in another element type."""
    if x.dtype == dtype:
        return x
    if dtype in _WITHOUT_NEGATIVE_ZERO and dtypes.is_floating(x.dtype):
        x = _flushed(context, x, dtype)
    elif x.dtype in dtypes.SMALL and dtype != _F32 and dtypes.is_floating(x.dtype):
        # XLA compares with limits of integers that the type lacks: 6 becomes 127
        x = convert(context, x, _F32)
    return context.one("stablehlo.convert", (x,), ArrayType(x.shape, dtype))


def _flushed(context: LoweringContext, x: HloValue, dtype: DType) -> HloValue:
    """Floats of which those that round to zero in a type are zero.

    XLA:CPU of jaxlib 0.10.2 rounds small negative ones to the pattern of -0, which in types without it is the NaN.
    """
    wide = x if x.dtype.itemsize > 2 else convert(context, x, _F32)
    (least,) = np.ones(1, np.uint8).view(dtype).astype(np.float32)  # of the pattern 1
    half = like(context, wide, least / 2)  # which rounds to even
    small = compare(context, unary(context, "abs", wide), half, "le")
    return select(context, small, like(context, wide, 0), wide)


def parts(context: LoweringContext, z: HloValue) -> tuple[HloValue, HloValue]:
    """The real and the imaginary part of complex numbers."""
    type = ArrayType(z.shape, dtypes.real_part(z.dtype))
    return context.one("stablehlo.real", (z,), type), context.one("stablehlo.imag", (z,), type)


def bitcast(context: LoweringContext, x: HloValue, dtype: DType) -> HloValue:
    """The same bits read as another element type of the same width."""
    return context.one("stablehlo.bitcast_convert", (x,), ArrayType(x.shape, dtype))


def barrier(context: LoweringContext, operands: HloValues) -> list[HloValue]:
    """Return the same values, none of which XLA computes with what is after them, or again."""
    types = [operand.type for operand in operands]
    return context.emit("stablehlo.optimization_barrier", operands, types)


def iota(context: LoweringContext, shape: Sequence[int], dtype: DType, dimension: int) -> HloValue:
    """0, 1, 2, ... along an axis."""
    type = ArrayType(tuple(shape), dtype)
    return context.one("stablehlo.iota", (), type, {"iota_dimension": f"{dimension} : i64"})


def broadcast(
    context: LoweringContext, x: HloValue, shape: Sequence[int], dimensions: Sequence[int]
) -> HloValue:
    """The value broadcast to a shape; `dimensions` says which of its axes are the value's."""
    attributes = {"broadcast_dimensions": i64_array(dimensions)}
    return context.one(
        "stablehlo.broadcast_in_dim", (x,), ArrayType(tuple(shape), x.dtype), attributes
    )


def reshape(context: LoweringContext, x: HloValue, shape: Sequence[int]) -> HloValue:
    """The same elements in another shape."""
    if tuple(shape) == x.shape:
        return x
    return context.one("stablehlo.reshape", (x,), ArrayType(tuple(shape), x.dtype))


def transpose(context: LoweringContext, x: HloValue, permutation: Sequence[int]) -> HloValue:
    """The axes in another order."""
    if list(permutation) == list(range(len(permutation))):
        return x
    type = ArrayType(tuple([x.shape[i] for i in permutation]), x.dtype)
    return context.one("stablehlo.transpose", (x,), type, {"permutation": i64_array(permutation)})


def slice(context: LoweringContext, x: HloValue, axis: int, start: int, limit: int) -> HloValue:
    """The elements from `start` to `limit` along one axis."""
    shape = x.shape
    type = ArrayType((*shape[:axis], limit - start, *shape[axis + 1 :]), x.dtype)
    attributes = {
        "start_indices": i64_array([start if i == axis else 0 for i in range(len(shape))]),
        "limit_indices": i64_array([limit if i == axis else n for i, n in enumerate(shape)]),
        "strides": i64_array([1] * len(shape)),
    }
    return context.one("stablehlo.slice", (x,), type, attributes)


def dynamic_slice(
    context: LoweringContext, x: HloValue, starts: HloValues, sizes: tuple[int, ...]
) -> HloValue:
    """A slice of these sizes from starts known at run time, one for each axis."""
    attributes = {"slice_sizes": i64_array(sizes)}
    type = ArrayType(sizes, x.dtype)
    return context.one("stablehlo.dynamic_slice", (x, *starts), type, attributes)


def dynamic_update_slice(
    context: LoweringContext, x: HloValue, update: HloValue, starts: HloValues
) -> HloValue:
    """`x` with a slice from these starts replaced."""
    type = ArrayType(x.shape, x.dtype)
    return context.one("stablehlo.dynamic_update_slice", (x, update, *starts), type)


def pad(
    context: LoweringContext, x: HloValue, value: HloValue, axis: int, low: int, high: int
) -> HloValue:
    """Padding before and after, along one axis."""
    shape, rank = x.shape, len(x.shape)
    type = ArrayType((*shape[:axis], low + shape[axis] + high, *shape[axis + 1 :]), x.dtype)
    attributes = {
        "edge_padding_low": i64_array([low if i == axis else 0 for i in range(rank)]),
        "edge_padding_high": i64_array([high if i == axis else 0 for i in range(rank)]),
        "interior_padding": i64_array([0] * rank),
    }
    return context.one("stablehlo.pad", (x, value), type, attributes)


def reduce(
    context: LoweringContext, op: str, x: HloValue, identity: object, axes: Sequence[int]
) -> HloValue:
    """Elements along some axes made one by a binary operation."""
    init = scalar(context, identity, x.dtype)
    if op in ("maximum", "minimum") and dtypes.is_complex(x.dtype):
        region = context.region((init.type, init.type), lambda xy: [binary(context, op, *xy)])
    else:
        region = context.binary_region(f"stablehlo.{op}", init.type)
    type = ArrayType(tuple([n for i, n in enumerate(x.shape) if i not in axes]), x.dtype)
    attributes = {"dimensions": i64_array(axes)}
    return context.one("stablehlo.reduce", (x, init), type, attributes, (region,))


def while_loop(
    context: LoweringContext,
    carry: HloValues,
    condition: Callable[[HloValues], HloValue],
    body: Callable[[HloValues], HloValues],
) -> list[HloValue]:
    """Repeat `body` on the carry while `condition` holds of it."""
    types = [x.type for x in carry]
    regions = (
        context.region(types, lambda values: [condition(values)]),
        context.region(types, body),
    )
    return context.emit("stablehlo.while", carry, types, None, regions)


@final
class Taker:
    """Takes elements along an axis of values of one shape, by indices into their flat form."""

    def __init__(self, context: LoweringContext, shape: tuple[int, ...], axis: int) -> None:
        self.context, self.shape, self.axis = context, shape, axis
        self.size = math.prod(shape)
        self.dtype: DType = _I32 if self.size <= np.iinfo(_I32).max else _I64

    def flat(self, positions: HloValue) -> HloValue:
        """The flat indices of positions along the axis."""
        context, shape, axis = self.context, positions.shape, self.axis
        index = convert(context, positions, self.dtype)
        strides = [1] * len(shape)
        for i in reversed(range(len(shape) - 1)):
            strides[i] = strides[i + 1] * self.shape[i + 1]
        total = self._times(index, strides[axis])
        for i, stride in enumerate(strides):
            if i != axis and self.shape[i] > 1:
                place = iota(context, shape, self.dtype, i)
                total = binary(context, "add", total, self._times(place, stride))
        return total

    def _times(self, x: HloValue, factor: int) -> HloValue:
        if factor == 1:
            return x
        return binary(self.context, "multiply", x, like(self.context, x, factor))

    def take(self, x: HloValue, indices: HloValue) -> HloValue:
        """The elements at flat indices, which are in range."""
        numbers = (
            "#stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], "
            f"index_vector_dim = {len(indices.shape)}>"
        )
        attributes = {
            "dimension_numbers": numbers,
            "slice_sizes": i64_array([1]),
            "indices_are_sorted": "false",
        }
        operands = reshape(self.context, x, (self.size,)), indices
        type = ArrayType(indices.shape, x.dtype)
        return self.context.one("stablehlo.gather", operands, type, attributes)

"""The device's own random generator, from which the keys of `rbg` and `unsafe_rbg` draw: what their rules emit.

What is drawn is defined in `treadle_ir.primitives.random`. On the CPU XLA has Philox-4x32; other devices may
differ.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.elements import as_elements, as_numbers
from treadle_compiler.types import i64_array
from treadle_compiler.value import HloValue
from treadle_ir import ArrayType, DType
from treadle_ir.core.dtypes import RBG
from treadle_ir.primitives.random import SPACING

_U32: Final = np.dtype(np.uint32)
_U64: Final = np.dtype(np.uint64)
_STATE: Final = ArrayType((2,), _U64)
_DEFAULT: Final = {"rng_algorithm": "#stablehlo<rng_algorithm DEFAULT>"}


def to_words(context: LoweringContext, keys: HloValue) -> HloValue:
    """Wide keys as four 32-bit words each, along a new last axis."""
    pairs = ArrayType((*keys.shape, 2, 2), _U32)
    cut = context.one("stablehlo.bitcast_convert", [as_numbers(keys)], pairs)
    return emit.reshape(context, cut, (*keys.shape, 4))


def of_words(context: LoweringContext, x: HloValue, type: ArrayType) -> HloValue:
    """Wide keys of their words."""
    pairs = emit.reshape(context, x, (*type.shape, 2, 2))
    whole = ArrayType((*type.shape, 2), _U64)
    return as_elements(context.one("stablehlo.bitcast_convert", [pairs], whole), type)


def generated(
    context: LoweringContext, keys: HloValue, shape: tuple[int, ...], dtype: DType
) -> HloValue:
    """Bits of the first key in an array of a shape."""
    if not math.prod(shape):
        return context.constant(0, ArrayType(shape, dtype))
    flat = emit.reshape(context, as_numbers(keys), (math.prod(keys.shape), 2))
    state = emit.reshape(context, emit.slice(context, flat, 0, 0, 1), (2,))
    drawn = ArrayType(shape, dtype if dtype == _U64 else _U32)
    _, bits = context.emit("stablehlo.rng_bit_generator", [state], (_STATE, drawn), _DEFAULT)
    return emit.convert(context, bits, dtype)


def keys_by_generator(
    context: LoweringContext, keys: HloValue, shape: tuple[int, ...], type: ArrayType
) -> HloValue:
    """New keys: the first of each ten that are drawn."""
    count, batch = math.prod(shape), keys.shape
    drawn = generated(context, keys, (*batch, SPACING * count, 4), _U32)
    rank = len(drawn.shape)
    attributes = {
        "start_indices": i64_array([0] * rank),
        "limit_indices": i64_array(drawn.shape),
        "strides": i64_array([*[1] * len(batch), SPACING, 1]),
    }
    kept = context.one("stablehlo.slice", [drawn], ArrayType((*batch, count, 4), _U32), attributes)
    return of_words(context, kept, type)


def folded_by_generator(
    context: LoweringContext, keys: HloValue, data: HloValue, type: ArrayType
) -> HloValue:
    """Keys combined with the last of the ten that keys of the data draw."""
    zero = emit.like(context, data, 0)
    parts = [emit.reshape(context, x, (*data.shape, 1)) for x in (zero, data, zero, data)]
    rank = len(data.shape)
    attributes = {"dimension": f"{rank} : i64"}
    four = ArrayType((*data.shape, 4), _U32)
    seeds = context.one("stablehlo.concatenate", parts, four, attributes)
    seeded = of_words(context, seeds, ArrayType(data.shape, RBG))
    drawn = generated(context, seeded, (*data.shape, SPACING, 4), _U32)
    last = emit.reshape(
        context, emit.slice(context, drawn, rank, SPACING - 1, SPACING), (*data.shape, 4)
    )
    if data.shape != keys.shape:  # a scalar, or axes of size 1
        own = [i for i in range(rank) if data.shape[i] == keys.shape[i]]
        last = emit.reshape(context, last, (*[data.shape[i] for i in own], 4))
        last = emit.broadcast(context, last, (*keys.shape, 4), (*own, len(keys.shape)))
    return of_words(context, emit.binary(context, "xor", to_words(context, keys), last), type)

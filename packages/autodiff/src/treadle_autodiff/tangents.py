"""Tangents and cotangents: symbolic zeros, sums, and making a zero an array when somebody needs one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, final

import numpy as np

from treadle_ir import Array, ArrayType, DType, DTypeError, Operand, Type, ops, type_of
from treadle_ir.calling import as_array
from treadle_ir.core import dtypes, is_symbolic
from treadle_ir.process import frozen


@final
class Zero:
    """A tangent or cotangent known to be zero, without an array."""

    __slots__ = ("type",)

    def __init__(self, type: Type) -> None:
        self.type = type

    def __repr__(self) -> str:
        return f"Zero({self.type})"


@final
@frozen
class Linear:
    """Stands in a transpose rule for an operand the equation is linear in."""

    type: Type


Tangent: TypeAlias = Operand | Zero
Tangents: TypeAlias = Sequence[Tangent]


def zeros(type: Type) -> Operand:
    """An array of zeros of a type: a scalar zero, broadcast."""
    assert isinstance(type, ArrayType)
    if dtypes.is_float0(type.dtype):  # it has one value and no data
        if is_symbolic(type.shape):
            nothing = np.zeros((), type.dtype)[()]
            return ops.broadcast_in_dim(nothing, shape=type.shape, dimensions=())
        return np.zeros(type.shape, type.dtype)
    zero: Operand
    zero = extended_zero(type.dtype) if dtypes.is_extended(type.dtype) else type.dtype.type(0)
    if type.shape:
        return ops.broadcast_in_dim(zero, shape=type.shape, dimensions=())
    return zero


def stays_wide(primal: ArrayType, dtype: DType) -> bool:
    """Return whether a cotangent may have a wider element type: for 8-bit floats, which are too coarse for gradients.

    It is the bwd rules of quantised layers that give them and take them.
    """
    narrow = dtypes.is_floating(primal.dtype) and primal.dtype.itemsize == 1
    return narrow and dtypes.is_floating(dtype)


def tangent_type(tangent: Tangent) -> Type:
    """The type that a tangent has, or would have as an array."""
    return tangent.type if isinstance(tangent, Zero) else type_of(tangent)


def materialise(tangent: Tangent) -> Operand:
    """The tangent as an array."""
    return zeros(tangent.type) if isinstance(tangent, Zero) else tangent


def presented(tangent: Tangent, primal: ArrayType) -> Array:
    """The tangent of a primal of a type as users see it: an array, as weak as the primal is."""
    array = as_array(materialise(tangent))
    type, weak = type_of(array), primal.weak
    if type.weak == weak or dtypes.is_float0(type.dtype):
        return array
    return ops.convert(array, dtype=type.dtype, weak=weak)


def add(x: Tangent, y: Tangent) -> Tangent:
    """The sum of two tangents; a symbolic zero adds nothing."""
    if isinstance(x, Zero):
        return y
    if isinstance(y, Zero):
        return x
    dtype = type_of(x).dtype
    return extended_sum(dtype, x, y) if dtypes.is_extended(dtype) else ops.add(x, y)


def extended_zero(dtype: DType) -> Operand:
    """Return the zero of tangents of an extended dtype: by its rules, else made of zeros."""
    rule = dtypes.rule_of(dtype, "zero")
    zero = as_array(0 if rule is None else rule())
    if type_of(zero).dtype == dtype:
        return zero
    return ops.convert(ops.convert(zero, dtype=dtypes.physical_type(dtype)[0]), dtype=dtype)


def extended_sum(dtype: DType, x: Operand, y: Operand) -> Array:
    """Return the sum of two tangents of an extended dtype, as the library that owns it defines sums.

    Raises:
        DTypeError: the result is of another type.
    """
    made, _ = dtypes.physical_type(dtype)
    rule = dtypes.rule_of(dtype, "add")
    if rule is None:
        total = ops.add(ops.convert(x, dtype=made), ops.convert(y, dtype=made))
        return ops.convert(total, dtype=dtype)
    total = as_array(rule(as_array(x), as_array(y)))
    if type_of(total).plain is not type_of(x).plain:
        raise DTypeError(
            f"the sum of tangents of type {type_of(x)} must be of that type, got {type_of(total)}",
            fix=f"convert it in the function `add` of the rules of {dtypes.user_name(dtype)}",
        )
    return total

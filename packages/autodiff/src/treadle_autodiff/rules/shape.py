"""Derivatives of the shape family: every member is linear, so only the transposes have something to say.

A transpose puts the cotangent of each element of the result where that element came from, and adds up where
several came from one place.
"""

from __future__ import annotations

import numpy as np

from treadle_autodiff.registry import (
    Cotangents,
    LinearOperands,
    linear,
    transpose_rule,
    unary_transpose_rule,
)
from treadle_autodiff.tangents import Linear, Tangent, Tangents, materialise
from treadle_ir import ArrayType, Operand, ops, type_of
from treadle_ir.core import max_dim
from treadle_ir.primitives.shape import (
    BroadcastInDim,
    Concatenate,
    Pad,
    Reshape,
    Reverse,
    Slice,
    Transpose,
)

linear(BroadcastInDim)
linear(Concatenate)
linear(Pad)
linear(Reshape)
linear(Reverse)
linear(Slice)
linear(Transpose)


def operand_type(operand: Operand | Linear) -> ArrayType:
    """The type of an operand of a linear equation, known or not."""
    if not isinstance(operand, Linear):
        return type_of(operand)
    assert isinstance(operand.type, ArrayType)
    return operand.type


@unary_transpose_rule(BroadcastInDim)
def broadcast_in_dim_transpose(
    primitive: BroadcastInDim, ct: Operand, type: ArrayType, /
) -> Operand:
    """Sum over the copies."""
    spread = [
        dimension
        for size, dimension in zip(type.shape, primitive.dimensions, strict=True)
        if size != primitive.shape[dimension]
    ]
    axes = [
        axis
        for axis in range(len(primitive.shape))
        if axis in spread or axis not in primitive.dimensions
    ]
    if axes:
        ct = ops.reduce_add(ct, axes=axes)
    return ops.reshape(ct, shape=type.shape) if spread else ct


@unary_transpose_rule(Reshape)
def reshape_transpose(primitive: Reshape, ct: Operand, type: ArrayType, /) -> Operand:
    """Reshape back."""
    return ops.reshape(ct, shape=type.shape)


@unary_transpose_rule(Transpose)
def transpose_transpose(primitive: Transpose, ct: Operand, type: ArrayType, /) -> Operand:
    """Transpose by the inverse permutation."""
    inverse = [0] * len(primitive.permutation)
    for place, axis in enumerate(primitive.permutation):
        inverse[axis] = place
    return ops.transpose(ct, permutation=inverse)


@unary_transpose_rule(Reverse)
def reverse_transpose(primitive: Reverse, ct: Operand, type: ArrayType, /) -> Operand:
    """Reverse again."""
    return ops.reverse(ct, dimensions=primitive.dimensions)


@transpose_rule(Concatenate)
def concatenate_transpose(
    primitive: Concatenate, cotangents: Tangents, operands: LinearOperands
) -> Cotangents:
    """Cut the cotangent into the operands' pieces."""
    ct, axis = materialise(cotangents[0]), primitive.dimension
    shape = type_of(ct).shape
    start = 0
    pieces: list[Tangent | None] = []
    for operand in operands:
        limit = start + operand_type(operand).shape[axis]
        piece = None
        if isinstance(operand, Linear):
            piece = ops.slice(
                ct,
                start=[start if i == axis else 0 for i in range(len(shape))],
                limit=[limit if i == axis else n for i, n in enumerate(shape)],
            )
        pieces.append(piece)
        start = limit
    return pieces


@transpose_rule(Pad)
def pad_transpose(primitive: Pad, cotangents: Tangents, operands: LinearOperands) -> Cotangents:
    """Take the padding off again; the value gets the sum of the cotangents of its copies.

    The opposite padding takes low and high off and puts zeros where elements had been removed; strides skip what
    stood between.
    """
    ct = materialise(cotangents[0])
    type = type_of(ct)
    x, value = operands
    zero = type.dtype.type(0)
    ct_x = ct_value = None
    if isinstance(x, Linear):
        ct_x = ops.pad(ct, zero, low=[-n for n in primitive.low], high=[-n for n in primitive.high])
        if any(primitive.interior):
            limit = type_of(ct_x).shape
            strides = [n + 1 for n in primitive.interior]
            ct_x = ops.slice(ct_x, start=[0] * len(limit), limit=limit, strides=strides)
    if isinstance(value, Linear):
        inside = ops.broadcast_in_dim(np.bool_(False), shape=operand_type(x).shape, dimensions=())
        padding = ops.pad(
            inside,
            np.bool_(True),
            low=primitive.low,
            high=primitive.high,
            interior=primitive.interior,
        )
        ct_value = ops.reduce_add(ops.select(padding, ct, zero), axes=range(type.ndim))
    return [ct_x, ct_value]


@unary_transpose_rule(Slice)
def slice_transpose(primitive: Slice, ct: Operand, type: ArrayType, /) -> Operand:
    """Zeros before, between and after."""
    result = type_of(ct)
    high = [
        size - start - max_dim(1 + (n - 1) * stride, 0)
        for size, start, stride, n in zip(
            type.shape, primitive.start, primitive.strides, result.shape, strict=True
        )
    ]
    between = [stride - 1 for stride in primitive.strides]
    return ops.pad(ct, result.dtype.type(0), low=primitive.start, high=high, interior=between)

"""Sorting: sort, top_k.

The order of elements: numbers ascending, -0.0 equal to 0.0, every NaN equal to every NaN and above all
numbers, False below True; complex numbers by real part, then by imaginary part.

A sort of one operand cannot tell equal elements apart, except for the sign of zeros: there -0.0 comes before
0.0, and a NaN that comes out may have lost its sign and payload. With several operands each row of operands
moves as one, untouched, and zeros with equal keys keep their order. Evaluation, compiled code and derivatives
agree on this order: the derivative of a sort of one operand moves tangents by the total order of -0.0 and 0.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, final

import numpy as np

from treadle_ir.core.dtypes import is_float0
from treadle_ir.core.families import Sorting
from treadle_ir.core.registry import register
from treadle_ir.core.sizes import Symbolic
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import ArgumentError, DTypeError, ShapeError
from treadle_ir.primitives.elementwise import check_kind
from treadle_ir.primitives.shape import array_operand, check_axes
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind

_I32: Final = np.dtype(np.int32)


@register
@final
@frozen
class Sort(Sorting):
    """The operands, permuted in the same way along an axis, so that the first `num_keys` of them ascend.

    Keys are compared in order, the next one if all before it are equal. `stable` preserves the order of rows with
    equal keys; without it their order is unspecified.

    Constraints:
        (C1) there is at least one operand
        (C2) the operands have one shape
        (C3) dimension is an axis of the operands
        (C4) 1 <= num_keys <= number of operands

    Source: StableHLO specification, `sort`.
    """

    name: ClassVar[str] = "sort"
    dimension: int
    num_keys: int = 1
    stable: bool = True

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operands' types."""
        if not operands:  # C1
            raise ArgumentError("sort: no operands, but it needs at least one")
        types = tuple([array_operand(self.name, operand) for operand in operands])
        for i, x in enumerate(types):
            if is_float0(x.dtype):
                raise DTypeError(f"sort: operand {i} is {x}, but float0 has one value and no order")
            if x.shape != types[0].shape:  # C2
                raise ShapeError(
                    f"sort: operands 0 and {i} are {types[0]} and {x}, whose shapes must be equal",
                    fix="broadcast first with lax.broadcast_in_dim",
                )
        check_axes(self.name, "dimension", (self.dimension,), types[0])  # C3
        if not 1 <= self.num_keys <= len(types):  # C4
            raise ArgumentError(
                f"sort: num_keys is {self.num_keys}, but must be between 1 and the number of operands, {len(types)}"
            )
        return types


@register
@final
@frozen
class TopK(Sorting):
    """The `k` greatest elements along the last axis, descending, and their positions.

    NaN counts as the greatest. Of equal elements the one at the lower position comes first.

    Constraints:
        (C1) the operand has at least one axis
        (C2) 0 <= k <= size of the last axis
        (C3) complex numbers have no order here
        (C4) i32 can hold every position along the last axis

    Source: CHLO, `top_k`.
    """

    name: ClassVar[str] = "top_k"
    k: int

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type with `k` elements on the last axis, and as many positions."""
        x = array_operand(self.name, operands[0])
        if x.ndim == 0:  # C1
            raise ShapeError(f"top_k: the operand is {x}, which has no axis to choose along")
        if not 0 <= self.k <= x.shape[-1]:  # C2
            raise ShapeError(
                f"top_k: k is {self.k}, but must be between 0 and the size {x.shape[-1]} of the last axis of {x}"
            )
        check_kind(self.name, "biuf", x.dtype)  # C3
        if not isinstance(x.shape[-1], Symbolic) and x.shape[-1] > 2**31:  # C4
            raise DTypeError(
                f"top_k: positions are i32, which cannot hold every position along the last axis of {x}",
                fix="take the greatest of each of several parts first, then of these",
            )
        shape = (*x.shape[:-1], self.k)
        return x.with_shape(shape), ArrayType(shape, _I32)


def sort(
    operands: Sequence[Operand], *, dimension: int, num_keys: int = 1, stable: bool = True
) -> list[Array]:
    """Return the operands, permuted in the same way along an axis, so that the first `num_keys` of them ascend."""
    return list(bind(Sort(dimension, num_keys, stable), *operands))


def top_k(x: Operand, *, k: int) -> tuple[Array, Array]:
    """Return the `k` greatest elements along the last axis, descending, and their positions (i32)."""
    values, indices = bind(TopK(k), x)
    return values, indices

"""Cotangents of slices of one array: if they do not overlap, they are concatenated instead of padded and added.

The cotangent of a slice is, for the array, itself among zeros. Of an array that is cut into n parts there would be n
such arrays, each as large as the array, to be added up: quadratic work. Concatenated they are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from typing import Final, final

from treadle_autodiff.tangents import Tangent, materialise
from treadle_ir import ArrayType, DType, Equation, Operand, Value, ops, type_of
from treadle_ir.core.dtypes import is_inexact
from treadle_ir.primitives.shape import Slice
from treadle_ir.tracing import EvalTrace, current_trace, explicit_mesh

_BLOCK: Final = 16  # with 8, XLA's CPU compiler takes five times as long


@final
class SliceCotangent:
    """The cotangent of a slice along one axis."""

    __slots__ = ("axis", "cotangent", "equation", "limit", "start")

    def __init__(self, axis: int, equation: Equation, cotangent: Tangent) -> None:
        primitive = equation.primitive
        assert isinstance(primitive, Slice)
        self.axis, self.equation, self.cotangent = axis, equation, cotangent
        self.start, self.limit = primitive.start[axis], primitive.limit[axis]

    @property
    def whole(self) -> Value:
        """The array of which the slice was taken."""
        (value,) = self.equation.operands
        assert isinstance(value, Value)
        return value


def sliced_axis(equation: Equation) -> int | None:
    """Return the axis along which an equation takes a contiguous slice, with the other axes complete; else None.

    With explicit axes of a mesh it is None: arrays are not concatenated along a sharded axis.
    """
    primitive = equation.primitive
    if type(primitive) is not Slice:
        return None
    type_ = equation.operands[0].type
    if not isinstance(type_, ArrayType) or not is_inexact(type_.dtype) or explicit_mesh():
        return None
    found = None
    for axis, (start, limit, stride, size) in enumerate(
        zip(primitive.start, primitive.limit, primitive.strides, type_.shape, strict=True)
    ):
        if type(start) is type(limit) is type(size) is int:  # symbolic sizes have no order
            if start == 0 and limit == size and stride == 1:
                continue
            if found is None and stride == 1 and start < limit:
                found = axis
                continue
        return None
    return found


def non_overlapping(parts: Sequence[SliceCotangent]) -> list[list[SliceCotangent]]:
    """Group slices into few rows: slices of a row do not overlap, and are in their order along one axis.

    Rows are in the order of their first slices. Where there are few slices each has a row of its own: the sum is
    short.
    """
    if len(parts) <= _BLOCK:
        return [[part] for part in parts]
    from heapq import heappop, heappush  # noqa: PLC0415 - few programs take many slices

    found: list[list[SliceCotangent]] = []
    ends: dict[tuple[int, DType], list[tuple[int, int]]] = {}  # of rows: heaps
    order = {id(part): number for number, part in enumerate(parts)}
    for part in sorted(parts, key=lambda part: part.start):
        kind = (part.axis, type_of(materialise(part.cotangent)).dtype)
        heap = ends.setdefault(kind, [])
        if heap and heap[0][0] <= part.start:
            _, row = heappop(heap)
            found[row].append(part)
        else:
            row = len(found)
            found.append([part])
        heappush(heap, (part.limit, row))
    return sorted(found, key=lambda row: min([order[id(part)] for part in row]))


def concatenated(row: Sequence[SliceCotangent]) -> Operand:
    """Return the cotangent of the array: blocks of some slices, concatenated along the axis.

    A block is one slice. In a program it is several slices, each padded, which are added up: XLA compiles a block as
    one kernel, and one kernel for each operand of a concatenation, which takes a long time for many.
    """
    size = 1 if isinstance(current_trace(), EvalTrace) else _BLOCK
    axis, type_ = row[0].axis, row[0].whole.type
    assert isinstance(type_, ArrayType)
    blocks = [row[i : i + size] for i in range(0, len(row), size)]
    bounds = [0, *[block[0].start for block in blocks[1:]], type_.shape[axis]]
    return ops.concatenate(
        [
            reduce(ops.add, (_padded(part, start, limit) for part in block))
            for block, (start, limit) in zip(blocks, pairwise(bounds), strict=True)
        ],
        dimension=axis,
    )


def _padded(part: SliceCotangent, start: int, limit: int) -> Operand:
    """Return the cotangent of a slice with zeros around it, from `start` to `limit` along its axis."""
    piece = materialise(part.cotangent)
    type_ = type_of(piece)
    low, high = [0] * type_.ndim, [0] * type_.ndim
    low[part.axis], high[part.axis] = part.start - start, limit - part.limit
    if not any(low) and not any(high):
        return piece
    return ops.pad(piece, type_.dtype.type(0), low=low, high=high)

"""Slices of an operand at computed positions."""

from __future__ import annotations

from typing import Any, ClassVar, final

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import DType
from treadle_ir.core.families import Indexing
from treadle_ir.core.primitive import check_word
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.argument_checks import refused
from treadle_ir.errors.kinds import ShapeError
from treadle_ir.primitives.indexing.positions import (
    MODES,
    FillValue,
    Mode,
    check_axes,
    check_batching,
    check_index_map,
    check_indices,
    interleave,
    is_number,
)
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind


@register
@final
@frozen
class Gather(Indexing):
    """Slices of an operand at the positions that index vectors give.

    Shapes:
        indices: [*batch, number of indexed axes]
        result: the axes `offset_dims` run over a slice without its collapsed and batching axes, the others over
            the batch

    Constraints:
        (C1) offset_dims, collapsed_slice_dims and operand_batching_dims are ascending, in range; start_index_map
             and start_indices_batching_dims are in range; each without repetition
        (C2) collapsed_slice_dims, operand_batching_dims and start_index_map overlap only in that collapsed axes
             may be indexed
        (C3) slice_sizes has one entry per axis of the operand, at most its size; 1 where collapsed or batching
        (C4) offset_dims has one entry for each axis of a slice that stays
        (C5) indices are integers; the last axis has one entry per axis in start_index_map
        (C6) operand_batching_dims and start_indices_batching_dims pair axes of equal sizes

    Raises:
        ShapeError: C1 to C4, C6, or the last axis of C5.
        DTypeError: C5.

    Source: StableHLO specification, `gather`; modes as in `GatherScatterMode` of the public interface.
    """

    name: ClassVar[str] = "gather"
    offset_dims: tuple[int, ...]
    collapsed_slice_dims: tuple[int, ...]
    start_index_map: tuple[int, ...]
    slice_sizes: tuple[int, ...]
    operand_batching_dims: tuple[int, ...] = ()
    start_indices_batching_dims: tuple[int, ...] = ()
    mode: Mode = "fill"
    fill_value: FillValue = None
    indices_are_sorted: bool = False
    unique_indices: bool = False

    def __post_init__(self) -> None:
        check_word(self.name, "mode", self.mode, MODES)
        fill = self.fill_value
        if fill is not None and not is_number(fill):
            raise refused(self.name, "fill_value", "a number", fill)
        if (
            self.mode != "fill" or self.fill_value != self.fill_value
        ):  # NaN is a default, and unequal to itself
            object.__setattr__(self, "fill_value", None)

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the batch of the indices, with the axes of a slice at `offset_dims`."""
        operand, indices = operands
        assert isinstance(operand, ArrayType)
        indices = check_indices(self.name, indices)  # C5
        rank = operand.ndim
        dropped = self.collapsed_slice_dims + self.operand_batching_dims
        batch = indices.shape[:-1]
        check_axes(self.name, "collapsed_slice_dims", self.collapsed_slice_dims, rank)  # C1
        check_axes(self.name, "operand_batching_dims", self.operand_batching_dims, rank)
        check_axes(self.name, "start_index_map", self.start_index_map, rank, ascending=False)
        check_axes(
            self.name,
            "start_indices_batching_dims",
            self.start_indices_batching_dims,
            indices.ndim - 1,
            ascending=False,
        )
        if len(set(dropped)) != len(dropped):  # C2
            raise ShapeError(
                f"gather: collapsed_slice_dims {self.collapsed_slice_dims} and operand_batching_dims "
                f"{self.operand_batching_dims} overlap"
            )
        check_index_map(
            self.name, "start_index_map", self.start_index_map, self.operand_batching_dims, indices
        )
        if len(self.slice_sizes) != rank or not all(
            0 <= n <= size for n, size in zip(self.slice_sizes, operand.shape, strict=True)
        ):  # C3
            raise ShapeError(
                f"gather: slices of sizes {self.slice_sizes} do not fit into {operand}"
            )
        least = 0 if 0 in batch else 1  # an element cannot be read along an axis without elements
        if not all(least <= self.slice_sizes[i] <= 1 for i in dropped):
            raise ShapeError(
                f"gather: slice_sizes is {self.slice_sizes}, but must be 1 along collapsed and batching axes {dropped}"
            )
        result_rank = len(batch) + len(self.offset_dims)
        check_axes(self.name, "offset_dims", self.offset_dims, result_rank)
        if len(self.offset_dims) != rank - len(dropped):  # C4
            raise ShapeError(
                f"gather: offset_dims has {len(self.offset_dims)} entries, but slices of {operand} keep "
                f"{rank - len(dropped)} axes"
            )
        check_batching(
            self.name,
            operand,
            self.operand_batching_dims,
            indices,
            self.start_indices_batching_dims,
        )  # C6
        kept = [n for i, n in enumerate(self.slice_sizes) if i not in dropped]
        return (operand.with_shape(interleave(result_rank, self.offset_dims, kept, batch)),)

    def fill(self, dtype: DType) -> np.ndarray[Any, DType]:
        """Return the elements of a slice that is out of range, in mode "fill"; rank 0."""
        if self.fill_value is not None:
            return np.asarray(self.fill_value).astype(dtype)
        if dtypes.is_bool(dtype):
            return np.asarray(True)
        if dtypes.is_inexact(dtype):
            return np.asarray(np.nan).astype(dtype)
        bits = dtypes.bit_width(dtype)
        if dtypes.is_key(dtype):
            return dtypes.numbered_key((1 << bits) - 1, dtype)
        if dtypes.is_extended(dtype):
            return dtypes.extended_element(dtype, self.fill(dtypes.physical_type(dtype)[0]))
        return np.asarray(
            -(1 << (bits - 1)) if dtypes.is_signed(dtype) else (1 << bits) - 1
        ).astype(dtype)


def gather(
    operand: Operand,
    indices: Operand,
    *,
    offset_dims: tuple[int, ...],
    collapsed_slice_dims: tuple[int, ...],
    start_index_map: tuple[int, ...],
    slice_sizes: tuple[int, ...],
    operand_batching_dims: tuple[int, ...] = (),
    start_indices_batching_dims: tuple[int, ...] = (),
    mode: Mode = "fill",
    fill_value: FillValue = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
) -> Array:
    """Return slices of an operand at the positions that index vectors give: see `Gather`."""
    primitive = Gather(
        offset_dims,
        collapsed_slice_dims,
        start_index_map,
        slice_sizes,
        operand_batching_dims,
        start_indices_batching_dims,
        mode,
        fill_value,
        indices_are_sorted,
        unique_indices,
    )
    return bind(primitive, operand, indices)[0]

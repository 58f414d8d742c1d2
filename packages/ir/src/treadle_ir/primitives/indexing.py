"""Indexing with computed positions: gather, the scatters, dynamic_slice, dynamic_update_slice.

Index vectors lie along the last axis of `indices` (StableHLO's index_vector_dim is always that axis).

    gather(operand, indices, *, offset_dims, collapsed_slice_dims, start_index_map, slice_sizes,
           operand_batching_dims=(), start_indices_batching_dims=(), mode="fill", fill_value=None,
           indices_are_sorted=False, unique_indices=False)
    scatter, scatter_add, scatter_multiply, scatter_maximum, scatter_minimum(operand, indices, updates, *,
           update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, operand_batching_dims=(),
           scatter_indices_batching_dims=(), mode="fill", indices_are_sorted=False, unique_indices=False)
    dynamic_slice(operand, *starts, sizes)
    dynamic_update_slice(operand, update, *starts)

Positions out of range: "clip" moves the whole slice inside; "fill" gives `fill_value` for a gather (by default
NaN, the least signed integer, the greatest unsigned integer, or True) and drops the slice of a scatter;
"promise_in_bounds" promises that there are none. A slice that is only partly outside counts as outside.
Negative positions are out of range: nothing wraps around here. The starts of dynamic_slice and
dynamic_update_slice are always clipped.

Long because gather and scatter have many attributes, and constraints on each.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Final, Literal, TypeAlias, final, get_args

import numpy as np

from treadle_ir import dtypes
from treadle_ir.array import Array, Operand
from treadle_ir.declared import refused
from treadle_ir.dtypes import DType
from treadle_ir.errors import ArgumentError, DTypeError, ShapeError
from treadle_ir.families import Indexing
from treadle_ir.frozen import frozen
from treadle_ir.registry import register
from treadle_ir.trace import bind
from treadle_ir.types import ArrayType, Type

Mode: TypeAlias = Literal["clip", "fill", "promise_in_bounds"]
_MODES: Final = get_args(Mode)
FillValue: TypeAlias = bool | int | float | complex | None


def _check_mode(name: str, mode: str) -> None:
    if mode not in _MODES:
        raise ArgumentError(f"{name}: mode is {mode!r}, not one of {', '.join(_MODES)}")


def _check_axes(
    name: str, word: str, axes: Sequence[int], ndim: int, *, ascending: bool = True
) -> None:
    """Axes must be in range and distinct, and in ascending order if so asked."""
    if (
        not all(0 <= axis < ndim for axis in axes)
        or len(set(axes)) != len(axes)
        or (ascending and sorted(axes) != list(axes))
    ):
        order = " in ascending order" if ascending else ""
        raise ShapeError(
            f"{name}: {word} is {tuple(axes)}, but must be distinct axes below {ndim}{order}"
        )


def _check_indices(name: str, indices: Type) -> ArrayType:
    assert isinstance(indices, ArrayType)
    if not dtypes.is_integer(indices.dtype):
        raise DTypeError(f"{name}: the indices are {indices}, but must be integers")
    if indices.ndim < 1:
        raise ShapeError(
            f"{name}: the indices are {indices}, but need a last axis with one entry per indexed axis",
            fix="add an axis of size 1 at the end",
        )
    return indices


def _check_index_map(
    name: str, word: str, axes: Sequence[int], batching: Sequence[int], indices: ArrayType
) -> None:
    if set(axes) & set(batching):
        raise ShapeError(
            f"{name}: {word} {tuple(axes)} and operand_batching_dims {tuple(batching)} overlap"
        )
    if len(axes) != indices.shape[-1]:
        raise ShapeError(
            f"{name}: {word} names {len(axes)} axes, but the index vectors of {indices} have "
            f"{indices.shape[-1]} entries"
        )


def _check_batching(
    name: str,
    operand: ArrayType,
    operand_dims: Sequence[int],
    indices: ArrayType,
    indices_dims: Sequence[int],
) -> None:
    sizes = [operand.shape[i] for i in operand_dims], [indices.shape[i] for i in indices_dims]
    if sizes[0] != sizes[1]:
        raise ShapeError(
            f"{name}: the batching axes {tuple(operand_dims)} of {operand} and {tuple(indices_dims)} of {indices} "
            f"have sizes {sizes[0]} and {sizes[1]}, which must be equal"
        )


def _is_number(value: object) -> bool:
    kinds = (np.flexible, np.timedelta64, np.datetime64)
    return isinstance(value, (bool, int, float, complex)) or (
        isinstance(value, np.generic) and not isinstance(value, kinds)
    )


@register
@final
@frozen
class Gather(Indexing):
    """Slices of an operand from the places that index vectors name.

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

    Source: StableHLO specification, `gather`; modes as in JAX's documentation of `GatherScatterMode`.
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
        _check_mode(self.name, self.mode)
        fill = self.fill_value
        if fill is not None and not _is_number(fill):
            raise refused(self.name, "fill_value", "a number", fill)
        if (
            self.mode != "fill" or self.fill_value != self.fill_value
        ):  # NaN is the default, and unequal to itself
            object.__setattr__(self, "fill_value", None)

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The batch of the indices, with the axes of a slice at `offset_dims`."""
        operand, indices = operands
        assert isinstance(operand, ArrayType)
        indices = _check_indices(self.name, indices)  # C5
        rank = operand.ndim
        dropped = self.collapsed_slice_dims + self.operand_batching_dims
        batch = indices.shape[:-1]
        _check_axes(self.name, "collapsed_slice_dims", self.collapsed_slice_dims, rank)  # C1
        _check_axes(self.name, "operand_batching_dims", self.operand_batching_dims, rank)
        _check_axes(self.name, "start_index_map", self.start_index_map, rank, ascending=False)
        _check_axes(
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
        _check_index_map(
            self.name, "start_index_map", self.start_index_map, self.operand_batching_dims, indices
        )
        if len(self.slice_sizes) != rank or not all(
            0 <= n <= size for n, size in zip(self.slice_sizes, operand.shape, strict=True)
        ):  # C3
            raise ShapeError(
                f"gather: slices of sizes {self.slice_sizes} do not fit into {operand}"
            )
        if any(self.slice_sizes[i] > 1 for i in dropped):
            raise ShapeError(
                f"gather: slice_sizes is {self.slice_sizes}, but must be 1 along collapsed and batching axes {dropped}"
            )
        result_rank = len(batch) + len(self.offset_dims)
        _check_axes(self.name, "offset_dims", self.offset_dims, result_rank)
        if len(self.offset_dims) != rank - len(dropped):  # C4
            raise ShapeError(
                f"gather: offset_dims has {len(self.offset_dims)} entries, but slices of {operand} keep "
                f"{rank - len(dropped)} axes"
            )
        _check_batching(
            self.name,
            operand,
            self.operand_batching_dims,
            indices,
            self.start_indices_batching_dims,
        )  # C6
        kept = [n for i, n in enumerate(self.slice_sizes) if i not in dropped]
        return (operand.with_shape(interleave(result_rank, self.offset_dims, kept, batch)),)

    def fill(self, dtype: DType) -> np.ndarray[Any, DType]:
        """What stands where a slice is out of range, in mode "fill"; rank 0."""
        if self.fill_value is not None:
            return np.asarray(self.fill_value).astype(dtype)
        if dtypes.is_bool(dtype):
            return np.asarray(True)
        if dtypes.is_inexact(dtype):
            return np.asarray(np.nan).astype(dtype)
        if dtypes.is_key(dtype):
            return np.asarray((1 << 64) - 1, dtype)
        bits = dtypes.bit_width(dtype)
        return np.asarray(
            -(1 << (bits - 1)) if dtypes.is_signed(dtype) else (1 << bits) - 1
        ).astype(dtype)


def interleave(
    rank: int, places: Sequence[int], inside: Sequence[int], outside: Sequence[int]
) -> tuple[int, ...]:
    """A shape with the sizes `inside` at `places`, and the sizes `outside` at the others, in order."""
    first, second = iter(inside), iter(outside)
    return tuple([next(first) if axis in places else next(second) for axis in range(rank)])


@frozen
class ScatterFamily(Indexing):
    """Family: an operand with updates combined into it at the places that index vectors name.

    Shapes:
        indices: [*batch, number of indexed axes]
        updates: the axes `update_window_dims` run over a slice without its inserted and batching axes, the others
            over the batch
        result: as the operand

    Constraints:
        (C1) update_window_dims, inserted_window_dims and operand_batching_dims are ascending, in range;
             scatter_dims_to_operand_dims and scatter_indices_batching_dims are in range; each without repetition
        (C2) inserted_window_dims, operand_batching_dims and scatter_dims_to_operand_dims overlap only in that
             inserted axes may be indexed
        (C3) update_window_dims has one entry for each axis of the operand that is not inserted or batching, and
             the updates are no larger than the operand along it
        (C4) indices are integers; the last axis has one entry per axis in scatter_dims_to_operand_dims
        (C5) the other axes of the updates have the sizes of the batch of the indices
        (C6) operand_batching_dims and scatter_indices_batching_dims pair axes of equal sizes
        (C7) operand and updates have one element type

    Raises:
        ShapeError: C1 to C3, C5, C6, or the last axis of C4.
        DTypeError: C4, C7, or an element type that has no such combination.

    Source: StableHLO specification, `scatter`; modes as in JAX's documentation of `GatherScatterMode`.
    """

    kinds: ClassVar[str] = "biufc"
    update_window_dims: tuple[int, ...]
    inserted_window_dims: tuple[int, ...]
    scatter_dims_to_operand_dims: tuple[int, ...]
    operand_batching_dims: tuple[int, ...] = ()
    scatter_indices_batching_dims: tuple[int, ...] = ()
    mode: Mode = "fill"
    indices_are_sorted: bool = False
    unique_indices: bool = False

    def __post_init__(self) -> None:
        _check_mode(self.name, self.mode)

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The operand's type; weak if the updates are, too."""
        operand, indices, updates = operands
        assert isinstance(operand, ArrayType)
        assert isinstance(updates, ArrayType)
        indices = _check_indices(self.name, indices)  # C4
        rank = operand.ndim
        dropped = self.inserted_window_dims + self.operand_batching_dims
        _check_axes(self.name, "update_window_dims", self.update_window_dims, updates.ndim)  # C1
        _check_axes(self.name, "inserted_window_dims", self.inserted_window_dims, rank)
        _check_axes(self.name, "operand_batching_dims", self.operand_batching_dims, rank)
        _check_axes(
            self.name,
            "scatter_dims_to_operand_dims",
            self.scatter_dims_to_operand_dims,
            rank,
            ascending=False,
        )
        _check_axes(
            self.name,
            "scatter_indices_batching_dims",
            self.scatter_indices_batching_dims,
            indices.ndim - 1,
            ascending=False,
        )
        if len(set(dropped)) != len(dropped):  # C2
            raise ShapeError(
                f"{self.name}: inserted_window_dims {self.inserted_window_dims} and operand_batching_dims "
                f"{self.operand_batching_dims} overlap"
            )
        _check_index_map(
            self.name,
            "scatter_dims_to_operand_dims",
            self.scatter_dims_to_operand_dims,
            self.operand_batching_dims,
            indices,
        )
        kept = [size for i, size in enumerate(operand.shape) if i not in dropped]
        window = [updates.shape[i] for i in self.update_window_dims]
        if len(window) != len(kept) or any(
            n > size for n, size in zip(window, kept, strict=True)
        ):  # C3
            raise ShapeError(
                f"{self.name}: windows of sizes {tuple(window)} of the updates {updates} do not fit into the axes "
                f"of sizes {tuple(kept)} of the operand {operand}"
            )
        batch = [size for i, size in enumerate(updates.shape) if i not in self.update_window_dims]
        if tuple(batch) != indices.shape[:-1]:  # C5
            raise ShapeError(
                f"{self.name}: the updates {updates} have a batch of shape {tuple(batch)}, but the indices {indices} "
                f"name {indices.shape[:-1]}"
            )
        _check_batching(
            self.name,
            operand,
            self.operand_batching_dims,
            indices,
            self.scatter_indices_batching_dims,
        )  # C6
        if operand.dtype != updates.dtype:  # C7
            raise DTypeError(
                f"{self.name}: operand and updates have types {operand} and {updates}, "
                "whose element types must be equal",
                fix="convert the updates first with ops.convert",
            )
        if "c" not in self.kinds and dtypes.is_complex(operand.dtype):
            raise DTypeError(
                f"{self.name}: complex numbers have no order, so {operand} has no extremes"
            )
        return (ArrayType(operand.shape, operand.dtype, operand.weak and updates.weak),)

    def window_sizes(self, operand: ArrayType, updates: ArrayType) -> tuple[int, ...]:
        """The sizes of one update along each axis of the operand: 1 where inserted or batching."""
        dropped = self.inserted_window_dims + self.operand_batching_dims
        sizes = iter([updates.shape[i] for i in self.update_window_dims])
        return tuple([1 if i in dropped else next(sizes) for i in range(operand.ndim)])


@register
@final
class Scatter(ScatterFamily):
    """The operand with elements replaced by updates; which of two updates of one element stays is undefined."""

    __slots__ = ()
    name: ClassVar[str] = "scatter"


@register
@final
class ScatterAdd(ScatterFamily):
    """The operand with updates added to its elements."""

    __slots__ = ()
    takes_keys: ClassVar[bool] = False
    name: ClassVar[str] = "scatter_add"


@register
@final
class ScatterMultiply(ScatterFamily):
    """The operand with its elements multiplied by updates."""

    __slots__ = ()
    takes_keys: ClassVar[bool] = False
    name: ClassVar[str] = "scatter_multiply"


@register
@final
class ScatterMaximum(ScatterFamily):
    """The operand with the greater of its elements and their updates."""

    __slots__ = ()
    takes_keys: ClassVar[bool] = False
    name: ClassVar[str] = "scatter_maximum"
    kinds: ClassVar[str] = "biuf"


@register
@final
class ScatterMinimum(ScatterFamily):
    """The operand with the lesser of its elements and their updates."""

    __slots__ = ()
    takes_keys: ClassVar[bool] = False
    name: ClassVar[str] = "scatter_minimum"
    kinds: ClassVar[str] = "biuf"


def _check_starts(name: str, operand: ArrayType, starts: Sequence[Type]) -> None:
    if len(starts) != operand.ndim:
        raise ShapeError(f"{name}: {len(starts)} starts for the {operand.ndim} axes of {operand}")
    for start in starts:
        assert isinstance(start, ArrayType)
        if start.shape != ():
            raise ShapeError(f"{name}: a start is {start}, but must be a scalar")
        if not dtypes.is_integer(start.dtype):
            raise DTypeError(f"{name}: a start is {start}, but must be an integer")
        first = starts[0]
        assert isinstance(first, ArrayType)
        if start.dtype != first.dtype:
            raise DTypeError(
                f"{name}: starts have types {first} and {start}, whose element types must be equal"
            )


@register
@final
@frozen
class DynamicSlice(Indexing):
    """A slice of fixed sizes from computed starts; starts are clipped so that it lies inside.

    Constraints:
        (C1) sizes has one entry per axis, at most the axis' size
        (C2) one start per axis; all are scalars of one integer type

    Source: StableHLO specification, `dynamic_slice`.
    """

    name: ClassVar[str] = "dynamic_slice"
    sizes: tuple[int, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The operand's type with the sizes of the slice."""
        operand, *starts = operands
        assert isinstance(operand, ArrayType)
        if len(self.sizes) != operand.ndim or not all(
            0 <= n <= size for n, size in zip(self.sizes, operand.shape, strict=True)
        ):  # C1
            raise ShapeError(
                f"dynamic_slice: a slice of sizes {self.sizes} does not fit into {operand}"
            )
        _check_starts(self.name, operand, starts)  # C2
        return (operand.with_shape(self.sizes),)


@register
@final
@frozen
class DynamicUpdateSlice(Indexing):
    """The operand with a slice replaced, from computed starts; they are clipped so that the update lies inside.

    Constraints:
        (C1) the update has the operand's rank and is nowhere larger
        (C2) operand and update have one element type
        (C3) one start per axis; all are scalars of one integer type

    Source: StableHLO specification, `dynamic_update_slice`.
    """

    name: ClassVar[str] = "dynamic_update_slice"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The operand's type; weak if the update is, too."""
        operand, update, *starts = operands
        assert isinstance(operand, ArrayType)
        assert isinstance(update, ArrayType)
        if update.ndim != operand.ndim or any(
            n > size for n, size in zip(update.shape, operand.shape, strict=True)
        ):  # C1
            raise ShapeError(
                f"dynamic_update_slice: an update {update} does not fit into {operand}"
            )
        if update.dtype != operand.dtype:  # C2
            raise DTypeError(
                f"dynamic_update_slice: operand and update have types {operand} and {update}, "
                "whose element types must be equal",
                fix="convert the update first with ops.convert",
            )
        _check_starts(self.name, operand, starts)  # C3
        return (ArrayType(operand.shape, operand.dtype, operand.weak and update.weak),)


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
    """Slices of an operand from the places that index vectors name: see `Gather`."""
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


def _combined(
    kind: type[ScatterFamily],
    operand: Operand,
    indices: Operand,
    updates: Operand,
    *,
    update_window_dims: tuple[int, ...],
    inserted_window_dims: tuple[int, ...],
    scatter_dims_to_operand_dims: tuple[int, ...],
    operand_batching_dims: tuple[int, ...] = (),
    scatter_indices_batching_dims: tuple[int, ...] = (),
    mode: Mode = "fill",
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
) -> Array:
    """The operand with updates combined into it in the way of `kind`: see `ScatterFamily`."""
    primitive = kind(
        update_window_dims,
        inserted_window_dims,
        scatter_dims_to_operand_dims,
        operand_batching_dims,
        scatter_indices_batching_dims,
        mode,
        indices_are_sorted,
        unique_indices,
    )
    return bind(primitive, operand, indices, updates)[0]


# One function, once for each member of the family: what they do is said at their classes.
scatter: Final = partial(_combined, Scatter)
scatter_add: Final = partial(_combined, ScatterAdd)
scatter_multiply: Final = partial(_combined, ScatterMultiply)
scatter_maximum: Final = partial(_combined, ScatterMaximum)
scatter_minimum: Final = partial(_combined, ScatterMinimum)


def dynamic_slice(operand: Operand, *starts: Operand, sizes: tuple[int, ...]) -> Array:
    """A slice of fixed sizes from computed starts, clipped so that it lies inside."""
    return bind(DynamicSlice(sizes), operand, *starts)[0]


_DYNAMIC_UPDATE_SLICE: Final = DynamicUpdateSlice()


def dynamic_update_slice(operand: Operand, update: Operand, *starts: Operand) -> Array:
    """The operand with a slice replaced, from computed starts, clipped so that the update lies inside."""
    return bind(_DYNAMIC_UPDATE_SLICE, operand, update, *starts)[0]

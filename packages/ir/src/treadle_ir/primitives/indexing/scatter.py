"""Updates of slices of an operand at computed positions."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Final, final

from treadle_ir.core.families import Indexing
from treadle_ir.core.primitive import check_word
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import DTypeError, ShapeError
from treadle_ir.primitives.indexing.positions import (
    MODES,
    Mode,
    check_axes,
    check_batching,
    check_index_map,
    check_indices,
)
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind


@frozen
class ScatterFamily(Indexing):
    """Family: an operand with updates combined into it at the positions that index vectors give.

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

    Source: StableHLO specification, `scatter`; modes as in `GatherScatterMode` of the public interface.
    """

    update_window_dims: tuple[int, ...]
    inserted_window_dims: tuple[int, ...]
    scatter_dims_to_operand_dims: tuple[int, ...]
    operand_batching_dims: tuple[int, ...] = ()
    scatter_indices_batching_dims: tuple[int, ...] = ()
    mode: Mode = "fill"
    indices_are_sorted: bool = False
    unique_indices: bool = False

    def __post_init__(self) -> None:
        check_word(self.name, "mode", self.mode, MODES)

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type; weak if the updates are, too."""
        operand, indices, updates = operands
        assert isinstance(operand, ArrayType)
        assert isinstance(updates, ArrayType)
        indices = check_indices(self.name, indices)  # C4
        rank = operand.ndim
        dropped = self.inserted_window_dims + self.operand_batching_dims
        check_axes(self.name, "update_window_dims", self.update_window_dims, updates.ndim)  # C1
        check_axes(self.name, "inserted_window_dims", self.inserted_window_dims, rank)
        check_axes(self.name, "operand_batching_dims", self.operand_batching_dims, rank)
        check_axes(
            self.name,
            "scatter_dims_to_operand_dims",
            self.scatter_dims_to_operand_dims,
            rank,
            ascending=False,
        )
        check_axes(
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
        check_index_map(
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
        check_batching(
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
                fix="convert the updates first with .astype(...)",
            )
        return (ArrayType(operand.shape, operand.dtype, operand.weak and updates.weak),)

    def window_sizes(self, operand: ArrayType, updates: ArrayType) -> tuple[int, ...]:
        """Return the sizes of one update along each axis of the operand: 1 where inserted or batching."""
        dropped = self.inserted_window_dims + self.operand_batching_dims
        sizes = iter([updates.shape[i] for i in self.update_window_dims])
        return tuple([1 if i in dropped else next(sizes) for i in range(operand.ndim)])


@register
@final
class Scatter(ScatterFamily):
    """The operand with elements replaced by updates; which of two updates of one element wins is undefined."""

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
    """The operand with the greater of its elements and their updates: see `Maximum`."""

    __slots__ = ()
    takes_keys: ClassVar[bool] = False
    name: ClassVar[str] = "scatter_maximum"


@register
@final
class ScatterMinimum(ScatterFamily):
    """The operand with the lesser of its elements and their updates: see `Minimum`."""

    __slots__ = ()
    takes_keys: ClassVar[bool] = False
    name: ClassVar[str] = "scatter_minimum"


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
    """Return the operand with updates combined into it by `kind`: see `ScatterFamily`."""
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


# The same function for each member of the family; see the docstrings of their classes.
scatter: Final = partial(_combined, Scatter)


scatter_add: Final = partial(_combined, ScatterAdd)


scatter_multiply: Final = partial(_combined, ScatterMultiply)


scatter_maximum: Final = partial(_combined, ScatterMaximum)


scatter_minimum: Final = partial(_combined, ScatterMinimum)

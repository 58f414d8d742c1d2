"""`x.at[index].set(values)` and its relatives: arrays never change, so an update is a new array.

The index is read as for `x[index]`. Where all positions are scalars and all ranges contiguous, one index vector
names the window that is updated; otherwise there is an index vector for each element of the indexed axes, and
windows run over the axes that are taken whole. Positions out of range are dropped.

The elements keep their type. Values of a wider one are combined with them in that type, and the result is converted:
`x.at[0].multiply(2.5)` of integers turns 3 into 7. Values that are put instead of elements are converted themselves.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from treadle_ir import Array, DType, Operand, ShapeError, UnsupportedError, ops
from treadle_ir.core import is_symbolic, max_dim, promoted
from treadle_ir.primitives.indexing import Mode
from treadle_numpy.indexing.entries import Entry, Positions, neighbouring, read_index
from treadle_numpy.indexing.known import static_key
from treadle_numpy.indexing.modes import IndexMode, gather_mode
from treadle_numpy.indexing.positions import counting, index_vectors, position, wrapped
from treadle_numpy.indexing.slices import part_of
from treadle_numpy.indexing.windows import window_shape, window_starts, write_window
from treadle_numpy.operands.broadcast import broadcast_to_shape, common_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type
from treadle_numpy.operands.promote import as_weak, converted
from treadle_numpy.operands.scalars import scalar_like, size_scalar
from treadle_numpy.operands.sequences import array_from


class ScatterInstruction(Protocol):
    """An instruction of the scatter family, as an instance of it shows to type checkers."""

    def __call__(
        self,
        operand: Operand,
        indices: Operand,
        updates: Operand,
        /,
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
        """Return the operand with updates combined into it."""
        ...


class How(NamedTuple):
    """How values are combined into elements: by which instruction, and the promises about the positions."""

    instruction: ScatterInstruction
    mode: IndexMode = None
    indices_are_sorted: bool = False
    unique_indices: bool = False


def update(how: How, x: Array, index: object, values: ArrayLike | Sequence[ArrayLike]) -> Array:
    """Return the array with values combined into the elements that an index expression names.

    Raises:
        ShapeError: the values do not broadcast to the shape of `x[index]`.
    """
    if operand_type(x).weak:
        return as_weak(update(how, converted(x, x.dtype), index, values))
    if how.instruction is ops.scatter and how.mode is None:
        key = static_key(index)
        if key is not None:
            written = write_window(x, key, index, values)
            if written is not None:
                return written
    part = part_of(x, index)
    if part is not None:
        return part.put_back(x, update(how, part.array, part.index, values))
    how = how._replace(mode=gather_mode(how.mode, "fill"))
    entries = read_index(x.shape, index)
    own, operand = x.dtype, _values(x, values)
    if how.instruction is ops.scatter:
        operand = converted(operand, own)
    elif operand.dtype != own:
        return converted(_written(how, converted(x, operand.dtype), entries, operand), own)
    return _written(how, x, entries, operand)


def _written(how: How, x: Array, entries: list[Entry], operand: Operand) -> Array:
    """Return the array with values of its element type combined into the elements that the entries name."""
    kept = [entry for entry in entries if not (entry.new and isinstance(entry.index, slice))]
    if any(entry.new for entry in kept):  # a scalar mask: on an axis of its own
        sizes = iter(x.shape)
        inner = tuple([1 if entry.new else next(sizes) for entry in kept])
        plain = [Entry(entry.index) for entry in kept]
        result = _combined(how, ops.reshape(x, shape=inner), plain, entries, operand)
        return ops.reshape(result, shape=x.shape)
    return _combined(how, x, kept, entries, operand)


def _values(x: Array, values: ArrayLike | Sequence[ArrayLike]) -> Operand:
    """The values of an update in the type in which they meet the array's elements; a warning where it is wider."""
    if isinstance(values, (list, tuple)):
        values = array_from("x.at[...]", values, None)
    scalar = scalar_like(values, operand_type(x))
    if scalar is not None:
        return scalar
    operand = coerce("x.at[...]", 1, values)
    type = operand_type(operand)
    common, _ = promoted([operand_type(x), type])
    if common != x.dtype:
        warnings.warn(
            f"scatter inputs have incompatible types: cannot safely cast value from dtype={type.dtype} to "
            f"dtype={x.dtype}; convert the values with .astype, or the array first",
            FutureWarning,
            stacklevel=4,
        )
    return converted(operand, common)


def _combined(
    how: How, x: Array, kept: list[Entry], entries: list[Entry], values: Operand
) -> Array:
    """`kept` are the entries of the array's own axes, `entries` all of the index expression."""
    computed = [e.index for e in kept if not isinstance(e.index, (slice, int))]
    contiguous = all(not isinstance(e.index, slice) or e.index.step == 1 for e in kept)
    if contiguous and not any(positions.shape for positions in computed):
        return _in_window(how, x, kept, entries, values)
    return _by_vectors(how, x, kept, entries, values)


def _in_window(
    how: How, x: Array, kept: list[Entry], entries: list[Entry], values: Operand
) -> Array:
    """Scalar positions and contiguous ranges: one index vector names the window that is updated."""
    own = x.shape
    ranges = [e.index for e in kept if isinstance(e.index, slice)]
    window = tuple([max_dim(0, each.stop - each.start) for each in ranges])
    updates = _broadcast(values, _with_new_axes(entries, iter(window)), window)
    block = window_shape(own, kept) if how.instruction is ops.scatter else None
    if block is not None:
        if 0 in block:
            return x
        updates = updates if updates.shape == block else ops.reshape(updates, shape=block)
        return ops.dynamic_update_slice(x, updates, *window_starts(own, kept))
    dropped = [i for i, e in enumerate(kept) if not isinstance(e.index, slice)]
    named = [i for i, e in enumerate(kept) if i in dropped or e.index != slice(0, own[i], 1)]
    whole = counting(own)
    starts = [_start(kept[i], own[i], whole) for i in named]
    return how.instruction(
        x,
        index_vectors(starts, ()) if starts else np.zeros((0,), whole),
        updates,
        update_window_dims=tuple(range(len(window))),
        inserted_window_dims=tuple(dropped),
        scatter_dims_to_operand_dims=tuple(named),
        mode=gather_mode(how.mode, "fill"),
        indices_are_sorted=True,
        unique_indices=True,
    )


class _Batch(NamedTuple):
    """An axis of `x[index]` that comes from the arrays of positions: the number of the axis among theirs."""

    axis: int


_Axis: TypeAlias = (
    int | _Batch
)  # of x[index]: a range on an axis of x, or one of the axes of the positions


def _by_vectors(
    how: How, x: Array, kept: list[Entry], entries: list[Entry], values: Operand
) -> Array:
    """Return arrays of positions, or ranges with steps: an index vector for each element of the indexed axes."""
    own, whole = x.shape, counting(x.shape)
    positions = {
        i: position(e.index, own[i], whole)
        if isinstance(e.index, int)
        else wrapped(e.index, own[i], whole)
        for i, e in enumerate(kept)
        if not isinstance(e.index, slice)
    }
    shapes = [index.shape for index in positions.values()]
    batch = common_shape("x.at[...]", shapes) if positions else ()
    ranges = {i: _places(e.index, own[i]) for i, e in enumerate(kept) if isinstance(e.index, slice)}
    order: list[_Axis] = list(ranges)
    if positions:
        # a new axis between arrays of positions separates them as a range does
        where = [i for i, e in enumerate(entries) if not isinstance(e.index, slice)]
        place = sum(1 for i in ranges if i < min(positions)) if neighbouring(entries, where) else 0
        order[place:place] = [_Batch(j) for j in range(len(batch))]
    counts = [batch[a.axis] if isinstance(a, _Batch) else _length(ranges[a]) for a in order]
    partial = [i for i, places in ranges.items() if places != _places(slice(0, own[i], 1), own[i])]
    by_vector = [p for p, a in enumerate(order) if isinstance(a, _Batch) or a in partial]
    grid = tuple([counts[p] for p in by_vector])
    on_batch = [by_vector.index(p) for p, a in enumerate(order) if isinstance(a, _Batch)]
    named = sorted([*positions, *partial])
    vectors: list[Operand] = []
    for i in named:
        if i in positions:
            vectors.append(_on_axes(positions[i], batch, on_batch, len(grid)))
        else:
            places = _listed(ranges[i], whole)
            at = [by_vector.index(order.index(i))]
            vectors.append(_on_axes(places, places.shape, at, len(grid)))
    updates = _broadcast(values, _full_shape(entries, batch), tuple(counts))
    return how.instruction(
        x,
        index_vectors(vectors, grid),
        updates,
        update_window_dims=tuple([p for p in range(len(order)) if p not in by_vector]),
        inserted_window_dims=tuple(named),
        scatter_dims_to_operand_dims=tuple(named),
        mode=gather_mode(how.mode, "fill"),
        # Vectors that go through a range for each position need not ascend as the positions do.
        indices_are_sorted=how.indices_are_sorted and not partial,
        unique_indices=how.unique_indices,
    )


def _places(index: slice, size: int) -> range | slice:
    """Return the positions of a range along an axis; itself where its ends are symbolic."""
    if is_symbolic((index.start, index.stop, size)):
        return index
    return range(index.start, index.stop, index.step)


def _length(places: range | slice) -> int:
    if isinstance(places, range):
        return len(places)
    length: int = max_dim((places.stop - places.start + places.step - 1) // places.step, 0)
    return length


def _listed(places: range | slice, dtype: DType) -> Positions:
    """Return the positions as integers."""
    if isinstance(places, range):
        return np.asarray(list(places), dtype)
    if places.step < 0:
        raise UnsupportedError(
            "x.at[...]: a range whose ends are symbolic has a negative step",
            fix="reverse the values instead, and index forwards",
        )
    counted = ops.iota(shape=(_length(places),), dtype=dtype, dimension=0)
    scaled = ops.multiply(counted, dtype.type(places.step))
    return ops.add(scaled, size_scalar(places.start, dtype))


def _start(entry: Entry, size: int, whole: DType) -> Positions:
    """Return where a window starts along an axis."""
    if isinstance(entry.index, slice):
        return np.asarray(entry.index.start, whole)
    if isinstance(entry.index, int):
        return position(entry.index, size, whole)
    return wrapped(entry.index, size, whole)


def _on_axes(index: Positions, shape: tuple[int, ...], places: list[int], rank: int) -> Positions:
    """Positions with their axes at some places of the grid, for broadcasting."""
    sizes = [1] * rank
    for place, n in zip(places, shape, strict=True):
        sizes[place] = n
    if isinstance(index, np.ndarray):
        return np.broadcast_to(index, shape).reshape(sizes)
    return ops.reshape(broadcast_to_shape(index, shape), shape=tuple(sizes))


def _with_new_axes(entries: list[Entry], sizes: Iterator[int]) -> tuple[int, ...]:
    """Return the shape of `x[index]` where no array of positions is in it."""
    ranges = [entry for entry in entries if isinstance(entry.index, slice)]
    return tuple([1 if entry.new else next(sizes) for entry in ranges])


def _full_shape(entries: list[Entry], batch: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of `x[index]`, with the axes that the expression puts in.

    New axes separate arrays of positions as ranges do, so where the batch stands is decided with them.
    """
    positions = [i for i, e in enumerate(entries) if not isinstance(e.index, slice)]
    ranges = {i: e.index for i, e in enumerate(entries) if isinstance(e.index, slice)}
    sizes = [
        1 if entries[i].new else _length(_places(each, each.stop)) for i, each in ranges.items()
    ]
    if not positions:
        return tuple(sizes)
    place = sum(1 for i in ranges if i < positions[0]) if neighbouring(entries, positions) else 0
    return (*sizes[:place], *batch, *sizes[place:])


def _broadcast(values: Operand, full: tuple[int, ...], shape: tuple[int, ...]) -> Operand:
    """Return the values broadcast to the shape of `x[index]`, without its new axes."""
    own = values.shape
    extra = len(own) - len(full)
    if extra > 0 and all(n == 1 for n in own[:extra]):
        values = ops.reshape(values, shape=own[extra:])
        own = own[extra:]
    if len(own) > len(full) or any(
        n not in (1, m) for n, m in zip(own[::-1], full[::-1], strict=False)
    ):
        raise ShapeError(
            f"x.at[...]: values of shape {own} do not broadcast to the shape {full} of the elements at the index",
            fix="give a scalar or an array that broadcasts to `x[index]`",
        )
    wide = broadcast_to_shape(values, full)
    return wide if full == shape else ops.reshape(wide, shape=shape)

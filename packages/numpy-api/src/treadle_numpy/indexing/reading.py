"""`x[index]` with all of NumPy's index expressions.

* Ranges and known positions only: `indexing/known.py`.
* Computed scalar positions besides: `dynamic_slice`.
* Arrays of positions: known ranges first, then one `gather`. By NumPy's rule the axes of the positions stand where
  the indexed axes stood if those are neighbours, else in front.

Positions out of range are clipped, since a program cannot raise; negative ones count from the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from treadle_ir import Array, ArrayType, Operand, Operands, ops
from treadle_ir.core.dtypes import is_integer
from treadle_ir.errors import IndexingError
from treadle_ir.primitives.indexing import FillValue, Gather, Mode
from treadle_ir.tracing import current_trace
from treadle_numpy.indexing.entries import Entry, neighbouring, read_index
from treadle_numpy.indexing.known import STATIC, all_inside, plan_known, plan_position, static_key
from treadle_numpy.indexing.positions import counted, counting, index_vectors, wrapped
from treadle_numpy.indexing.slices import part_of
from treadle_numpy.operands.arrays import array_of, bind
from treadle_numpy.operands.broadcast import common_shape
from treadle_numpy.operands.plans import remember


def getitem(x: Array, index: object) -> Array:
    """`x[index]`."""
    key = static_key(index)
    if key is None:
        if isinstance(index, Array) and _names_rows(index.type, x.type):
            return _rows(x, index)
        part = part_of(x, index)
        if part is not None:
            return getitem(part.array, part.index)
        return take_entries(x, read_index(x.shape, index))
    type = x.type
    plan = STATIC.get((type, key))
    if plan is None:
        if isinstance(key, int):
            plan = plan_position(type, key)
            inside = all_inside(type.shape[:1], [Entry(key)])
        else:
            entries = read_index(type.shape, index)
            plan = plan_known(type.shape, entries)
            inside = all_inside(type.shape, entries)
        if inside:  # else `check_static_indices` is asked each time
            remember(STATIC, (type, key), plan)
    process = current_trace().process
    operands: Operands = (x,)
    for primitive in plan:
        operands = process(primitive, operands)
    return operands[0]  # type: ignore[return-value]  # see `treadle_ir.bind`


_ROWS: Final[dict[tuple[ArrayType, ArrayType], Gather]] = {}


def _names_rows(index: ArrayType, of: ArrayType) -> bool:
    return bool(index.shape) and bool(of.shape) and is_integer(index.dtype)


def _nothing_there() -> IndexingError:
    return IndexingError("an array with an axis of size 0 has nothing at any position")


def _rows(x: Array, positions: Array) -> Array:
    """`x[positions]` along the first axis: the gather is planned once for each pair of types."""
    types = (x.type, positions.type)
    gather = _ROWS.get(types)
    size, *rest = x.type.shape
    batch = positions.type.shape
    if gather is None:
        if not size and 0 not in batch:
            raise _nothing_there()
        outer = len(batch)
        gather = Gather(
            offset_dims=tuple(range(outer, outer + len(rest))),
            collapsed_slice_dims=(0,),
            start_index_map=(0,),
            slice_sizes=(min(1, size), *rest),
            mode="clip",
        )
        remember(_ROWS, types, gather)
    return bind(gather, x, index_vectors([wrapped(positions, size)], batch))


def take_entries(
    x: Operand,
    entries: list[Entry],
    mode: Mode = "clip",
    fill_value: FillValue = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
) -> Array:
    """Return the elements that the entries of an index expression name."""
    strict = mode != "clip"
    own = _expanded(x, entries)
    if strict:
        outside = any(
            isinstance(e.index, int) and not -n <= e.index < n
            for e, n in zip(entries, own, strict=True)
        )
        if outside:
            entries = [
                Entry(np.asarray(max(-n - 1, min(e.index, n)), np.int32), e.new, e.apart)
                if isinstance(e.index, int)
                else e
                for e, n in zip(entries, own, strict=True)
            ]
    computed = [entry.index for entry in entries if not isinstance(entry.index, (slice, int))]
    if not computed:
        return _known(x, entries)
    if not strict and not any(positions.shape for positions in computed):
        return _dynamic(x, entries, own)
    return gathered(
        x,
        entries,
        own,
        mode,
        fill_value,
        indices_are_sorted=indices_are_sorted,
        unique_indices=unique_indices,
    )


def _expanded(x: Operand, entries: list[Entry]) -> list[int]:
    """Return the shape of the array with the axes that the expression puts in."""
    sizes = iter(x.shape)
    return [1 if entry.new else next(sizes) for entry in entries]


def _known(x: Operand, entries: list[Entry]) -> Array:
    """Known ranges and positions: a slice, reversed and reshaped where needed."""
    for primitive in plan_known(x.shape, entries):
        x = bind(primitive, x)
    return array_of(x)


def _dynamic(x: Operand, entries: list[Entry], own: list[int]) -> Array:
    """Computed scalar positions: known ranges first, then a dynamic slice."""
    whole = counting(own)
    ranges = [
        Entry(e.index if isinstance(e.index, (slice, int)) else slice(0, n, 1), e.new)
        for e, n in zip(entries, own, strict=True)
    ]
    part = x if _all_full(ranges, own) else _known(x, ranges)
    starts, sizes, result = list[Operand](), list[int](), list[int]()
    left = iter(part.shape)
    for entry, full in zip(entries, own, strict=True):
        if isinstance(entry.index, int):
            continue
        size = 1 if entry.new and _all_full(ranges, own) else next(left)
        if not isinstance(entry.index, slice):
            if not full:
                raise _nothing_there()
            starts.append(wrapped(entry.index, full, whole))
            sizes.append(1)
        else:
            result.append(size)
            if not (entry.new and _all_full(ranges, own)):
                starts.append(whole.type(0))
                sizes.append(size)
    piece = ops.dynamic_slice(part, *starts, sizes=tuple(sizes))
    return piece if piece.shape == tuple(result) else ops.reshape(piece, shape=tuple(result))


def _all_full(entries: Sequence[Entry], own: Sequence[int]) -> bool:
    """Return whether every entry names all of its axis."""
    return all(
        isinstance(e.index, slice) and e.index == slice(0, n, 1)
        for e, n in zip(entries, own, strict=True)
    )


def gathered(
    x: Operand,
    entries: list[Entry],
    own: list[int],
    mode: Mode,
    fill_value: FillValue,
    from_end: bool = True,
    *,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
) -> Array:
    """Arrays of positions: known ranges first, then a gather; `from_end` says that negative ones count from there."""
    indexed = [i for i, entry in enumerate(entries) if not isinstance(entry.index, slice)]
    ranges = [
        Entry(slice(0, n, 1) if i in indexed else e.index, e.new)
        for i, (e, n) in enumerate(zip(entries, own, strict=True))
    ]
    part, whole = _known(x, ranges), counting(own)
    sizes = part.shape
    positions: list[Operand] = []
    for entry, size in zip(entries, own, strict=True):
        if not isinstance(entry.index, slice):
            index = entry.index
            index = np.asarray(index, np.int32) if isinstance(index, int) else index
            positions.append((wrapped if from_end else counted)(index, size, whole))
    batch = common_shape("indexing", [index.shape for index in positions])
    if 0 not in batch and any(not own[i] for i in indexed):
        raise _nothing_there()
    place = indexed[0] if neighbouring(entries, indexed) else 0
    rank = len(batch) + len(sizes) - len(indexed)
    return ops.gather(
        part,
        index_vectors(positions, batch),
        offset_dims=tuple([i for i in range(rank) if not place <= i < place + len(batch)]),
        collapsed_slice_dims=tuple(indexed),
        start_index_map=tuple(indexed),
        slice_sizes=tuple([min(1, n) if i in indexed else n for i, n in enumerate(sizes)]),
        mode=mode,
        fill_value=fill_value,
        indices_are_sorted=indices_are_sorted,
        unique_indices=unique_indices,
    )

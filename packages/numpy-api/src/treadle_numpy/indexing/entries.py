"""An index expression, read: one entry for each axis.

An entry is a range that is known (`slice`), a position that is known (`int`), or an operand of positions.
"""

from __future__ import annotations

import builtins
from typing import TypeAlias, final

import numpy as np

from treadle_ir import Array
from treadle_ir.calling import as_array
from treadle_ir.core import is_symbolic, is_symbolic_dim, max_dim, min_dim
from treadle_ir.core.dtypes import is_bool, is_integer
from treadle_ir.errors import (
    ConcretizationError,
    IndexingError,
    NonConcreteBooleanIndexError,
    allocating,
    integer,
    shown,
)
from treadle_ir.process import frozen
from treadle_numpy.operands.arrays import Elements
from treadle_numpy.operands.coerce import host_elements, operand_type
from treadle_numpy.operands.sequences import array_from

Positions: TypeAlias = Array | Elements


@final
@frozen
class Entry:
    """What an index expression says of one axis; `new` marks an axis of size 1 that the expression put in."""

    index: slice | int | Positions  # a range with known bounds, a known position, computed ones
    new: bool = False
    apart: bool = (
        False  # `...`, standing for no axis, is before it: for NumPy that separates arrays, too
    )


def neighbouring(entries: list[Entry], indexed: list[int]) -> bool:
    """Return whether the entries that are positions stand side by side, so that their axes stay in place."""
    first, last = indexed[0], indexed[-1]
    return indexed == list(range(first, last + 1)) and not any(
        [entry.apart for entry in entries[first + 1 : last + 1]]
    )


def read_index(shape: tuple[int, ...], index: object) -> list[Entry]:
    """Return one entry for each axis of an array of this shape, and for each axis that the expression puts in.

    Raises:
        IndexingError: too many indices, a mask of the wrong shape, an index of the wrong type;
        NonConcreteBooleanIndexError: a mask that is not known while tracing.
    """
    items: tuple[object, ...] = index if isinstance(index, tuple) else (index,)
    if isinstance(index, list):
        raise _sequence_refused()
    read: list[tuple[_Part, int]] = []  # each with the number of axes that it takes
    taken = 0
    dots = None
    for item in items:
        if item is Ellipsis:
            if dots is not None:
                raise IndexingError("an index can only have a single ellipsis ('...')")
            dots = len(read)
            continue
        if item is None:
            read.append((None, 0))
        elif isinstance(item, slice):
            read.append((item, 1))
            taken += 1
        elif isinstance(item, str):
            raise IndexingError(
                f"arrays do not support string indexing; got idx={item!r}",
                fix="use a dict of arrays for named parts",
            )
        else:
            for found in _positions(item):
                read.append(found)
                taken += found[1]
    if taken > len(shape):
        raise IndexingError(
            f"Too many indices: array is {len(shape)}-dimensional, but {taken} were indexed",
            fix=f"index at most {len(shape)} axes; `None` adds one, `...` stands for those between",
        )
    rest: list[tuple[_Part, int]] = [(slice(None), 1)] * (len(shape) - taken)
    place = len(read) if dots is None else dots
    read[place:place] = rest
    entries = []
    axis = 0
    for part, axes in read:
        if part is None:
            entries.append(Entry(slice(0, 1, 1), new=True))
        elif isinstance(part, slice):
            entries.append(Entry(_range(part, shape[axis])))
        elif isinstance(part, _Mask):
            if part.size != shape[axis]:
                raise IndexingError(
                    f"boolean index did not match shape of indexed array: the mask has size {part.size} along an axis "
                    f"of size {shape[axis]}",
                    fix="make the mask from the array that it indexes; `x[mask, :]` takes one bool per row",
                )
            entries.append(Entry(part.positions))
        else:
            entries.append(Entry(part, new=axes == 0))
        axis += axes
    if dots is not None and not rest and dots < len(entries):
        after = entries[dots]
        entries[dots] = Entry(after.index, after.new, apart=True)
    return entries


@final
@frozen
class _Mask:
    """The positions along one axis at which a mask is true, and the size that the mask has there."""

    positions: Elements
    size: int


_Part: TypeAlias = slice | int | Positions | _Mask | None  # None puts an axis in


def _sequence_refused() -> IndexingError:
    return IndexingError(
        "Using a non-tuple sequence for multidimensional indexing is not allowed; use `arr[array(seq)]` instead of "
        "`arr[seq]`.",
        fix="a list of positions: `x[tnp.array([0, 2])]`; one position for each axis: `x[0, 2]`",
    )


def _positions(item: object) -> list[tuple[_Part, int]]:
    """Return an index that is not a range, as parts with the number of axes each takes.

    Raises:
        RangeError: an integer of more than 64 bits. Other integers that are too large are out of range of the axis.
    """
    if isinstance(item, (bool, np.bool_)):
        return [(np.zeros(int(item), np.int32), 0)]
    if isinstance(item, (int, np.integer)) and hasattr(item, "__index__"):  # time spans have none
        return [(integer("x[...]", "an index", item), 1)]
    if isinstance(
        item, (list, tuple)
    ):  # together with other indices, NumPy's array of its elements
        item = array_from("x[...]", item, None) if item else np.zeros(0, np.int32)
    elif is_symbolic_dim(item):
        item = as_array(item)
    if not isinstance(item, (Array, np.ndarray)):
        if hasattr(item.__class__, "__index__") and not isinstance(
            item, (np.generic, builtins.type)
        ):
            return [(integer("x[...]", "an index", item), 1)]
        raise IndexingError(
            f"Indexer must have integer or boolean type, got indexer {shown(item)} of type {item.__class__.__name__}",
            fix="index with integers, slices, None, ..., or arrays of integers or booleans",
        )
    type = operand_type(item)
    if is_bool(type.dtype):
        mask = host_elements(item)
        if mask is None:
            raise NonConcreteBooleanIndexError(
                f"Array boolean indices must be concrete; got {type}, whose elements are not known while tracing",
                fix="use `where(mask, x, 0)`, or `nonzero(mask, size=...)` for a fixed number of elements",
                asked=item,
            )
        if not mask.shape:
            return [(np.zeros(int(mask), np.int32), 0)]
        with allocating():
            places = [positions.astype(np.int32) for positions in np.nonzero(mask)]
        return [
            (_Mask(positions, size), 1) for positions, size in zip(places, mask.shape, strict=True)
        ]
    if not is_integer(type.dtype):
        raise IndexingError(
            f"Indexer must have integer or boolean type, got indexer with type {type.dtype}",
            fix="convert it with .astype(int)",
        )
    if isinstance(item, np.ndarray) and not item.shape:
        return [(int(item), 1)]
    return [(item, 1)]


def _range(item: slice, size: int) -> slice:
    """Return a range with known bounds inside the axis."""
    if is_symbolic((size, item.start, item.stop)):
        return _symbolic_range(item, size)
    try:
        return slice(*item.indices(size))
    except ConcretizationError as error:
        raise IndexingError(
            f"Slice entries must be static integers. Got {item}",
            fix="use lax.dynamic_slice with a fixed size, or a mask with `where`",
        ) from error
    except (TypeError, ValueError) as error:
        raise IndexingError(f"a slice of an array: {error}") from None


def _symbolic_range(item: slice, size: int) -> slice:
    """Return a range whose ends, or the axis, have symbolic sizes: as `slice.indices` would say it of known ones."""
    step = 1 if item.step is None else integer("x[...]", "the step of a slice", item.step)
    if is_symbolic((step,)) or step == 0:
        raise IndexingError(
            f"the step of a slice is {step}, but must be a known integer other than 0",
            fix="take every element, and then those that are wanted by lax.dynamic_slice or `take`",
        )
    first, last = (0, size) if step > 0 else (-1, size - 1)  # the least and greatest ends

    def end(given: object, default: int) -> int:
        if given is None:
            return default
        at = integer("x[...]", "the end of a slice", given)
        found: int = max_dim(at + size, first) if at < 0 else min_dim(at, last)
        return found

    return (
        slice(end(item.start, 0), end(item.stop, size), step)
        if step > 0
        else slice(end(item.start, size - 1), end(item.stop, -1), step)
    )

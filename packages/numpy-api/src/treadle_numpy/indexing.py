"""`x[index]` with all of NumPy's index expressions, and the functions that take elements by position.

An index expression is read once, into one entry for each axis (`read_index`): a range that is known (`slice`),
a position that is known (`int`), or an operand of positions. From there:

* ranges and known positions only: one `slice`, then `reverse` and `reshape` where needed;
* computed scalar positions besides: `dynamic_slice`;
* arrays of positions: known ranges first, then one `gather`. By NumPy's rule the axes of the positions stand where
  the indexed axes stood if those are neighbours, else in front.

Positions out of range are clipped, since a program cannot raise (JAX's rule); negative ones count from the end.

Long because reading an index expression and the three ways to take its elements share `Entry`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np

from treadle_ir import (
    ArgumentError,
    Array,
    ArrayType,
    ConcretizationError,
    Literal,
    NonConcreteBooleanIndexError,
    Primitive,
    Tracer,
    current_trace,
    default_dtype,
)
from treadle_ir.dtypes import is_bool, is_integer, is_unsigned
from treadle_ir.primitives.indexing import Gather
from treadle_ir.primitives.shape import Reshape, Reverse, Slice
from treadle_numpy.coercion import (
    ArrayLike,
    Plans,
    ValueArgumentError,
    array_of,
    as_axis,
    bind,
    broadcast_to_shape,
    coerce,
    common_shape,
    converted,
    host_elements,
    made,
    named_only,
    on_host,
    operand_type,
    ops,
    remember,
    shape_of,
)

_FEW: Final = 1 << 16
"""Positions up to which negative ones are made positive by NumPy, if the host has them: one step, not three."""


class IndexValueError(ArgumentError, IndexError):
    """An index expression that does not fit the array."""


@final
@dataclass(frozen=True, slots=True)
class Entry:
    """What an index expression says of one axis; `new` marks an axis of size 1 that the expression put in."""

    index: Any  # slice with known bounds, int, or an operand of integer positions
    new: bool = False
    apart: bool = (
        False  # `...`, standing for no axis, is before it: for NumPy that separates arrays, too
    )


def neighbouring(entries: list[Entry], indexed: list[int]) -> bool:
    """Whether the entries that are positions stand side by side, so that their axes stay in place."""
    first, last = indexed[0], indexed[-1]
    return indexed == list(range(first, last + 1)) and not any(
        [entry.apart for entry in entries[first + 1 : last + 1]]
    )


def read_index(shape: tuple[int, ...], index: Any) -> list[Entry]:
    """One entry for each axis of an array of this shape, and for each axis that the expression puts in.

    Raises:
        IndexValueError: too many indices, a mask of the wrong shape; ArgumentError: an index of the wrong type;
        NonConcreteBooleanIndexError: a mask that is not known while tracing.
    """
    items = index if isinstance(index, tuple) else (index,)
    if isinstance(index, list):
        raise _sequence_refused(index)
    read: list[Any] = []
    taken = 0
    dots = None
    for item in items:
        if item is Ellipsis:
            if dots is not None:
                raise IndexValueError("an index can only have a single ellipsis ('...')")
            dots = len(read)
            continue
        if item is None:
            read.append((None, 0))
        elif isinstance(item, slice):
            read.append((item, 1))
            taken += 1
        elif isinstance(item, (list, tuple)):
            raise _sequence_refused(item)
        elif isinstance(item, str):
            raise ArgumentError(
                f"arrays do not support string indexing; got idx={item!r}",
                fix="use a dict of arrays for named parts",
            )
        else:
            for part, axes in _positions(item, shape, taken if dots is None else None, items):
                read.append((part, axes))
                taken += axes
    if taken > len(shape):
        raise IndexValueError(
            f"Too many indices: array is {len(shape)}-dimensional, but {taken} were indexed",
            fix=f"index at most {len(shape)} axes; `None` adds one, `...` stands for those between",
        )
    rest = [(slice(None), 1)] * (len(shape) - taken)
    place = len(read) if dots is None else dots
    read[place:place] = rest
    entries = []
    axis = 0
    for part, axes in read:
        if part is None:
            entries.append(Entry(slice(0, 1, 1), new=True))
        elif isinstance(part, slice):
            entries.append(Entry(_range(part, shape[axis])))
        elif axes == 0:
            entries.append(Entry(part, new=True))
        elif isinstance(part, _Mask):
            if part.size != shape[axis]:
                raise IndexValueError(
                    f"boolean index did not match shape of indexed array: the mask has size {part.size} along an axis "
                    f"of size {shape[axis]}",
                    fix="make the mask from the array that it indexes; `x[mask, :]` takes one bool per row",
                )
            entries.append(Entry(part.positions))
        else:
            entries.append(Entry(part))
        axis += axes
    if dots is not None and not rest and dots < len(entries):
        after = entries[dots]
        entries[dots] = Entry(after.index, after.new, apart=True)
    return entries


@final
@dataclass(frozen=True, slots=True)
class _Mask:
    """The positions along one axis at which a mask is true, and the size that the mask has there."""

    positions: Any
    size: int


def _sequence_refused(index: Any) -> ArgumentError:
    return ArgumentError(
        "Using a non-tuple sequence for multidimensional indexing is not allowed; use `arr[array(seq)]` instead of "
        "`arr[seq]`.",
        fix="a list of positions: `x[tnp.array([0, 2])]`; one position for each axis: `x[0, 2]`",
    )


def _positions(
    item: Any, shape: tuple[int, ...], axis: int | None, items: Any
) -> list[tuple[Any, int]]:
    """An index that is no range, as parts with the number of axes each takes."""
    if isinstance(item, (bool, np.bool_)):
        return [(np.zeros(int(item), np.int32), 0)]
    if isinstance(item, (int, np.integer)):
        return [(int(item), 1)]
    if not isinstance(item, (Array, np.ndarray)):
        to_index = getattr(type(item), "__index__", None)
        if to_index is not None and not isinstance(item, np.generic):
            return [(int(to_index(item)), 1)]
        raise ArgumentError(
            f"Indexer must have integer or boolean type, got indexer {item!r} of type {type(item).__name__}",
            fix="index with integers, slices, None, ..., or arrays of integers or booleans",
        )
    type_ = operand_type(item)
    if is_bool(type_.dtype):
        mask = host_elements(item)
        if mask is None:
            raise NonConcreteBooleanIndexError(
                f"Array boolean indices must be concrete; got {type_}, whose elements are not known while tracing",
                fix="use `where(mask, x, 0)`, or `nonzero(mask, size=...)` for a fixed number of elements",
            )
        if not mask.shape:
            return [(np.zeros(int(mask), np.int32), 0)]
        return [
            (_Mask(positions.astype(np.int32), size), 1)
            for positions, size in zip(np.nonzero(mask), mask.shape, strict=True)
        ]
    if not is_integer(type_.dtype):
        raise ArgumentError(
            f"Indexer must have integer or boolean type, got indexer with type {type_.dtype}",
            fix="convert it with .astype(int)",
        )
    if isinstance(item, np.ndarray) and not item.shape:
        return [(int(item), 1)]
    return [(item, 1)]


def _range(item: slice, size: int) -> slice:
    """A range with known bounds inside the axis."""
    try:
        return slice(*item.indices(size))
    except ConcretizationError as error:
        raise IndexValueError(
            f"Slice entries must be static integers. Got {item}",
            fix="use lax.dynamic_slice with a fixed size, or a mask with `where`",
        ) from error
    except ValueError as error:
        raise ValueArgumentError(f"a slice of an array: {error}") from None


_STATIC: Final[Plans] = {}
_ENDS: Final = frozenset([int, type(None)])


def static_key(index: Any) -> Any:
    """What equal static index expressions share: ints, and ranges as tuples of their ends; None for all others.

    Classes are compared exactly: `True` and `1.0` equal 1 and mean something else, or nothing.
    """
    kind = index.__class__
    if kind is int:
        return index
    key = []
    for item in index if kind is tuple else (index,):
        kind = item.__class__
        if kind is slice:
            start, stop, step = item.start, item.stop, item.step
            if not (
                start.__class__ in _ENDS and stop.__class__ in _ENDS and step.__class__ in _ENDS
            ):
                return None
            key.append((start, stop, step))
        elif kind is int or item is None or item is Ellipsis:
            key.append(item)
        else:
            return None
    return tuple(key)


def getitem(x: Array, index: Any) -> Array:
    """`x[index]`."""
    key = index if index.__class__ is int else static_key(index)
    if key is None:
        if isinstance(index, Array) and _names_rows(index.type, x.type):
            return _rows(x, index)
        return take_entries(x, read_index(shape_of(x), index))
    type = x.type
    plan = _STATIC.get((type, key))
    if plan is None:
        if key.__class__ is int:
            plan = _plan_position(type, key)
        else:
            plan = _plan_known(type.shape, read_index(type.shape, index))
        remember(_STATIC, (type, key), plan)
    process = current_trace().process
    operands: Any = (x,)
    for primitive in plan:
        operands = process(primitive, operands)
    found: Array = operands[0]
    return found


_ROWS: Final[Plans] = {}


def _names_rows(index: ArrayType, of: ArrayType) -> bool:
    return bool(index.shape) and bool(of.shape) and is_integer(index.dtype)


def _nothing_there() -> IndexValueError:
    return IndexValueError("an array with an axis of size 0 has nothing at any position")


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


def _plan_position(type: ArrayType, index: int) -> tuple[Primitive, ...]:
    if not type.shape:
        raise IndexValueError(
            "Too many indices: array is 0-dimensional, but 1 were indexed",
            fix="a scalar has no axes to index: `x[()]` or `x.item()` gives its value",
        )
    place = _clipped(index, type.shape[0])
    rest = type.shape[1:]
    return Slice((place,) + (0,) * len(rest), (place + 1, *rest), (1,) * type.ndim), Reshape(rest)


def _clipped(index: int, size: int) -> int:
    """A known position as one from 0 to size - 1."""
    if not size:
        raise IndexValueError(f"index {index} is out of bounds for an axis of size 0")
    return min(max(index + size if index < 0 else index, 0), size - 1)


def _is_position(entry: Entry) -> bool:
    return not isinstance(entry.index, (slice, int))


def take_entries(x: Any, entries: list[Entry], mode: str = "clip", fill_value: Any = None) -> Array:
    """The elements that the entries of an index expression name."""
    strict = mode != "clip"
    own = _expanded(x, entries)
    computed = [i for i, entry in enumerate(entries) if _is_position(entry)]
    if strict:
        outside = any(
            isinstance(e.index, int) and not -n <= e.index < n
            for e, n in zip(entries, own, strict=True)
        )
        if outside:
            entries = [
                Entry(np.asarray(e.index, np.int32), e.new, e.apart)
                if isinstance(e.index, int)
                else e
                for e in entries
            ]
            computed = [i for i, entry in enumerate(entries) if _is_position(entry)]
    if not computed:
        return _known(x, entries)
    if not strict and not any(shape_of(entries[i].index) for i in computed):
        return _dynamic(x, entries, own)
    return _gathered(x, entries, own, mode, fill_value)


def _expanded(x: Any, entries: list[Entry]) -> list[int]:
    """The shape of the array with the axes that the expression puts in."""
    sizes = iter(shape_of(x))
    return [1 if entry.new else next(sizes) for entry in entries]


def _known(x: Any, entries: list[Entry]) -> Array:
    """Known ranges and positions: a slice, reversed and reshaped where needed."""
    for primitive in _plan_known(shape_of(x), entries):
        x = bind(primitive, x)
    return array_of(x)


def _plan_known(own: tuple[int, ...], entries: list[Entry]) -> tuple[Primitive, ...]:
    """The primitives that take known ranges and positions out of an array of some shape, in their order."""
    start, limit, strides, turned, result = [], [], [], [], []
    axis = 0
    for entry in entries:
        if entry.new:
            result.append(1)
            continue
        index, size = entry.index, own[axis]
        if index.__class__ is int:
            place = _clipped(index, size)
            start.append(place)
            limit.append(place + 1)
            strides.append(1)
        else:
            low, high, step, count = _ascending(index)
            start.append(low)
            limit.append(high)
            strides.append(step)
            result.append(count)
            if index.step < 0 and count > 1:
                turned.append(axis)
        axis += 1
    plan: list[Primitive] = []
    shape = own
    if not all(
        low == 0 and high == n and step == 1
        for low, high, step, n in zip(start, limit, strides, own, strict=True)
    ):
        plan.append(Slice(tuple(start), tuple(limit), tuple(strides)))
        shape = tuple(
            [
                -(-(high - low) // step)
                for low, high, step in zip(start, limit, strides, strict=True)
            ]
        )
    if turned:
        plan.append(Reverse(tuple(turned)))
    if shape != tuple(result):
        plan.append(Reshape(tuple(result)))
    return tuple(plan)


def _ascending(index: slice) -> tuple[int, int, int, int]:
    """The same places as start, limit and positive stride, and their number."""
    places = range(index.start, index.stop, index.step)
    count = len(places)
    if not count:
        return 0, 0, 1, 0
    first, last = places[0], places[-1]
    return (
        (first, last + 1, index.step, count)
        if index.step > 0
        else (last, first + 1, -index.step, count)
    )


def wrapped(index: Any, size: int) -> Any:
    """Computed positions with negative ones counted from the end, in the default integer type."""
    whole = default_dtype(int)
    known = index
    if isinstance(index, Array) and on_host() and index.type.size <= _FEW:
        known = index.held()
    if isinstance(known, (np.ndarray, np.generic)):
        elements = np.asarray(known).astype(whole, copy=False)
        if elements.size and elements.min() < 0:
            elements = np.where(elements < 0, elements + whole.type(size), elements).astype(whole)
        return elements
    type = operand_type(index)
    if is_unsigned(type.dtype):
        return ops.convert(index, dtype=whole)
    if type.dtype != whole:
        index = ops.convert(index, dtype=whole)
    below = ops.compare(index, whole.type(0), direction="lt")
    return ops.select(below, ops.add(index, whole.type(size)), index)


def _dynamic(x: Any, entries: list[Entry], own: list[int]) -> Array:
    """Computed scalar positions: known ranges first, then a dynamic slice."""
    whole = default_dtype(int)
    ranges = [
        Entry(slice(0, n, 1) if _is_position(e) else e.index, e.new)
        for e, n in zip(entries, own, strict=True)
    ]
    part = x if _all_full(ranges, own) else _known(x, ranges)
    starts, sizes, result = [], [], []
    left = iter(shape_of(part))
    for entry, full in zip(entries, own, strict=True):
        if isinstance(entry.index, int):
            continue
        size = 1 if entry.new and _all_full(ranges, own) else next(left)
        if _is_position(entry):
            if not full:
                raise _nothing_there()
            starts.append(wrapped(entry.index, full))
            sizes.append(1)
        else:
            result.append(size)
            if not (entry.new and _all_full(ranges, own)):
                starts.append(whole.type(0))
                sizes.append(size)
    piece = ops.dynamic_slice(part, *starts, sizes=tuple(sizes))
    return piece if piece.shape == tuple(result) else ops.reshape(piece, shape=tuple(result))


def _all_full(entries: Sequence[Entry], own: Sequence[int]) -> bool:
    """Whether every entry names all of its axis."""
    return all(
        isinstance(e.index, slice) and e.index == slice(0, n, 1)
        for e, n in zip(entries, own, strict=True)
    )


def index_vectors(indices: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """Positions for several axes as one array with a last axis over them."""
    if all(isinstance(index, (np.ndarray, np.generic)) for index in indices):
        if len(indices) == 1 and indices[0].shape == shape:
            vectors = indices[0].reshape(*shape, 1)
        else:
            vectors = np.stack([np.broadcast_to(index, shape) for index in indices], axis=-1)
        return made(vectors) if on_host() else vectors
    columns = []
    for index in indices:
        spread = broadcast_to_shape(index, shape)
        columns.append(ops.reshape(spread, shape=(*shape, 1)))
    return columns[0] if len(columns) == 1 else ops.concatenate(columns, dimension=len(shape))


def _gathered(
    x: Any,
    entries: list[Entry],
    own: list[int],
    mode: str,
    fill_value: Any,
    from_end: bool = True,
) -> Array:
    """Arrays of positions: known ranges first, then a gather; `from_end` says that negative ones count from there."""
    indexed = [i for i, entry in enumerate(entries) if not isinstance(entry.index, slice)]
    ranges = [
        Entry(slice(0, n, 1) if i in indexed else e.index, e.new)
        for i, (e, n) in enumerate(zip(entries, own, strict=True))
    ]
    part = _known(x, ranges)
    sizes = shape_of(part)
    positions = [
        wrapped(np.asarray(e.index, np.int32) if isinstance(e.index, int) else e.index, own[i])
        if from_end
        else converted(e.index, default_dtype(int))
        for i, e in enumerate(entries)
        if i in indexed
    ]
    batch = common_shape("indexing", [shape_of(index) for index in positions])
    if mode == "clip" and 0 not in batch and any(not own[i] for i in indexed):
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
    )


def gather_mode(mode: Any, default: str) -> str:
    """A `mode` argument as the primitive's: clip, fill or promise_in_bounds.

    Raises:
        ValueArgumentError: there is no such mode.
    """
    if mode is None:
        return default
    name = str(getattr(mode, "name", mode)).lower()
    known = {
        "clip": "clip",
        "fill": "fill",
        "drop": "fill",
        "fill_or_drop": "fill",
        "promise_in_bounds": "promise_in_bounds",
    }
    if name not in known:
        raise ValueArgumentError(
            f"the mode of an index is {mode!r}, which is none of clip, fill, drop, promise_in_bounds"
        )
    return known[name]


def take(
    a: ArrayLike,
    indices: ArrayLike,
    axis: int | None = None,
    out: None = None,
    mode: str | None = None,
    unique_indices: bool = False,
    indices_are_sorted: bool = False,
    fill_value: Any = None,
) -> Array:
    """The elements at some positions along an axis; of the flat array by default.

    Differs from NumPy: positions out of range give NaN (`mode="fill"`, the default), never an error.

    Raises:
        ArgumentError: the positions are not integers.

    Example:
        >>> print(take(np.array([1.0, 2.0, 3.0], np.float32), np.array([2, 0])))
        [3. 1.]
    """
    named_only("take", out=out)
    x, positions = array_of(coerce("take", 0, a)), coerce("take", 1, indices)
    if isinstance(positions, Literal):
        positions = positions.value
    if not is_integer(operand_type(positions).dtype):
        raise ArgumentError(
            f"take: indices must be of integer type, got {operand_type(positions)}",
            fix="convert with .astype(int)",
        )
    if axis is None:
        x, along = ops.reshape(x, shape=(x.size,)), 0
    else:
        along = as_axis("take", axis, x.ndim)
    size = x.shape[along]
    from_end = mode == "wrap"  # the remainder of a negative position is negative
    if from_end:
        whole = default_dtype(int)
        positions = ops.remainder(converted(positions, whole), whole.type(size))
        mode = "clip"
    entries = [Entry(slice(0, n, 1)) for n in x.shape]
    entries[along] = Entry(
        np.asarray(positions) if isinstance(positions, np.generic) else positions
    )
    how = gather_mode(mode, "fill")
    return _gathered(x, entries, list(x.shape), how, fill_value, from_end or how != "clip")


def take_along_axis(
    arr: ArrayLike,
    indices: ArrayLike,
    axis: int | None = -1,
    mode: Any = None,
    fill_value: Any = None,
    *,
    wrap_negative_indices: bool = True,
) -> Array:
    """For each vector along an axis, its elements at the positions in the same place of `indices`.

    Raises:
        ArgumentError: the positions are not integers.
        ValueArgumentError: the positions have not as many axes as the array.

    Example:
        >>> print(take_along_axis(np.array([[3, 1]], np.int32), np.array([[1, 0]]), 1))
        [[1 3]]
    """
    x, positions = (
        array_of(coerce("take_along_axis", 0, arr)),
        coerce("take_along_axis", 1, indices),
    )
    if not is_integer(operand_type(positions).dtype):
        raise ArgumentError(
            f"take_along_axis: indices must be of integer type, got {operand_type(positions)}",
            fix="convert with .astype(int)",
        )
    if axis is None:
        if len(shape_of(positions)) != 1:
            raise ValueArgumentError("take_along_axis: without an axis, indices must have one axis")
        return take(x, positions, mode=mode or "fill", fill_value=fill_value)
    if len(shape_of(positions)) != x.ndim:
        raise ValueArgumentError(
            f"indices and arr must have the same number of dimensions; {len(shape_of(positions))} vs. {x.ndim}"
        )
    along = as_axis("take_along_axis", axis, x.ndim)
    size = x.shape[along]
    positions = (
        wrapped(positions, size)
        if wrap_negative_indices
        else converted(positions, default_dtype(int))
    )
    others = common_shape(
        "take_along_axis",
        [
            tuple(1 if i == along else n for i, n in enumerate(s))
            for s in (x.shape, shape_of(positions))
        ],
    )
    x = broadcast_to_shape(x, tuple(size if i == along else n for i, n in enumerate(others)))
    count = shape_of(positions)[along]
    shape = tuple(count if i == along else n for i, n in enumerate(others))
    positions = array_of(broadcast_to_shape(positions, shape))
    batching = tuple(i for i in range(x.ndim) if i != along)
    return ops.gather(
        x,
        ops.reshape(positions, shape=(*shape, 1)),
        offset_dims=(),
        collapsed_slice_dims=(along,),
        start_index_map=(along,),
        slice_sizes=(1,) * x.ndim,
        operand_batching_dims=batching,
        start_indices_batching_dims=batching,
        mode=gather_mode(mode, "fill"),
        fill_value=fill_value,
    )


def concrete_mask(function: str, x: Any) -> Any:
    """The elements of a condition that has to be known.

    Raises:
        ConcretizationError: it is being traced.
    """
    elements = host_elements(x)
    if elements is None:
        assert isinstance(x, Tracer)
        raise ConcretizationError(
            f"{function} was called on a traced array of type {x.type}: the size of its result depends on the elements",
            fix="say how many there are at most with `size=`, or use the three-argument `where`",
        )
    return elements

"""`x.at[index].set(values)` and its relatives: arrays never change, so an update is a new array.

The index is read as for `x[index]`. Where all positions are scalars and all ranges contiguous, one index vector
names the window that is updated; otherwise there is an index vector for each element of the indexed axes, and
windows run over the axes that are taken whole. Positions out of range are dropped.

Long because `x.at` has ten methods, and updates by known ranges have cheaper primitives than a scatter.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Final, NoReturn, final

import numpy as np

from treadle_ir import (
    ArgumentError,
    Array,
    ShapeError,
    current_trace,
    default_dtype,
    promoted,
    x64_enabled,
)
from treadle_ir.dtypes import is_inexact
from treadle_ir.primitives.indexing import DynamicUpdateSlice
from treadle_ir.primitives.shape import BroadcastInDim
from treadle_numpy.coercion import (
    ArrayLike,
    Plans,
    UnsupportedError,
    array_of,
    broadcast_to_shape,
    coerce,
    common_shape,
    converted,
    filled,
    operand_type,
    ops,
    remember,
    shape_of,
)
from treadle_numpy.elementwise import divide, negative, power, scalar_beside
from treadle_numpy.indexing import (
    Entry,
    gather_mode,
    index_vectors,
    neighbouring,
    read_index,
    static_key,
    take_entries,
    wrapped,
)


@final
class Updates:
    """What `x.at` gives: `x.at[index]` names the elements to update.

    Example:
        >>> import treadle_numpy as tnp
        >>> print(at(tnp.zeros(3))[1].set(5.0))
        [0. 5. 0.]
    """

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        self.array = array

    def __getitem__(self, index: Any) -> UpdatesAt:
        return UpdatesAt(self.array, index)

    def __setitem__(self, index: Any, value: Any) -> NoReturn:
        raise ArgumentError(
            "x.at[i] = y changes nothing: arrays are immutable", fix="write x = x.at[i].set(y)"
        )

    def __repr__(self) -> str:
        return f"Updates({self.array!r})"


def at(x: ArrayLike) -> Updates:
    """`x.at` as a function, for arrays of NumPy too."""
    return Updates(array_of(coerce("at", 0, x)))


def _wrap_only(wrap_negative_indices: bool) -> None:
    if not wrap_negative_indices:
        raise UnsupportedError(
            "x.at[...]: wrap_negative_indices=False is not supported",
            fix="for positions that are to count as out of range, use the size of the axis",
        )


def _method(name: str, instruction: str, doc: str) -> Callable[..., Array]:
    """A method that combines values into the elements by one instruction of the scatter family."""

    def method(
        self: UpdatesAt,
        values: ArrayLike,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: Any = None,
        wrap_negative_indices: bool = True,
    ) -> Array:
        _wrap_only(wrap_negative_indices)
        return update(
            instruction, self.array, self.index, values, mode, indices_are_sorted, unique_indices
        )

    method.__name__ = name
    method.__qualname__ = f"UpdatesAt.{name}"
    method.__doc__ = doc
    return method


@final
class UpdatesAt:
    """What `x.at[index]` gives: its methods return the array with the elements there updated.

    `mode` is what happens to positions out of range: "drop" (the default; "fill" means the same), "clip", or
    "promise_in_bounds". `indices_are_sorted` and `unique_indices` are promises that may make it faster.
    """

    __slots__ = ("array", "index")

    def __init__(self, array: Array, index: Any) -> None:
        self.array = array
        self.index = index

    def __repr__(self) -> str:
        return f"UpdatesAt({self.array!r}, {self.index!r})"

    def get(
        self,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: Any = None,
        fill_value: Any = None,
        wrap_negative_indices: bool = True,
    ) -> Array:
        """The elements, as `x[index]`, with a choice of what stands for positions out of range."""
        _wrap_only(wrap_negative_indices)
        return take_entries(
            self.array,
            read_index(shape_of(self.array), self.index),
            gather_mode(mode, "clip"),
            fill_value,
        )

    set = _method("set", "scatter", "The array with other values there.")
    add = _method(
        "add",
        "scatter_add",
        "The array with values added there; each time for positions that are named more than once.",
    )
    multiply = mul = _method(
        "multiply", "scatter_multiply", "The array multiplied by values there."
    )
    min = _method(
        "min", "scatter_minimum", "The array with the lesser of its elements and values there."
    )
    max = _method(
        "max", "scatter_maximum", "The array with the greater of its elements and values there."
    )

    def subtract(
        self,
        values: ArrayLike,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: Any = None,
        wrap_negative_indices: bool = True,
    ) -> Array:
        """The array with values subtracted there."""
        _wrap_only(wrap_negative_indices)
        return update(
            "scatter_add",
            self.array,
            self.index,
            negative(values),
            mode,
            indices_are_sorted,
            unique_indices,
        )

    def divide(
        self,
        values: ArrayLike,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: Any = None,
        wrap_negative_indices: bool = True,
    ) -> Array:
        """The array divided by values there."""
        _wrap_only(wrap_negative_indices)
        x = self.array
        factors = self._factors(values, mode, indices_are_sorted, unique_indices)
        if is_inexact(x.dtype):
            return divide(x, factors)
        return ops.divide(x, factors)

    def power(
        self,
        values: ArrayLike,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: Any = None,
        wrap_negative_indices: bool = True,
    ) -> Array:
        """The array raised to powers there."""
        _wrap_only(wrap_negative_indices)
        return power(self.array, self._factors(values, mode, indices_are_sorted, unique_indices))

    def _factors(
        self, values: ArrayLike, mode: Any, indices_are_sorted: bool, unique_indices: bool
    ) -> Array:
        """The product of the values for each element, and 1 where there are none."""
        ones = filled(self.array.shape, self.array.dtype.type(1))
        return update(
            "scatter_multiply", ones, self.index, values, mode, indices_are_sorted, unique_indices
        )

    def apply(
        self,
        func: Callable[[Array], Any],
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: Any = None,
        wrap_negative_indices: bool = True,
    ) -> Array:
        """The array with an elementwise function applied there, once also to positions named more than once."""
        _wrap_only(wrap_negative_indices)
        here = take_entries(self.array, read_index(shape_of(self.array), self.index))
        return update(
            "scatter", self.array, self.index, func(here), mode, indices_are_sorted, unique_indices
        )


def _values(x: Array, values: Any) -> Any:
    """The values of an update in the array's element type, with a warning where that loses something."""
    if isinstance(values, (list, tuple)):
        values = np.asarray(values)
    operand = coerce("x.at[...]", 1, values)
    type = operand_type(operand)
    if promoted([operand_type(x), type])[0] != x.dtype:
        warnings.warn(
            f"scatter inputs have incompatible types: cannot safely cast value from dtype={type.dtype} to "
            f"dtype={x.dtype}; convert the values with .astype, or the array first",
            FutureWarning,
            stacklevel=4,
        )
    return converted(operand, x.dtype)


def update(
    instruction: str,
    x: Array,
    index: Any,
    values: Any,
    mode: Any,
    indices_are_sorted: bool,
    unique_indices: bool,
) -> Array:
    """The array with values combined into the elements that an index expression names.

    Raises:
        ShapeError: the values do not broadcast to the shape of `x[index]`.
    """
    if instruction == "scatter" and mode is None:
        key = static_key(index)
        if key is not None:
            written = _write_window(x, key, index, values)
            if written is not None:
                return written
    own_mode = gather_mode(mode, "fill")
    entries = read_index(shape_of(x), index)
    values = _values(x, values)
    kept = [entry for entry in entries if not (entry.new and isinstance(entry.index, slice))]
    if any(entry.new for entry in kept):  # a scalar mask: on an axis of its own
        sizes = iter(x.shape)
        inner = tuple([1 if entry.new else next(sizes) for entry in kept])
        expanded = ops.reshape(x, shape=inner)
        plain = [Entry(entry.index) for entry in kept]
        result = _scattered(
            instruction,
            expanded,
            plain,
            entries,
            values,
            own_mode,
            indices_are_sorted,
            unique_indices,
        )
        return ops.reshape(result, shape=x.shape)
    return _scattered(
        instruction, x, kept, entries, values, own_mode, indices_are_sorted, unique_indices
    )


_WINDOWS: Final[Plans] = {}
_UPDATE: Final = DynamicUpdateSlice()


def _write_window(x: Array, key: Any, index: Any, value: Any) -> Array | None:
    """`x.at[index].set(number)` for a known index inside the array: the number spread over a window, and written.

    None where it is not that simple: the value is no number that takes the array's element type as it is, or the
    index names no window.
    """
    type = operand_type(x)
    scalar = scalar_beside(value, type)
    if scalar is None:
        return None
    key = type, key, x64_enabled()
    plan = _WINDOWS.get(key)
    if plan is None:
        entries = read_index(type.shape, index)
        kept = [entry for entry in entries if not entry.new]
        block = _window(type.shape, kept)
        if block is None or 0 in block:
            return None
        spread = BroadcastInDim(block, ())
        plan = spread, tuple(_window_starts(type.shape, kept))
        remember(_WINDOWS, key, plan)
    process = current_trace().process
    spread, starts = plan
    found: Array = process(_UPDATE, (x, process(spread, (scalar,))[0], *starts))[0]  # type: ignore[assignment]
    return found


def _window(own: tuple[int, ...], kept: list[Entry]) -> tuple[int, ...] | None:
    """The shape of the window that known positions and contiguous ranges name; None if they are not all that."""
    block = []
    for entry, n in zip(kept, own, strict=True):
        at = entry.index
        if isinstance(at, slice):
            if at.step != 1:
                return None
            block.append(max(0, at.stop - at.start))
        elif isinstance(at, int) and -n <= at < n:
            block.append(1)
        else:
            return None
    return tuple(block)


def _window_starts(own: tuple[int, ...], kept: list[Entry]) -> list[Any]:
    """Where such a window starts on each axis."""
    whole = default_dtype(int)
    return [
        whole.type(e.index.start if isinstance(e.index, slice) else e.index % n)
        for e, n in zip(kept, own, strict=True)
    ]


def _scattered(
    instruction: str,
    x: Array,
    kept: list[Entry],
    entries: list[Entry],
    values: Any,
    mode: str,
    indices_are_sorted: bool,
    unique_indices: bool,
) -> Array:
    own = x.shape
    whole = default_dtype(int)
    arrays = [
        i for i, e in enumerate(kept) if not isinstance(e.index, (slice, int)) and shape_of(e.index)
    ]
    contiguous = all(not isinstance(e.index, slice) or e.index.step == 1 for e in kept)
    if not arrays and contiguous:  # one window
        dropped = [i for i, e in enumerate(kept) if not isinstance(e.index, slice)]
        named = [i for i, e in enumerate(kept) if i in dropped or e.index != slice(0, own[i], 1)]
        window = tuple(
            [max(0, e.index.stop - e.index.start) for e in kept if isinstance(e.index, slice)]
        )
        shape = _with_new_axes(entries, iter(window))
        updates = _spread(values, shape, window)
        block = _window(own, kept) if instruction == "scatter" else None
        if block is not None:
            if 0 in block:
                return x
            updates = updates if shape_of(updates) == block else ops.reshape(updates, shape=block)
            return ops.dynamic_update_slice(x, updates, *_window_starts(own, kept))
        starts = [_start(kept[i], own[i]) for i in named]
        vector = index_vectors(starts, ()) if starts else np.zeros((0,), whole)
        return instruction_of(instruction)(
            x,
            vector,
            updates,
            update_window_dims=tuple(range(len(window))),
            inserted_window_dims=tuple(dropped),
            scatter_dims_to_operand_dims=tuple(named),
            mode=mode,
            indices_are_sorted=True,
            unique_indices=True,
        )
    positions = {
        i: wrapped(np.asarray(e.index, whole) if isinstance(e.index, int) else e.index, own[i])
        for i, e in enumerate(kept)
        if not isinstance(e.index, slice)
    }
    batch = (
        common_shape("x.at[...]", [shape_of(index) for index in positions.values()])
        if positions
        else ()
    )
    indexed = sorted(positions)
    # The axes of x[index], each with what it comes from: the batch of positions, or a range.
    order: list[Any] = [i for i in range(len(kept)) if i not in positions]
    if positions:
        # a new axis between arrays of positions separates them as a range does
        where = [i for i, e in enumerate(entries) if not isinstance(e.index, slice)]
        place = sum(1 for i in order if i < indexed[0]) if neighbouring(entries, where) else 0
        order[place:place] = [("batch", j) for j in range(len(batch))]
    counts = [len(_places(kept[a].index)) if isinstance(a, int) else batch[a[1]] for a in order]
    by_vector = [
        p
        for p, a in enumerate(order)
        if not isinstance(a, int) or kept[a].index != slice(0, own[a], 1)
    ]
    grid = tuple([counts[p] for p in by_vector])
    vectors = []
    for i, e in enumerate(kept):
        if i in positions:
            places = [by_vector.index(p) for p, a in enumerate(order) if not isinstance(a, int)]
            vectors.append(_on_axes(positions[i], batch, places, len(grid)))
        elif e.index != slice(0, own[i], 1):
            places = [by_vector.index(order.index(i))]
            range_ = np.asarray(list(_places(e.index)), whole)
            vectors.append(_on_axes(range_, range_.shape, places, len(grid)))
    named = [i for i, e in enumerate(kept) if i in positions or e.index != slice(0, own[i], 1)]
    full = _full_shape(entries, order, counts)
    updates = _spread(values, full, tuple(counts))
    return instruction_of(instruction)(
        x,
        index_vectors(vectors, grid),
        updates,
        update_window_dims=tuple([p for p in range(len(order)) if p not in by_vector]),
        inserted_window_dims=tuple(named),
        scatter_dims_to_operand_dims=tuple(named),
        mode=mode,
        indices_are_sorted=indices_are_sorted,
        unique_indices=unique_indices,
    )


def instruction_of(name: str) -> Callable[..., Array]:
    """The instruction of that name."""
    found: Callable[..., Array] = getattr(ops, name)
    return found


def _places(index: slice) -> range:
    return range(index.start, index.stop, index.step)


def _start(entry: Entry, size: int) -> Any:
    """Where a window starts along an axis."""
    whole = default_dtype(int)
    if isinstance(entry.index, slice):
        return np.asarray(entry.index.start, whole)
    if isinstance(entry.index, int):
        return np.asarray(entry.index + size if entry.index < 0 else entry.index, whole)
    return wrapped(entry.index, size)


def _on_axes(index: Any, shape: tuple[int, ...], places: list[int], rank: int) -> Any:
    """Positions with their axes at some places of the grid, for broadcasting."""
    own = shape_of(index)
    if own != shape:
        index = (
            broadcast_to_shape(index, shape)
            if not isinstance(index, np.ndarray)
            else np.broadcast_to(index, shape)
        )
    sizes = [1] * rank
    for place, n in zip(places, shape, strict=True):
        sizes[place] = n
    if isinstance(index, np.ndarray):
        return index.reshape(sizes)
    return ops.reshape(index, shape=tuple(sizes))


def _with_new_axes(entries: list[Entry], sizes: Any) -> tuple[int, ...]:
    """The shape of `x[index]` where no array of positions is in it."""
    return tuple(
        [
            1 if e.new and isinstance(e.index, slice) else next(sizes)
            for e in entries
            if isinstance(e.index, slice)
        ]
    )


def _full_shape(entries: list[Entry], order: list[Any], counts: list[int]) -> tuple[int, ...]:
    """The shape of `x[index]`, with the axes that the expression puts in.

    New axes separate arrays of positions as ranges do, so where the batch stands is decided with them.
    """
    with_new = [i for i, e in enumerate(entries)]
    positions = [i for i in with_new if not isinstance(entries[i].index, slice)]
    batch = [count for a, count in zip(order, counts, strict=True) if not isinstance(a, int)]
    ranges = [i for i in with_new if isinstance(entries[i].index, slice)]
    sizes = [1 if entries[i].new else len(_places(entries[i].index)) for i in ranges]
    if not positions:
        return tuple(sizes)
    place = sum(1 for i in ranges if i < positions[0]) if neighbouring(entries, positions) else 0
    return tuple(sizes[:place] + batch + sizes[place:])


def _spread(values: Any, full: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """The values broadcast to the shape of `x[index]`, without its new axes."""
    own = shape_of(values)
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
    spread = broadcast_to_shape(values, full)
    return spread if full == shape else ops.reshape(spread, shape=shape)

"""Known ranges and positions: one `slice`, then `reverse` and `reshape` where needed.

What they come to is planned once for an array's type and an index.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias, cast

from treadle_ir import ArrayType, Primitive
from treadle_ir.core import is_symbolic, max_dim, min_dim, symbolic_dim_bounds
from treadle_ir.errors import IndexingError, integer
from treadle_ir.primitives.shape import Reshape, Reverse, Slice
from treadle_numpy.indexing.entries import Entry
from treadle_numpy.settings import CHECK_INDICES

StaticKey: TypeAlias = int | tuple[object, ...]
STATIC: Final[dict[tuple[ArrayType, StaticKey], tuple[Primitive, ...]]] = {}
_ENDS: Final = frozenset([int, type(None)])


def static_key(index: object) -> StaticKey | None:
    """Return a key that equal static index expressions share: ints, and ranges as tuples of their ends; else None.

    Classes are compared exactly: `True` and `1.0` equal 1 and mean something else, or nothing.
    """
    kind = index.__class__
    if kind is int:
        return cast("int", index)
    key: list[object] = []
    for item in cast("tuple[Any, ...]", index) if kind is tuple else (index,):  # told by its class
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


def plan_position(type: ArrayType, index: int) -> tuple[Primitive, ...]:
    """Return the primitives that take the part at a known position out of an array of some type.

    Raises:
        RangeError: the position has more than 64 bits.
    """
    if not type.shape:
        raise IndexingError(
            "Too many indices: array is 0-dimensional, but 1 were indexed",
            fix="a scalar has no axes to index: `x[()]` or `x.item()` gives its value",
        )
    place = clipped(integer("x[...]", "an index", index), type.shape[0])
    rest = type.shape[1:]
    return Slice((place,) + (0,) * len(rest), (place + 1, *rest), (1,) * type.ndim), Reshape(rest)


def plan_known(own: tuple[int, ...], entries: list[Entry]) -> tuple[Primitive, ...]:
    """Return the primitives that take known ranges and positions out of an array of some shape, in their order."""
    start, limit, strides = list[int](), list[int](), list[int]()
    backwards, result = list[int](), list[int]()
    axis = 0
    for entry in entries:
        if entry.new:
            result.append(1)
            continue
        index, size = entry.index, own[axis]
        if isinstance(index, int):
            place = clipped(index, size)
            start.append(place)
            limit.append(place + 1)
            strides.append(1)
        else:
            assert isinstance(index, slice), "computed positions are not known"
            low, high, step, count = _ascending(index)
            start.append(low)
            limit.append(high)
            strides.append(step)
            result.append(count)
            if index.step < 0 and count not in (0, 1):
                backwards.append(axis)
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
                (high - low + step - 1) // step
                for low, high, step in zip(start, limit, strides, strict=True)
            ]
        )
    if backwards:
        plan.append(Reverse(tuple(backwards)))
    if shape != tuple(result):
        plan.append(Reshape(tuple(result)))
    return tuple(plan)


def all_inside(own: tuple[int, ...], entries: list[Entry]) -> bool:
    """Return whether all known positions are within their axes.

    Raises:
        IndexingError: one is not, and `check_static_indices` is on.
    """
    sizes = iter(own)
    for entry in entries:
        if not entry.new:
            size = next(sizes)
            if isinstance(entry.index, int) and not _is_inside(entry.index, size):
                if CHECK_INDICES():
                    raise IndexingError(
                        f"index {entry.index} is out of bounds for an axis of size {size}",
                        fix="`check_static_indices` is on; without it, the nearest element is taken",
                    )
                return False
    return True


def _is_inside(index: int, size: int) -> bool:
    """Return whether a position is certainly within an axis; for a symbolic size, its lower bound decides."""
    least = symbolic_dim_bounds(size)[0] if is_symbolic((size,)) else size
    return -least <= index < least


def clipped(index: int, size: int) -> int:
    """Return a known position as one from 0 to size - 1."""
    if not size:
        raise IndexingError(f"index {index} is out of bounds for an axis of size 0")
    if is_symbolic((index, size)):
        place: int = min_dim(max_dim(index + size if index < 0 else index, 0), size - 1)
        return place
    return min(max(index + size if index < 0 else index, 0), size - 1)


def _ascending(index: slice) -> tuple[int, int, int, int]:
    """Return the same places as start, limit and positive stride, and their number."""
    if is_symbolic((index.start, index.stop)):
        return _symbolic_ascending(index)
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


def _symbolic_ascending(index: slice) -> tuple[int, int, int, int]:
    """Apply `_ascending` to a range whose ends may be symbolic."""
    start, stop, step = index.start, index.stop, index.step
    if step > 0:
        limit = max_dim(stop, start)
        return start, limit, step, (limit - start + step - 1) // step
    if not start > stop:
        return 0, 0, 1, 0
    count = (start - stop - step - 1) // -step
    return start + (count - 1) * step, start + 1, -step, count

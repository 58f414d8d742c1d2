"""Ranges with a start that may be traced, as indices: `x[ds(i, 3)]`.

They cut a part of known size out of an array; the rest of the index is about that part. Where the part is written,
it is put back.
"""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np

from treadle_ir import Array, Operand, ops
from treadle_ir.calling import operand_or_none
from treadle_ir.core.dtypes import is_integer
from treadle_ir.errors import IndexingError, integer, refused
from treadle_ir.process import frozen
from treadle_ir.tree import register_pytree_node
from treadle_numpy.indexing.positions import counted, counting
from treadle_numpy.operands.coerce import coerce, operand_type


@final
@frozen(eq=False)
class Slice:
    """A range as an index; made by `ds`."""

    start: Any  # an integer, or an array of rank 0
    size: int
    stride: int = 1

    @property
    def length(self) -> int:
        """From the first element to the last one."""
        return (self.size - 1) * self.stride + 1 if self.size else 0


register_pytree_node(
    Slice,
    lambda given: (
        ((), (given.start, given.size, given.stride))
        if isinstance(given.start, (int, np.integer))
        else ((given.start,), (given.size, given.stride))
    ),
    lambda known, starts: Slice(*starts, *known),
)


def ds(start: Any, size: int | None = None, stride: int | None = None) -> Slice:
    """Return a range of a known size, as an index of arrays and references; its start may be traced.

    `ds(n)` are the first n elements. A start that is an array is moved so that the range is within the axis.

    Raises:
        ArgumentError: the start is not an integer, or the size or the stride is none or negative.

    Example:
        >>> ds(2, 3)  # x[ds(2, 3)] has the elements 2, 3 and 4
        Slice(start=2, size=3, stride=1)
    """
    if size is None:
        start, size = 0, start
    count = integer("ds", "size", size)
    step = 1 if stride is None else integer("ds", "stride", stride)
    if count < 0 or step < 1:
        raise refused("ds", "size and stride", "0 or more and 1 or more", (count, step))
    if not isinstance(start, (int, np.integer)) or isinstance(start, bool):
        given = operand_or_none(start)
        if given is None or operand_type(given).shape or not is_integer(operand_type(given).dtype):
            raise refused("ds", "start", "an integer", start)
    return Slice(start, count, step)


@final
@frozen(eq=False)
class Part:
    """A part of an array that ranges cut out, and the rest of the index, which is about the part."""

    array: Array
    index: object
    starts: tuple[Operand, ...] | None  # None: it is the whole array

    def put_back(self, whole: Array, part: Array) -> Array:
        """Return the whole array with another part."""
        if self.starts is None:
            return part
        return ops.dynamic_update_slice(whole, part, *self.starts)


_EVERYTHING: Final = slice(None)


def part_of(x: Array, index: object) -> Part | None:
    """Return the part of an array that the ranges of an index select; None where there are none.

    Raises:
        IndexingError: a range does not fit its axis.
    """
    items = index if isinstance(index, tuple) else (index,)
    if not any([isinstance(item, Slice) for item in items]):
        return None
    axes = [_axes_of(item) for item in items]
    whole = counting(x.shape)
    starts: list[Operand] = [whole.type(0)] * x.ndim
    sizes = list(x.shape)
    moved = False
    plain: list[object] = []
    axis = 0
    for place, item in enumerate(items):
        if item is Ellipsis:
            axis = x.ndim - sum(axes[place:])
        if not isinstance(item, Slice):
            plain.append(item)
        elif not 0 <= axis < x.ndim:
            raise IndexingError(f"too many indices: {x.type} has {x.ndim} axes")
        elif item.length > x.shape[axis]:
            raise IndexingError(
                f"a range of {item.length} elements does not fit axis {axis} of {x.type}"
            )
        elif isinstance(item.start, (int, np.integer)):
            first, end = int(item.start), int(item.start) + item.length
            if first < 0 or end > x.shape[axis]:
                raise IndexingError(
                    f"the range from {first} to {end} is outside of axis {axis} of {x.type}"
                )
            plain.append(slice(first, end, item.stride))
        else:
            moved = True
            starts[axis] = counted(coerce("ds", 0, item.start), x.shape[axis], whole)
            sizes[axis] = item.length
            plain.append(_EVERYTHING if item.stride == 1 else slice(None, None, item.stride))
        axis += axes[place]
    if not moved:
        return Part(x, tuple(plain), None)
    return Part(ops.dynamic_slice(x, *starts, sizes=tuple(sizes)), tuple(plain), tuple(starts))


def _axes_of(item: object) -> int:
    """Return how many axes an item of an index takes."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    given = None if isinstance(item, (slice, Slice, int)) else operand_or_none(item)
    if given is not None and operand_type(given).dtype == np.bool_:
        return len(operand_type(given).shape)
    return 1

"""Checks of the promises that attributes of indexing make about the indices.

A broken promise leaves the result undefined: XLA may write elements from several threads at once, or search indices as
if they were sorted. The kernels do not look, since the runtime uses them too; `ReferenceEvaluator` looks first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from treadle_ir.core.types import ArrayType
from treadle_ir.errors.kinds import IndexingError
from treadle_ir.primitives.indexing import Gather
from treadle_ir.primitives.indexing.promises import Indexed, makes_promises
from treadle_ir.reference.indexing import element_positions, signed_indices
from treadle_ir.reference.registry import Elements, eval_rules


def check_promises(
    primitive: Indexed, operand: Elements, indices: Elements, *updates: Elements
) -> None:
    """Refuse indices that break a promise of the operation.

    Raises:
        IndexingError: an index is out of range in mode "promise_in_bounds"; `indices_are_sorted`, and an index is less
            than the one before it; `unique_indices`, and two slices share an element.
    """
    if not makes_promises(primitive):
        return
    if isinstance(primitive, Gather):
        axes, sizes = primitive.start_index_map, primitive.slice_sizes
    else:
        axes = primitive.scatter_dims_to_operand_dims
        sizes = primitive.window_sizes(
            ArrayType(operand.shape, operand.dtype), ArrayType(updates[0].shape, updates[0].dtype)
        )
    vectors = signed_indices(indices)
    limits = np.array([operand.shape[axis] - sizes[axis] for axis in axes], np.int64)
    if primitive.mode == "promise_in_bounds":
        _check_bounds(primitive, vectors, axes, limits, operand.shape, sizes)
    if primitive.indices_are_sorted:
        _check_order(primitive, vectors, axes, "")
        # XLA clips the indices of every gather, and StableHLO speaks of clipped ones.
        if isinstance(primitive, Gather) or primitive.mode == "clip":
            _check_order(primitive, np.clip(vectors, 0, limits), axes, " after clipping")
    if primitive.unique_indices:
        _check_unique(primitive, operand.shape, indices, sizes)


def checked(primitive: Indexed, *operands: Elements) -> Sequence[Elements]:
    """Return the kernel's results, where the indices keep the promises."""
    check_promises(primitive, *operands)
    return eval_rules[primitive](primitive, *operands)


def _vector(vectors: Elements, place: tuple[int, ...]) -> str:
    """Return one index vector as messages show it, with its place among the others."""
    shown = f"({', '.join(map(str, vectors[place].tolist()))})"
    return f"index vector {shown} at indices[{', '.join(map(str, [*place, ':']))}]"


def _check_bounds(
    primitive: Indexed,
    vectors: Elements,
    axes: tuple[int, ...],
    limits: Elements,
    shape: tuple[int, ...],
    sizes: tuple[int, ...],
) -> None:
    outside = (vectors < 0) | (vectors > limits)
    if outside.any():
        *place, number = [int(each) for each in np.argwhere(outside)[0]]
        axis = axes[number]
        raise IndexingError(
            f"{primitive.name}: mode 'promise_in_bounds' promises indices in range, but the "
            f"{_vector(vectors, tuple(place))} is out of range for slices of size {sizes[axis]} along axis {axis} of "
            f"size {shape[axis]}",
            fix="use mode 'clip', or 'fill' (also called 'drop'), or pass indices that are in range",
        )


def _check_order(primitive: Indexed, vectors: Elements, axes: tuple[int, ...], when: str) -> None:
    """The order is by the first axis of the operand, then the second, and so on; batching axes do not count."""
    batch = vectors.shape[:-1]
    rows = vectors.reshape(math.prod(batch), len(axes))[:, np.argsort(axes)]
    falls = np.zeros(max(len(rows) - 1, 0), np.bool_)
    equal = ~falls
    for column in rows.T:
        falls |= equal & (column[1:] < column[:-1])
        equal &= column[1:] == column[:-1]
    if falls.any():
        first = int(np.argmax(falls))
        earlier, later = [
            tuple([int(each) for each in np.unravel_index(number, batch)])
            for number in (first, first + 1)
        ]
        raise IndexingError(
            f"{primitive.name}: indices_are_sorted promises ascending indices, but{when} the "
            f"{_vector(vectors, later)} is less than the {_vector(vectors, earlier)} before it",
            fix="leave out indices_are_sorted, or sort the indices",
        )


def _check_unique(
    primitive: Indexed,
    shape: tuple[int, ...],
    indices: Elements,
    sizes: tuple[int, ...],
) -> None:
    """Check that elements are unique; slices out of range count only if they are clipped, else they are unused."""
    if not math.prod(shape) or not math.prod(sizes) or not math.prod(indices.shape[:-1]):
        return
    positions, inside = element_positions(primitive, indices, shape, sizes)
    whole = np.broadcast_shapes(inside.shape, *[position.shape for position in positions])
    numbers = np.zeros(whole, np.int64)  # each element's number in the operand
    for size, position in zip(shape, positions, strict=True):
        numbers = numbers * size + position
    if primitive.mode == "fill":
        numbers = numbers[np.broadcast_to(inside, whole)]
    ordered = np.sort(numbers, axis=None)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if twice.size:
        element = tuple([int(each) for each in np.unravel_index(twice[0], shape)])
        done = "read" if isinstance(primitive, Gather) else "updated"
        raise IndexingError(
            f"{primitive.name}: unique_indices promises that no element is {done} twice, but the element at "
            f"{element} of the operand of shape {shape} is",
            fix="leave out unique_indices, or pass indices that differ",
        )

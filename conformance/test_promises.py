"""What indexing promises of its indices still holds in derivatives and under vmap.

The law: indices of each example keep a promise; then every operation that transformations make of it keeps its own
promises. The reference evaluator is the judge: it refuses broken ones (`treadle_ir/reference/promises.py`), which are
undefined behaviour on accelerators and show nowhere on a CPU.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np
import pytest

from conformance.effort import SEED, TIMES
from treadle_autodiff import jvp, vjp
from treadle_batching import vmap
from treadle_ir import ReferenceEvaluator, bind
from treadle_ir.errors import IndexingError
from treadle_ir.primitives.indexing import (
    Gather,
    Scatter,
    ScatterAdd,
    ScatterFamily,
    ScatterMaximum,
    ScatterMinimum,
    ScatterMultiply,
)
from treadle_numpy.arrays.at import UpdatesAt

pytestmark = pytest.mark.programs

Elements: TypeAlias = np.ndarray[Any, Any]
Operation: TypeAlias = Gather | ScatterFamily
Case: TypeAlias = tuple[Operation, list[Elements], list[Elements], list[Elements]]

KINDS: Final = (Gather, Scatter, ScatterAdd, ScatterMultiply, ScatterMaximum, ScatterMinimum)
SHAPE: Final = (4, 3)
EXAMPLES: Final = 2  # in a batch


def operation(kind: type[Operation], axes: tuple[int, ...], sizes: Sequence[int], rank: int) -> Any:
    """Make an operation on slices of these sizes, without their axes of size 1, which indexes `axes`."""
    dropped = tuple([axis for axis in sorted(axes) if sizes[axis] == 1])
    window = tuple(range(rank, rank + len(SHAPE) - len(dropped)))  # after the batch of the indices
    if kind is Gather:
        return Gather(window, dropped, axes, tuple(sizes))
    assert issubclass(kind, ScatterFamily)
    return kind(window, dropped, axes)


def updates_of(p: Operation, indices: Elements, sizes: Sequence[int]) -> Elements:
    """Updates of each slice, all different."""
    dropped = () if isinstance(p, Gather) else p.inserted_window_dims
    window = [n for axis, n in enumerate(sizes) if axis not in dropped]
    shape = (*indices.shape[:-1], *window)
    return np.arange(1.0, 1 + np.prod(shape, dtype=int)).reshape(shape)


def evaluated(p: Operation, x: Any, indices: Any, updates: Any) -> Any:
    return bind(p, x, indices)[0] if isinstance(p, Gather) else bind(p, x, indices, updates)[0]


def keeps(p: Operation, x: Elements, indices: Elements, updates: Elements) -> bool:
    operands = [x, indices] if isinstance(p, Gather) else [x, indices, updates]
    try:
        ReferenceEvaluator().evaluate(p, operands)
    except IndexingError:
        return False
    return True


def promising(kind: type[Operation], random: np.random.Generator) -> Case:
    """An operation with every promise that each of its examples keeps: operands, indices, updates of each."""
    axes: tuple[int, ...] = [(0, 1), (1, 0), (0,), (1,)][random.integers(4)]
    sizes = [int(random.integers(1, n)) if i in axes else n for i, n in enumerate(SHAPE)]
    batch: tuple[int, ...] = [(2,), (3,), (2, 2), (1,)][random.integers(4)]
    p = operation(kind, axes, sizes, len(batch))
    count, outside = math.prod(batch), 2 * int(random.integers(2))  # how far out of range
    lasts = [SHAPE[axis] - sizes[axis] for axis in axes]
    every = [*itertools.product(*[range(-outside, last + outside + 1) for last in lasts])]
    ascending, distinct = random.integers(4) > 0, len(every) >= count and random.integers(4) > 0
    indices = []
    for _ in range(EXAMPLES):
        drawn = [every[i] for i in random.choice(len(every), count, replace=not distinct)]
        if ascending:  # by the first axis of the operand, then by the second
            drawn.sort(key=lambda vector: [vector[axes.index(axis)] for axis in sorted(axes)])
        indices.append(np.array(drawn, np.int32).reshape(*batch, len(axes)))
    xs = [np.arange(12.0).reshape(SHAPE) + 20 * i for i in range(EXAMPLES)]
    updates = [updates_of(p, indices[0], sizes) * (1 + i) for i in range(EXAMPLES)]
    promises: list[dict[str, Any]] = [{"indices_are_sorted": True}, {"unique_indices": True}]
    p = replace(p, mode=("fill", "clip")[random.integers(2)])
    if not outside and random.integers(2):
        promises.append({"mode": "promise_in_bounds"})
    for promise in promises:
        given = replace(p, **promise)
        if all(keeps(given, *each) for each in zip(xs, indices, updates, strict=True)):
            p = given
    return p, xs, indices, updates


def cases(kind: type[Operation], count: int) -> Iterator[Case]:
    random = np.random.default_rng([SEED, KINDS.index(kind)])
    for _ in range(count * TIMES):
        yield promising(kind, random)


def derivatives(p: Operation) -> Callable[[Any, Any, Any], Any]:
    """A function of operand, indices and updates: the results, their tangents and their cotangents, twice."""

    def function(x: Any, indices: Any, updates: Any) -> Any:
        def operation(x: Any, updates: Any) -> Any:
            return evaluated(p, x, indices, updates)

        def slope(x: Any, updates: Any) -> Any:
            y, pull = vjp(operation, x, updates)
            return pull(y)

        return [
            jvp(operation, (x, updates), (x, updates)),
            jvp(slope, (x, updates), (x, updates)),
        ]

    return function


def batches(function: Callable[[Any, Any, Any], Any], examples: Sequence[list[Elements]]) -> None:
    """The function under vmap over each choice of operands, along each axis."""
    for mapped in range(1, 8):
        for last in (False, True):
            in_axes: list[int | None] = []
            operands = []
            for number, each in enumerate(examples):
                if mapped >> number & 1:
                    axis = each[0].ndim if last else 0
                    in_axes.append(axis)
                    operands.append(np.stack(each, axis))
                else:
                    in_axes.append(None)
                    operands.append(each[0])
            vmap(function, tuple(in_axes))(*operands)


@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_keep_promises(kind: type[Operation]) -> None:
    for p, *examples in cases(kind, 40):
        for x, indices, updates in zip(*examples, strict=True):
            derivatives(p)(x, indices, updates)


@pytest.mark.parametrize("kind", KINDS)
def test_batches_keep_promises(kind: type[Operation]) -> None:
    for p, *examples in cases(kind, 10):
        batches(partial(evaluated, p), examples)


@pytest.mark.parametrize("kind", KINDS)
def test_batches_of_derivatives_keep_promises(kind: type[Operation]) -> None:
    for p, *examples in cases(kind, 2):
        batches(derivatives(p), examples)


def test_cases_make_promises() -> None:
    """Each promise is made of several indices, with and without the others, in each mode."""
    every = [case for kind in KINDS for case in cases(kind, 40)]
    made = {
        (p.mode, p.indices_are_sorted, p.unique_indices)
        for p, _, (indices, _), _ in every
        if indices[..., 0].size > 1
    }
    assert len(made) == 3 * 2 * 2


GRID: Final[Any] = np.arange(60.0).reshape(
    4, 5, 3
)  # an array to `UpdatesAt`, as the evaluator has them
ROWS: Final = np.array([0, 2, 3], np.int32)
TWICE: Final = np.array([1, 1, 2], np.int32)  # sorted, but not distinct
EXPRESSIONS: Final[dict[str, Any]] = {
    "rows": lambda i: i,
    "rows, part of the columns": lambda i: (i, slice(1, 3)),
    "rows, columns with a step": lambda i: (i, slice(None, None, 2)),
    "rows, columns backwards": lambda i: (i, slice(None, None, -1)),
    "some rows, columns": lambda i: (slice(1, 3), i),
    "rows backwards, columns": lambda i: (slice(None, None, -1), i),
    "a row, columns": lambda i: (2, i),
    "rows, a column": lambda i: (i, 2),
    "pairs": lambda i: (i, i),
    "pairs with a range between": lambda i: (i, slice(1, 3), np.minimum(i, 2)),
    "pairs with a new axis between": lambda i: (i, None, i),
    "pairs with a mask": lambda i: (i, np.array([True, False, True, True, False])),
    "an ellipsis": lambda i: (..., np.minimum(i, 2)),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_index_expressions_keep_promises(name: str) -> None:
    """A promise about the positions holds for the index vectors that are made of them and of ranges."""
    for positions in (ROWS, TWICE, ROWS[:1]):
        index = EXPRESSIONS[name](positions)
        distinct = positions is not TWICE
        at = UpdatesAt(GRID, index)
        how: dict[str, Any] = {
            "indices_are_sorted": True,
            "unique_indices": distinct and name != "an ellipsis",  # which makes 2 of 3 and of 4
            "mode": "promise_in_bounds",
        }
        at.get(**how)
        for method in ("set", "add", "multiply", "min", "max", "subtract", "divide"):
            getattr(at, method)(2.0, **how)
        at.apply(lambda x: x, **how)

"""Broken promises of indexing are refused by the reference evaluator, and by no other evaluator."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from treadle_ir import ArrayType, Primitive, ReferenceEvaluator, bind, eval_rules, stage
from treadle_ir.errors.kinds import IndexingError
from treadle_ir.primitives.call import Call
from treadle_ir.primitives.indexing import Gather, ScatterAdd
from treadle_ir.primitives.indexing.positions import Mode
from treadle_ir.primitives.indexing.promises import makes_promises
from treadle_ir.reference.registry import Elements

ROWS = Gather((1,), (0,), (0,), (1, 3))
WINDOWS = Gather((1,), (), (0,), (2,))
ADDED = ScatterAdd((1,), (0,), (0,))


def rows(*indices: int) -> list[Any]:
    return [np.arange(12.0).reshape(4, 3), np.array(indices, np.int32).reshape(-1, 1)]


def added(*indices: int) -> list[Any]:
    return [*rows(*indices), np.ones((len(indices), 3))]


def broken(primitive: Primitive, operands: list[Any]) -> IndexingError:
    with pytest.raises(IndexingError) as caught:
        ReferenceEvaluator().evaluate(primitive, operands)
    return caught.value


def test_an_index_out_of_range() -> None:
    error = broken(replace(ROWS, mode="promise_in_bounds"), rows(1, 4))
    assert str(error) == (
        "gather: mode 'promise_in_bounds' promises indices in range, but the index vector (4) at indices[1, :] "
        "is out of range for slices of size 1 along axis 0 of size 4"
    )
    assert any("fix: use mode 'clip'" in note for note in error.__notes__)
    broken(replace(ADDED, mode="promise_in_bounds"), added(-1))


def test_indices_that_descend() -> None:
    error = broken(replace(ADDED, indices_are_sorted=True), added(0, 3, 1))
    assert str(error) == (
        "scatter_add: indices_are_sorted promises ascending indices, but the index vector (1) at indices[2, :] is "
        "less than the index vector (3) at indices[1, :] before it"
    )


def test_clipped_indices_that_descend() -> None:
    """XLA compares the indices of a gather after it has clipped them."""
    points = Gather((), (0, 1), (0, 1), (1, 1), indices_are_sorted=True)
    operand, indices = np.zeros((2, 3)), np.array([[1, 2], [5, 0]])
    assert " after clipping the " in str(broken(points, [operand, indices]))
    added = ScatterAdd((), (0, 1), (0, 1), indices_are_sorted=True)
    bind(added, operand, indices, np.ones(2))  # it drops the second one as it is
    broken(replace(added, mode="clip"), [operand, indices, np.ones(2)])


def test_elements_that_are_named_twice() -> None:
    error = broken(replace(ADDED, unique_indices=True), added(2, 0, 2))
    assert str(error) == (
        "scatter_add: unique_indices promises that no element is updated twice, but the element at (2, 0) of the "
        "operand of shape (4, 3) is"
    )
    overlapping = [np.zeros(5), np.array([[0], [1]])]
    broken(replace(WINDOWS, unique_indices=True), overlapping)
    bind(replace(WINDOWS, unique_indices=True), np.zeros(5), np.array([[0], [2]]))


def test_dropped_slices_may_repeat() -> None:
    unique = replace(ADDED, unique_indices=True)
    bind(unique, *added(9, 0, 9, -1, -1))
    broken(replace(unique, mode="clip"), added(9, 0, 3))


def test_batching_axes_tell_elements_apart_and_are_not_sorted() -> None:
    paired = Gather((), (1,), (1,), (1, 1), (0,), (0,))
    operand, indices = np.zeros((2, 3)), np.array([[[0], [2]], [[0], [2]]])
    bind(replace(paired, unique_indices=True, mode="promise_in_bounds"), operand, indices)
    broken(replace(paired, indices_are_sorted=True), [operand, indices])


def test_rank_zero() -> None:
    once = ScatterAdd((), (), (), unique_indices=True, indices_are_sorted=True)
    bind(once, np.float64(1), np.zeros((1, 0), np.int32), np.ones(1))
    broken(once, [np.float64(1), np.zeros((2, 0), np.int32), np.ones(2)])


def test_the_kernels_do_not_look() -> None:
    """The runtime uses them: there results are undefined, as XLA's are."""
    promised = replace(ROWS, mode="promise_in_bounds", indices_are_sorted=True, unique_indices=True)
    eval_rules[promised](promised, *rows(3, 9, 3))


def holds(p: Gather, operand: Elements, indices: Elements) -> bool:
    """The promises in words, one index vector and one element at a time."""
    limits = [operand.shape[axis] - p.slice_sizes[axis] for axis in p.start_index_map]
    vectors = [[int(each) for each in row] for row in indices.reshape(-1, indices.shape[-1])]
    clipped = [[min(max(x, 0), last) for x, last in zip(v, limits, strict=True)] for v in vectors]
    if p.mode == "promise_in_bounds" and vectors != clipped:
        return False
    if p.indices_are_sorted:
        for given in (vectors, clipped):
            by_axis = [
                [x for _, x in sorted(zip(p.start_index_map, v, strict=True))] for v in given
            ]
            if by_axis != sorted(by_axis):
                return False
    if p.unique_indices:
        counts: dict[tuple[int, ...], int] = {}
        for vector, start in zip(vectors, clipped, strict=True):
            if p.mode == "fill" and vector != start:
                continue
            first = [0] * operand.ndim
            for axis, x in zip(p.start_index_map, start, strict=True):
                first[axis] = x
            for element in itertools.product(
                *[range(x, x + n) for x, n in zip(first, p.slice_sizes, strict=True)]
            ):
                counts[element] = counts.get(element, 0) + 1
        return all(count == 1 for count in counts.values())
    return True


@given(
    sizes=st.tuples(st.integers(1, 3), st.integers(1, 2)),
    axes=st.sampled_from([(0,), (1,), (0, 1), (1, 0)]),
    mode=st.sampled_from(["clip", "fill", "promise_in_bounds"]),
    is_sorted=st.booleans(),
    unique=st.booleans(),
    batch=st.sampled_from([(1,), (2,), (3,), (2, 2), (0,)]),
    data=st.data(),
)
def test_refused_is_what_breaks_a_promise(
    sizes: tuple[int, int],
    axes: tuple[int, ...],
    mode: Any,
    is_sorted: bool,
    unique: bool,
    batch: tuple[int, ...],
    data: st.DataObject,
) -> None:
    operand = np.arange(12.0).reshape(4, 3)
    numbers = st.lists(st.integers(-1, 5), min_size=len(axes) * 4, max_size=len(axes) * 4).map(
        lambda found: sorted(found) if is_sorted and len(axes) == 1 else found
    )
    count = int(np.prod(batch))
    indices = np.array(data.draw(numbers), np.int32)[: count * len(axes)]
    indices = indices.reshape(*batch, len(axes))
    offsets = tuple(range(len(batch), len(batch) + 2))
    p = Gather(offsets, (), axes, sizes, (), (), mode, None, is_sorted, unique)
    # A scatter into the same places drops what is out of range as it is: only its clipped indices are compared.
    into = ScatterAdd(offsets, (), axes, (), (), mode, False, unique)
    updates = np.ones((*batch, *sizes))
    if holds(p, operand, indices):
        bind(p, operand, indices)
    else:
        broken(p, [operand, indices])
    if holds(replace(p, indices_are_sorted=False), operand, indices):
        bind(into, operand, indices, updates)
    else:
        broken(into, [operand, indices, updates])


def test_nested_programs_are_checked() -> None:
    row = replace(ROWS, slice_sizes=(1, 3), mode="promise_in_bounds")
    types = ArrayType((4, 3), np.dtype("f8")), ArrayType((1, 1), np.dtype("i4"))
    program = stage(lambda x, i: [bind(row, x, i)[0]], *types).program
    operands: list[Any] = rows(4)
    call = Call(program)
    broken(call, operands)
    ReferenceEvaluator().evaluate(call, rows(3))


@pytest.mark.parametrize("mode", ["clip", "fill", "promise_in_bounds"])
def test_only_promises_are_checked(mode: Mode) -> None:
    assert makes_promises(replace(ROWS, mode=mode)) == (mode == "promise_in_bounds")
    assert makes_promises(replace(ROWS, mode=mode, indices_are_sorted=True))
    assert makes_promises(replace(ADDED, mode=mode, unique_indices=True))

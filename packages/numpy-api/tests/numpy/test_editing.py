"""Parts put in, taken out and trimmed: as NumPy does, and at traced positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from treadle_ir import ArgumentError, DTypeError, ShapeError
from treadle_ir.errors import ConcretizationError, IndexingError
from treadle_numpy.numpy import delete, insert, trim_zeros

SHAPES = st.sampled_from([(1,), (5,), (3, 4), (2, 3, 4)])


@given(SHAPES, st.data())
@settings(max_examples=150, deadline=None)
def test_numpys_functions_give_the_same(shape: tuple[int, ...], data: st.DataObject) -> None:
    x = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    axis = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    size = x.size if axis is None else shape[axis]
    places = st.integers(-size, size - 1)
    bound = st.none() | st.integers(-7, 7)
    obj = data.draw(
        places
        | st.lists(places, max_size=4).map(lambda v: np.array(v, int))
        | st.lists(st.booleans(), min_size=size, max_size=size).map(np.array)
        | st.builds(slice, bound, bound, st.sampled_from([None, 1, 2, -1]))
    )
    np.testing.assert_array_equal(delete(x, obj, axis), np.delete(x, obj, axis))
    if not (isinstance(obj, np.ndarray) and obj.dtype.kind == "b"):
        np.testing.assert_array_equal(insert(x, obj, 99, axis), np.insert(x, obj, 99, axis))


@given(st.sampled_from([(6,), (3, 4), (2, 3, 4)]), st.data())
@settings(max_examples=60, deadline=None)
def test_inserted_values_are_broadcast_as_numpys(
    shape: tuple[int, ...], data: st.DataObject
) -> None:
    x = np.zeros(shape, np.float32)
    axis = data.draw(st.integers(0, len(shape) - 1))
    count = data.draw(st.integers(1, 3))
    full = tuple(count if i == axis else n for i, n in enumerate(shape))
    values = np.arange(1, 1 + np.prod(full), dtype=np.float32).reshape(full)
    obj = np.array(data.draw(st.lists(st.integers(0, shape[axis]), min_size=count, max_size=count)))
    np.testing.assert_array_equal(insert(x, obj, values, axis), np.insert(x, obj, values, axis))
    one = int(obj[0])
    swapped = np.moveaxis(values, axis, 0)  # as NumPy wants them for a single position
    np.testing.assert_array_equal(insert(x, one, swapped, axis), np.insert(x, one, swapped, axis))


def test_traced_positions(staged: Callable[..., Any]) -> None:
    x, places = np.arange(6, dtype=np.int32), np.array([4, -5], np.int32)
    found = staged(lambda a, i: delete(a, i, assume_unique_indices=True), x, places)
    np.testing.assert_array_equal(found, np.delete(x, places))
    found = staged(lambda a, i: insert(a, i, 9), x, places)
    np.testing.assert_array_equal(found, np.insert(x, places, 9))
    with pytest.raises(ConcretizationError, match="how many are distinct"):
        staged(delete, x, places)


@given(
    st.lists(st.integers(0, 1), max_size=7),
    st.sampled_from(["f", "b", "fb", "B"]),
)
@settings(max_examples=60, deadline=None)
def test_trimmed_vectors(elements: list[int], trim: Any) -> None:
    x = np.array(elements, np.int32)
    np.testing.assert_array_equal(trim_zeros(x, trim), np.trim_zeros(x, trim))


def test_trimmed_along_axes() -> None:
    x = np.pad(np.array([[1, 0], [0, 2]]), ((1, 2), (0, 3)))
    np.testing.assert_array_equal(trim_zeros(x), [[1, 0], [0, 2]])
    np.testing.assert_array_equal(trim_zeros(x, axis=0), x[1:3])
    np.testing.assert_array_equal(trim_zeros(x, "b", axis=(-1,)), x[:, :2])
    assert trim_zeros(np.zeros((2, 3))).shape == (0, 0)


def test_refused(staged: Callable[..., Any]) -> None:
    x = np.arange(4)
    with pytest.raises(IndexingError, match="position 7 is out of bounds"):
        delete(x, 7)
    with pytest.raises(IndexingError, match="one element for each place"):
        delete(x, np.array([True]))
    for function in (delete, lambda a, i: insert(a, i, 1)):
        with pytest.raises(DTypeError, match="must be integers"):
            function(x, 1.5)
        with pytest.raises(ArgumentError):
            function(x, slice(0, 3, 0))
    with pytest.raises(ArgumentError, match="vector"):
        insert(x, np.zeros((1, 1), int), 1)
    with pytest.raises(ShapeError):
        insert(x, np.array([1, 2]), np.arange(3))
    with pytest.raises(ConcretizationError, match="depends on the elements"):
        staged(trim_zeros, x)


def test_a_number_is_known_while_a_program_is_staged(staged: Callable[..., Any]) -> None:
    x = np.arange(5, dtype=np.int32)
    np.testing.assert_array_equal(staged(lambda a: delete(a, -2), x), np.delete(x, -2))
    np.testing.assert_array_equal(staged(lambda a: insert(a, 2, 7), x), np.insert(x, 2, 7))


@given(st.lists(st.integers(-30, 30), min_size=1, max_size=30), st.integers(0, 30))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_many_and_repeated_places(staged: Callable[..., Any], places: list[int], size: int) -> None:
    x, at = np.arange(size, dtype=np.int32), np.clip(places, -size, size)
    new = np.arange(100, 100 + at.size, dtype=np.int32)
    np.testing.assert_array_equal(insert(x, at, new), np.insert(x, at, new))
    found = staged(insert, x, at, new)
    np.testing.assert_array_equal(found, np.insert(x, at, new))
    inner = at[(-size <= at) & (at < size)]
    np.testing.assert_array_equal(delete(x, inner), np.delete(x, inner))

"""Positions, bounds and shifts in integer types of few bits: sizes that these do not hold are counted all the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle_numpy as tnp
from treadle_ir import ArgumentError, DTypeError
from treadle_ir.errors import IndexingError
from treadle_numpy.ops import segment_sum

NARROW = pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])


@NARROW
def test_ranges(dtype: str, staged: Callable[..., Any]) -> None:
    bounds = np.iinfo(dtype)
    first, last, step = [np.dtype(dtype).type(n) for n in (bounds.min, bounds.max, 3)]
    wanted = np.arange(int(bounds.min), int(bounds.max), 3)
    for found in (tnp.arange(first, last, step), staged(lambda: tnp.arange(first, last, step))):
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, wanted)
    assert tnp.arange(last, first).size == 0
    assert staged(lambda: tnp.arange(last, first)).size == 0


@NARROW
def test_places_that_are_deleted(dtype: str) -> None:
    x = np.arange(400)
    places = np.array([1, 100] if dtype == "uint8" else [-1, 5, -100], dtype)
    np.testing.assert_array_equal(tnp.delete(x, places), np.delete(x, places.astype(int)))
    with pytest.raises(IndexingError, match="position 100 is out of bounds"):
        tnp.delete(np.arange(3), np.array([1, 100], dtype))


@NARROW
def test_places_in_flat_arrays(dtype: str) -> None:
    x = np.array([0, 7, 100], dtype)
    for shape in ((20, 20), (400,), (2, 300), (100, 30)):
        found = tnp.unravel_index(x, shape)
        for one, other in zip(found, np.unravel_index(x.astype(int), shape), strict=True):
            np.testing.assert_array_equal(one, other)
        parts = [np.asarray(each).astype(dtype) for each in found]
        back = tnp.ravel_multi_index(parts, shape, dtype=np.int32)
        assert back.dtype == np.int32
        np.testing.assert_array_equal(back, x.astype(int))
    if dtype == "int8":
        np.testing.assert_array_equal(
            tnp.unravel_index(np.array([-1], dtype), (2, 300)), [[1], [299]]
        )


def test_the_type_of_flat_places() -> None:
    parts = np.array([10], np.int8), np.array([2], np.int16)
    np.testing.assert_array_equal(tnp.ravel_multi_index(parts, (20, 20)), [202])
    with pytest.raises(DTypeError, match="int8 does not hold all positions"):
        tnp.ravel_multi_index(parts[:1] * 2, (20, 20))
    with pytest.raises(DTypeError, match="must be integers"):
        tnp.ravel_multi_index(parts, (20, 20), dtype=np.float32)
    for mode, wanted in (("wrap", [5, 125]), ("clip", [5, 0])):
        found = tnp.ravel_multi_index([np.array([5, -3], np.int8)], (128,), mode=mode)
        assert found.dtype == np.int8
        np.testing.assert_array_equal(found, wanted)


def test_numbers_beyond_signed_ones_are_not_counted_as_zeros(staged: Callable[..., Any]) -> None:
    x = np.array([2**31 + 5, 1], np.uint32)
    np.testing.assert_array_equal(tnp.bincount(x, length=4), [0, 1, 0, 0])
    np.testing.assert_array_equal(staged(lambda v: tnp.bincount(v, length=4), x), [0, 1, 0, 0])
    np.testing.assert_array_equal(
        tnp.bincount(np.array([-3, 1], np.int8), length=300)[:3], [1, 1, 0]
    )


@pytest.mark.parametrize("by", [np.uint32(2**32 - 2), np.uint8(200), np.int8(-128)])
def test_traced_shifts(by: Any, staged: Callable[..., Any]) -> None:
    x = np.arange(5)
    np.testing.assert_array_equal(staged(tnp.roll, x, by), np.roll(x, int(by)))


def test_shifts_in_vectors(staged: Callable[..., Any]) -> None:
    x, by = np.arange(6).reshape(2, 3), np.array([1, 2])
    axes: list[Any] = [None, (0, 1), np.array([1, 1])]
    for axis in axes:
        np.testing.assert_array_equal(tnp.roll(x, by, axis), np.roll(x, by, axis))
        np.testing.assert_array_equal(
            staged(lambda v, s, axis=axis: tnp.roll(v, s, axis), x, by), np.roll(x, by, axis)
        )
    with pytest.raises(ArgumentError, match="an integer for each axis"):
        tnp.roll(x, by[None])


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_segments_up_to_the_greatest_number(dtype: str) -> None:
    last = np.iinfo(dtype).max
    found = np.asarray(segment_sum(np.ones(3, np.float32), np.array([0, last, 0], dtype)))
    np.testing.assert_array_equal(found, np.bincount([0, last, 0]))

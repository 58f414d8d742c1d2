"""Arguments that cannot be supported are refused, and none is ignored silently."""

from __future__ import annotations

import numpy as np
import pytest

import treadle_numpy as tnp
from treadle_ir import ArgumentError, ArrayType, UnsupportedError, interpret, stage
from treadle_ir.errors import AxisError
from treadle_numpy.arrays import elements


def test_out() -> None:
    x = tnp.ones((2, 2))
    for call in (
        lambda: tnp.trace(x, out=x),  # type: ignore[arg-type]
        lambda: tnp.stack([x], out=x),  # type: ignore[arg-type]
        lambda: elements.round(x, 1, out=x),  # type: ignore[arg-type]
    ):
        with pytest.raises(UnsupportedError, match="`out` is not supported"):
            call()


def test_places_of_rollaxis() -> None:
    x = np.ones((2, 3, 4))
    for axis in range(-3, 3):
        for start in range(-3, 4):
            assert tnp.rollaxis(x, axis, start).shape == np.rollaxis(x, axis, start).shape
    for start in (-4, 4):
        with pytest.raises(AxisError):
            tnp.rollaxis(x, 1, start)


def test_lists_of_blocks_that_are_not_nested_alike() -> None:
    for blocks in ([[1, 2], 3], [1, [2, 3]], [[[1]], [2]]):
        with pytest.raises(ArgumentError, match="the first block stands in"):
            tnp.block(blocks)  # type: ignore[arg-type]


def test_modes_of_put() -> None:
    x = np.arange(4)
    for mode in ("clip", "wrap"):
        for place in (-9, -1, 0, 3, 9):
            wanted = x.copy()
            np.put(wanted, place, 7, mode=mode)
            found = tnp.put(x, np.array(place), 7, mode=mode, inplace=False)
            np.testing.assert_array_equal(found, wanted)
    with pytest.raises(ArgumentError, match="mode must be"):
        tnp.put(x, np.array(0), 7, mode="raise", inplace=False)


def test_negative_numbers_of_counts() -> None:
    with pytest.raises(ArgumentError, match="bincount: length must be 0 or more, got -1"):
        tnp.bincount(np.arange(3), length=-1)


@pytest.mark.parametrize("k", [2**40, -(2**40)])
def test_diagonals_far_outside(k: int) -> None:
    """Also where the positions are computed, in 32 bits."""
    x = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    for function in (tnp.tril, tnp.triu):
        expected = getattr(np, function.__name__)(x, k)
        staged = stage(lambda x: [function(x, k)], ArrayType(x.shape, x.dtype))  # noqa: B023
        np.testing.assert_array_equal(interpret(staged.program, x)[0], expected)
        np.testing.assert_array_equal(function(x, k), expected)
    staged = stage(lambda: [tnp.eye(3, 4, k=k), tnp.tri(3, 4, k=k)])
    for found, expected in zip(
        interpret(staged.program), [np.eye(3, 4, k), np.tri(3, 4, k)], strict=True
    ):
        np.testing.assert_array_equal(found, expected)

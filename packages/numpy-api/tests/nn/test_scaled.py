"""Products of block-scaled operands against scaling them first."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError, UnsupportedError
from treadle_numpy import lax, nn

RANDOM = np.random.default_rng(0)
LEFT = RANDOM.normal(size=(2, 3, 8)).astype(np.float32)
RIGHT = RANDOM.normal(size=(2, 5, 8)).astype(np.float32)
LEFTS = RANDOM.normal(size=(2, 3, 2)).astype(np.float32)
RIGHTS = RANDOM.normal(size=(2, 5, 2)).astype(np.float32)
NUMBERS = (((2,), (2,)), ((0,), (0,)))


def test_scaled_matmul() -> None:
    left, right = LEFT * np.repeat(LEFTS, 4, -1), RIGHT * np.repeat(RIGHTS, 4, -1)
    expected = left @ np.swapaxes(right, 1, 2)
    result = nn.scaled_matmul(LEFT, RIGHT, LEFTS, RIGHTS)
    np.testing.assert_allclose(result, expected, atol=1e-5)
    half = nn.scaled_matmul(LEFT, RIGHT, LEFTS, RIGHTS, "float16")
    assert half.dtype == np.float16
    empty = nn.scaled_matmul(LEFT[..., :0], RIGHT[..., :0], LEFTS[..., :0], RIGHTS[..., :0])
    assert not np.asarray(empty).any()


def test_what_does_not_go_together() -> None:
    for arguments in (
        (LEFT[0], RIGHT[0], LEFTS[0], RIGHTS[0]),
        (LEFT, RIGHT[:1], LEFTS, RIGHTS[:1]),
        (LEFT, RIGHT, LEFTS, RIGHTS[..., :1]),
        (LEFT[..., :7], RIGHT[..., :7], LEFTS, RIGHTS),
        (LEFT, RIGHT, LEFTS[..., :0], RIGHTS[..., :0]),
    ):
        with pytest.raises(ShapeError, match="scaled_matmul"):
            nn.scaled_matmul(*arguments)
    with pytest.raises(ArgumentError, match="float dtype"):
        nn.scaled_matmul(LEFT, RIGHT, LEFTS, RIGHTS, "int32")


def test_scaled_dot_general() -> None:
    result = nn.scaled_dot_general(LEFT, RIGHT, NUMBERS)
    np.testing.assert_array_equal(result, lax.dot_general(LEFT, RIGHT, NUMBERS))
    with pytest.raises(UnsupportedError, match="quantising to blocks"):
        nn.scaled_dot_general(LEFT, RIGHT, NUMBERS, configs=[])
    with pytest.raises(UnsupportedError, match="quantising to blocks"):
        nn.get_scaled_dot_general_config("mxfp8")
    with pytest.raises(ArgumentError, match="nvfp4"):
        nn.get_scaled_dot_general_config("int4")

"""Positions of unsigned types: what is beyond the greatest signed number is beyond the end, with and without jit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

X = np.arange(7, dtype=np.int32) + 10
LOST = np.iinfo(np.int32).min
PLACES = [2**32 - 1, 3, 2**31, 6, 7]  # the second and the fourth are within
UNSIGNED = [np.uint32, np.uint64]

CASES: dict[str, tuple[Callable[[Any, Any], Any], list[int]]] = {
    "x[i]": (lambda x, i: x[i], [16, 13, 16, 16, 16]),
    "fill": (lambda x, i: x.at[i].get(mode="fill"), [LOST, 13, LOST, 16, LOST]),
    "clip": (lambda x, i: tnp.take(x, i, mode="clip"), [16, 13, 16, 16, 16]),
    "wrap": (lambda x, i: tnp.take(x, i, mode="wrap"), [10 + n % 7 for n in PLACES]),
    "take": (tnp.take, [LOST, 13, LOST, 16, LOST]),
    "take_along_axis": (
        lambda x, i: tnp.take_along_axis(x, i, 0, mode="clip"),
        [16, 13, 16, 16, 16],
    ),
    "set": (lambda x, i: x.at[i].set(0), [10, 11, 12, 0, 14, 15, 0]),
    "put": (
        lambda x, i: tnp.put(x, i, 0, mode="wrap", inplace=False),
        [0 if n in {place % 7 for place in PLACES} else 10 + n for n in range(7)],
    ),
    "choose": (lambda x, i: tnp.choose(i, [x[:5], x[2:]], mode="clip"), [12, 13, 14, 15, 16]),
}


@pytest.mark.parametrize("dtype", UNSIGNED, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("case", CASES)
def test_beyond_the_end(case: str, dtype: type[np.unsignedinteger[Any]]) -> None:
    function, expected = CASES[case]
    with treadle.enable_x64(dtype is np.uint64):
        x, places = tnp.array(X), tnp.array(PLACES, dtype)
        assert places.dtype == dtype
        assert np.asarray(function(x, places)).tolist() == expected
        assert np.asarray(treadle.jit(function)(x, places)).tolist() == expected


@pytest.mark.parametrize("dtype", UNSIGNED, ids=lambda dtype: dtype.__name__)
def test_a_slice_that_starts_beyond_the_end(dtype: type[np.unsignedinteger[Any]]) -> None:
    def last(x: Any, i: Any) -> Any:
        return treadle.lax.dynamic_slice(x, (i,), (2,))

    with treadle.enable_x64(dtype is np.uint64):
        for run in (last, treadle.jit(last)):
            np.testing.assert_array_equal(run(X, dtype(2**31)), [15, 16])


def test_known_positions_of_more_bits_are_beyond_the_end_too() -> None:
    x, places = tnp.asarray(X), np.array([2**32, -(2**33), 1])
    np.testing.assert_array_equal(x[places], [16, 10, 11])
    np.testing.assert_array_equal(x.at[places].set(0), [10, 0, 12, 13, 14, 15, 16])

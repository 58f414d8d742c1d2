"""Keys of 64 bits are sorted by two halves: the lower half has an order of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import Operand, ops
from treadle_ir.settings import X64

# Upper halves that agree, and lower halves on both sides of their top bit; then both signs and the ends.
INTEGERS = [5, 0xFFFFFFFF, 1, 0x80000000, 7, 0x7FFFFFFF, 2**32, 2**32 + 2**31, 2**63 - 1, 0]


def keys(dtype: str) -> np.ndarray[Any, np.dtype[Any]]:
    if dtype == "uint64":
        return np.array([*INTEGERS, 2**63, 2**64 - 1], np.uint64)
    integers = np.array([*INTEGERS, -1, -(2**31), -(2**31) - 1, -(2**63)], np.int64)
    if dtype == "int64":
        return integers
    # finite numbers with such patterns of bits, of both signs
    bits = np.array([0x3FF << 52 | each for each in INTEGERS[:-2]], np.int64)
    return np.concatenate([bits.view(np.float64), -bits.view(np.float64)])


@pytest.mark.xla
@pytest.mark.parametrize("dtype", ["int64", "uint64", "float64"])
def test_both_halves_of_wide_keys_are_in_order(dtype: str, compiled: Callable[..., Any]) -> None:
    def f(x: Operand, places: Operand) -> list[Operand]:
        return [*ops.sort([x, places], dimension=0), *ops.sort([x], dimension=0)]

    x = np.random.default_rng(0).permutation(keys(dtype))
    places = np.arange(len(x), dtype=np.int32)
    with X64.override(True):
        ordered, moved, alone = compiled(f, x, places)(x, places)
    np.testing.assert_array_equal(ordered, np.sort(x))
    np.testing.assert_array_equal(moved, np.argsort(x, kind="stable"))
    np.testing.assert_array_equal(alone, np.sort(x))

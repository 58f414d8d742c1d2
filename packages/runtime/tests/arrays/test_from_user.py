from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_ir.settings import X64
from treadle_runtime import default_device, devices, jit
from treadle_runtime.arrays.from_user import as_argument

ops: Any = treadle_ir.ops  # Any: tests ask more of results than an operand has


def test_numbers_are_transferred_once() -> None:
    assert as_argument(2.5) is as_argument(2.5)
    assert as_argument(1).dtype == np.int32
    assert as_argument(1.0).dtype == np.float32
    assert as_argument(True).dtype == np.bool_
    assert math.copysign(1, float(as_argument(-0.0))) == -1
    assert math.copysign(1, float(as_argument(0.0))) == 1


def test_a_number_is_another_array_in_another_context() -> None:
    plain = as_argument(2.5)
    with default_device(devices()[1]):
        assert as_argument(2.5).device is devices()[1]
    with X64.override(True):
        assert as_argument(2.5).dtype == np.float64
    assert as_argument(2.5) is plain


def test_a_donated_number_comes_back() -> None:
    f = jit(lambda x: ops.add(x, x), donate_argnums=0)
    assert [float(f(1.25)) for _ in range(4)] == [2.5] * 4


def test_integers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(OverflowError):
        as_argument(2**40)


def test_a_numpy_array_is_copied() -> None:
    mine = np.ones(3, "f4")
    taken = as_argument(mine)
    mine[0] = 9
    assert taken.tolist() == [1, 1, 1]

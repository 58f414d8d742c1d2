from __future__ import annotations

import numpy as np
import pytest

from treadle_ir.errors import ShardingTypeError
from treadle_ir.primitives.linear_algebra import Cholesky
from treadle_ir.primitives.reduce import Argmax, ReduceAdd
from treadle_ir.primitives.window import ReduceWindowAdd
from treadle_ir.testing.shardings import of_results


def test_reduced_axes_are_gone() -> None:
    assert of_results(ReduceAdd((0,)), "8@x,4@y") == ["4@y"]
    assert of_results(ReduceAdd((0, 1)), "8@x,4@y") == [""]
    assert of_results(Argmax(1, np.dtype("i4")), "8@x,4") == ["8@x"]


def test_windows_are_within_shards() -> None:
    window = ReduceWindowAdd((1, 2), (1, 1), ((0, 0), (0, 0)), (1, 1), (1, 1))
    assert of_results(window, "8@x,4") == ["8@x,3"]
    with pytest.raises(ShardingTypeError, match="windows reach along axis 1"):
        of_results(window, "4,8@x")


def test_matrices_are_whole() -> None:
    assert of_results(Cholesky(), "8@x,4,4") == ["8@x,4,4"]
    with pytest.raises(ShardingTypeError, match="matrices"):
        of_results(Cholesky(), "8,4@x,4")

"""`array_equal` and `array_equiv` as NumPy's, lists among their operands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArgumentError
from treadle_ir.settings import X64
from treadle_numpy.numpy import array_equal, array_equiv, isclose

OPERANDS: list[Any] = [
    [1, 2],
    (1, 2),
    [[1, 2], [1, 2]],
    [1, 2, 3],
    1,
    np.array([1.0, 2.0], np.float32),
    np.array([1, 1], np.int32),
    [],
]


@given(st.sampled_from(OPERANDS), st.sampled_from(OPERANDS))
@settings(deadline=None)
def test_numpys_functions_give_the_same(x: Any, y: Any) -> None:
    assert bool(array_equal(x, y)) == np.array_equal(x, y)
    assert bool(array_equiv(x, y)) == np.array_equiv(x, y)


@pytest.mark.parametrize("function", [array_equal, array_equiv])
@pytest.mark.parametrize("wrong", ["x", None, object(), ["x"]])
def test_what_is_no_array_is_refused(function: Any, wrong: Any) -> None:
    with pytest.raises(ArgumentError, match=function.__name__):
        function(np.arange(2), wrong)


def test_what_is_compared_meets_in_one_type_first() -> None:
    with X64.override(True):
        x = np.array([0, 1, 2**31 - 1], np.int32)
        assert not isclose(x, 2**63 - 1).any()  # its lower bits are -1; its magnitude is not 2**63
        far = np.array([3e38 + 3e38j], np.complex64)  # of a size beyond single precision
        assert not isclose(np.zeros(1), far).any()

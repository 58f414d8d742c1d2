"""What an `axis` argument may be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle_numpy as tnp
from treadle_ir import ArgumentError
from treadle_ir.errors import AxisError
from treadle_numpy.operands.axes import as_axes

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@pytest.mark.parametrize("axis", [(0, 2), [0, -1], range(0, 3, 2), np.array([0, 2])])
def test_any_sequence_names_axes(axis: Any) -> None:
    assert as_axes("sum", axis, 3) == (0, 2)
    functions: list[Any] = [tnp.sum, tnp.max, tnp.var, tnp.median]
    for function in functions:
        expected = getattr(np, function.__name__)(X, axis=(0, 2))
        np.testing.assert_allclose(function(X, axis=axis), expected, rtol=1e-6)


def test_one_axis_and_none() -> None:
    assert as_axes("sum", np.array(-1), 3) == (2,)
    assert as_axes("sum", range(0), 3) == ()
    assert as_axes("sum", None, 3) == (0, 1, 2)


def test_refused() -> None:
    with pytest.raises(ArgumentError, match="name one axis twice"):
        as_axes("sum", range(-1, 3), 3)
    with pytest.raises(AxisError, match="axis 3 is out of bounds"):
        as_axes("sum", range(2, 4), 3)
    for axis in ("01", {0: 1}, 0.5):
        with pytest.raises(ArgumentError, match="axis must be"):
            as_axes("sum", axis, 3)


def test_the_name_of_an_axis_is_no_axis_of_an_array() -> None:
    with pytest.raises(ArgumentError, match="sum: axis must be an integer") as raised:
        as_axes("sum", "batch", 2)
    assert any("lax.psum" in note for note in raised.value.__notes__)

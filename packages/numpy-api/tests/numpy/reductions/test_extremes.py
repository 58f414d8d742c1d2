"""`minmax` is both extremes, with a start for each; extremes of complex numbers, and their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle_numpy.numpy as tnp
from treadle_autodiff import grad
from treadle_ir import ArgumentError
from treadle_numpy.numpy import minmax


def test_both_extremes() -> None:
    x = np.array([[3.0, -1.0], [2.0, 7.0]], np.float32)
    for axis in (None, 0, (0, 1)):
        low, high = minmax(x, axis, keepdims=True)
        np.testing.assert_array_equal(low, x.min(axis, keepdims=True))
        np.testing.assert_array_equal(high, x.max(axis, keepdims=True))
    assert [float(each) for each in minmax(x, initial=0)] == [-1, 7]
    assert [float(each) for each in minmax(x, initial=(-5, 9), where=x > 2)] == [-5, 9]


def test_real_parts_alone_make_no_tie() -> None:
    x = np.array([1 + 2j, 3 - 1j, 1 - 5j, 3 - 1j], np.complex64)
    least: Any = grad(lambda x: tnp.real(tnp.min(x)))
    greatest: Any = grad(lambda x: tnp.real(tnp.max(x)))
    assert least(x).tolist() == [0, 0, 1, 0]
    assert greatest(x).tolist() == [0, 0.5, 0, 0.5]


@pytest.mark.parametrize("function", [tnp.maximum, tnp.minimum])
def test_complex_ties_are_halved(function: Any) -> None:
    x = np.array([1 + 2j, 3 - 1j, 5 + 1j], np.complex64)
    y = np.array([1 + 2j, 3 + 1j, 4 + 9j], np.complex64)

    def total(x: Any, y: Any) -> Any:
        return tnp.real(tnp.sum(function(x, y)))

    slopes: Any = grad(total, (0, 1))
    dx, dy = slopes(x, y)
    assert dx.tolist() == ([0.5, 0, 1] if function is tnp.maximum else [0.5, 1, 0])
    assert dy.tolist() == ([0.5, 1, 0] if function is tnp.maximum else [0.5, 0, 1])


def test_refused() -> None:
    with pytest.raises(ArgumentError, match="a pair"):
        minmax(np.ones(2), initial=(1, 2, 3))  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="identity"):
        minmax(np.ones(0))

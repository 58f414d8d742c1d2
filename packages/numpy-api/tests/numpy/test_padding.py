"""`pad` puts around an array what NumPy's does, in all modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArgumentError, ShapeError, UnsupportedError
from treadle_numpy.numpy import concatenate, full, pad

WIDTHS = st.tuples(st.integers(0, 9), st.integers(0, 9))
MODES: list[tuple[str, dict[str, Any]]] = [
    ("constant", {}),
    ("constant", {"constant_values": (1, 2)}),
    ("edge", {}),
    ("linear_ramp", {}),
    ("linear_ramp", {"end_values": (5, -4)}),
    ("maximum", {}),
    ("maximum", {"stat_length": 2}),
    ("mean", {"stat_length": (1, 9)}),
    ("median", {}),
    ("minimum", {"stat_length": ((1, 2), (2, 1))}),
    ("reflect", {}),
    ("reflect", {"reflect_type": "odd"}),
    ("symmetric", {}),
    ("symmetric", {"reflect_type": "odd"}),
    ("wrap", {}),
]


@pytest.mark.parametrize(("mode", "more"), MODES)
@given(
    st.tuples(WIDTHS, WIDTHS),
    st.tuples(st.integers(1, 4), st.integers(1, 4)),
    st.sampled_from([np.float32, np.int32, np.complex64]),
)
@settings(max_examples=40, deadline=None)
def test_numpys_function_gives_the_same(
    mode: str, more: dict[str, Any], widths: Any, shape: tuple[int, int], dtype: Any
) -> None:
    if dtype == np.complex64 and mode in ("maximum", "minimum", "median", "linear_ramp"):
        return
    x = (np.random.default_rng(0).normal(size=shape) * 9).astype(dtype)
    expected = np.pad(x, widths, mode, **more)  # type: ignore[call-overload]  # drawn
    found = pad(x, widths, mode, **more)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)


def test_a_ramp_of_integers_meets_whole_numbers() -> None:
    found = pad(np.array([-20], np.int32), (5, 0), "linear_ramp", end_values=5)
    assert np.asarray(found).tolist() == [5, 0, -5, -10, -15, -20]


def test_functions_say_what_shall_be_there() -> None:
    seen = []

    def framed(vector: Any, widths: Any, axis: int, kwargs: dict[str, Any]) -> Any:
        seen.append((widths, axis))
        low, high = widths
        frame = kwargs["frame"]
        inner = vector[low : vector.shape[0] - high]
        return concatenate([full((low,), frame), inner, full((high,), frame)])

    found = pad(np.ones((2, 2), np.float32), ((1, 0), (2, 1)), framed, frame=np.float32(3))
    expected = np.pad(np.ones((2, 2)), ((1, 0), (2, 1)), constant_values=3)
    np.testing.assert_array_equal(found, expected)
    assert seen == [((1, 0), 0), ((2, 1), 1)]


def test_staged(staged: Callable[..., Any]) -> None:
    x = np.arange(4.0, dtype=np.float32) ** 2
    for mode, more in MODES:
        if "stat_length" in more and not isinstance(more["stat_length"], int):
            continue
        found = staged(lambda x, mode=mode, more=more: pad(x, (2, 5), mode, **more), x)
        np.testing.assert_allclose(found, np.pad(x, (2, 5), mode, **more), rtol=1e-6)  # type: ignore[call-overload]  # any


def test_refused() -> None:
    x = np.ones(3, np.float32)
    for array in (x, np.float32(1)):
        with pytest.raises(UnsupportedError, match="no mode 'nonsense'"):
            pad(array, 1, "nonsense")
    with pytest.raises(ArgumentError, match="keyword arguments"):
        pad(x, 1, "edge", constant_values=2)
    with pytest.raises(ArgumentError, match="reflect_type"):
        pad(x, 1, "reflect", reflect_type="neither")
    with pytest.raises(ArgumentError, match="stat_length"):
        pad(x, 1, "mean", stat_length=0)
    with pytest.raises(ArgumentError, match="negative"):
        pad(x, -1)


@pytest.mark.parametrize("mode", ["edge", "linear_ramp", "maximum", "median", "reflect", "wrap"])
def test_axes_without_elements(mode: str) -> None:
    nothing = np.zeros((0, 3), np.float32)
    assert pad(nothing, ((0, 0), (1, 1)), mode).shape == (0, 5)
    with pytest.raises(ShapeError, match="axis 0"):
        pad(nothing, ((1, 0), (1, 1)), mode)
    assert pad(nothing, 1).shape == (2, 5)

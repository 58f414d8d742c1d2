"""Arrays of nested sequences with arrays among them, in any places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import treadle.numpy as tnp
from treadle import jit
from treadle.errors import ShapeError

ROW = tnp.zeros(3)


@st.composite
def nested_sequence(draw: st.DrawFn, whole: np.ndarray[Any, Any]) -> Any:
    """Draw a NumPy array as it is, as an array, or as a sequence of its parts, each of them drawn likewise."""
    how = draw(st.sampled_from(["as it is", "array", "list", "tuple"]))
    if how == "as it is":
        return whole
    if how == "array":
        return tnp.asarray(whole)
    if whole.ndim == 0:
        return whole.item()
    parts = [draw(nested_sequence(part)) for part in whole]
    return parts if how == "list" else tuple(parts)


@given(st.data())
def test_parts_are_where_they_stand(data: st.DataObject) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=3))
    whole = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    parts = [data.draw(nested_sequence(part)) for part in whole]
    made = tnp.array(parts, np.float32)
    assert made.shape == whole.shape
    np.testing.assert_array_equal(made, whole)
    traced = jit(lambda: tnp.array(parts))()
    np.testing.assert_array_equal(traced, whole)


@pytest.mark.parametrize(
    "parts",
    [
        [ROW, [1, 2]],
        [[ROW], ROW],
        [[ROW, ROW], [ROW], [ROW, ROW, ROW]],  # as many as two rows of three
        [[], [ROW]],
        [ROW[0], []],
        [1, ROW],
    ],
)
def test_parts_of_unequal_shapes_are_refused(parts: Any) -> None:
    with pytest.raises(ShapeError, match="array: the parts of a sequence have unequal shapes"):
        tnp.array(parts)


def test_empty_parts_with_empty_lists() -> None:
    for parts in ([ROW[:0], []], [[], ROW[:0]]):
        assert tnp.array(parts).shape == (2, 0)

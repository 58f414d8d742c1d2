"""What a memory of a device is called, which orders there are, and that no element changes on the way there."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError, ops

X = np.ones((4, 2), np.float32)


def test_a_kind_is_a_name() -> None:
    with pytest.raises(ArgumentError, match="is 'two words', which is not a name"):  # C1
        ops.to_memory(X, kind="two words")


def test_the_elements_stay() -> None:
    assert np.array_equal(ops.to_memory(X, kind="pinned_host"), X)


@pytest.mark.parametrize("order", [(0,), (0, 0), (-1, 0), (1, 2), (0, 1, 2), ()])
def test_an_order_has_each_axis_once(order: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError, match="does not have each axis of f32"):  # C1
        ops.layout_constraint(X, major_to_minor=order)


def test_the_elements_stay_in_any_order() -> None:
    for order in ((0, 1), (1, 0)):
        assert np.array_equal(ops.layout_constraint(X, major_to_minor=order), X)

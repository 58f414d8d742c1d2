"""Users' objects are read without running their code; values are compared by type and elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_insight.objects import MISSING, attribute, followed, is_plain, remembered


class Model:
    rate = 0.5

    def __init__(self) -> None:
        self.scale = 2
        self.options = {"lr": [1, 2]}

    @property
    def size(self) -> int:
        raise AssertionError("a property is not run")

    def __getattr__(self, name: str) -> Any:
        raise AssertionError("__getattr__ is not run")


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self) -> None:
        self.a = 1


def test_attributes_are_read_without_running_code() -> None:
    model = Model()
    assert attribute(model, "scale") == 2
    assert attribute(model, "rate") == attribute(Model, "rate") == 0.5
    assert attribute(model, "size") is MISSING
    assert attribute(model, "missing") is MISSING
    assert attribute(Slotted(), "a") == 1
    assert attribute(Slotted(), "b") is MISSING
    assert attribute(np, "pi") is MISSING
    assert followed(model, ((".", "options"), ("[", "lr"), ("[", 1))) == 2
    assert followed(model, ((".", "options"), ("[", "no"))) is MISSING


@pytest.mark.parametrize(
    ("before", "same", "other"),
    [
        (1, 1, 1.0),
        (True, True, 1),
        ("a", "a", "b"),
        (float("nan"), float("nan"), 0.0),
        ((1, (2,)), (1, (2,)), (1, (2.0,))),
        (np.float32(1), np.float32(1), np.float64(1)),
        ([1, 2], [1, 2], (1, 2)),
        ({1, 2}, {2, 1}, {1}),
        ({"a": 1}, {"a": 1}, {"a": 2}),
        (np.ones(3), np.ones(3), np.zeros(3)),
        (np.ones(3), np.ones(3), np.ones(3, np.float32)),
    ],
)
def test_values_are_compared_by_type_and_elements(before: Any, same: Any, other: Any) -> None:
    found = remembered(before, whole=True)
    assert found is not None
    assert found.is_like(before)
    assert found.is_like(same)
    assert not found.is_like(other)


def test_an_array_that_is_changed_in_place_is_another_one() -> None:
    array = np.ones(3)
    found = remembered(array, whole=False)
    array[0] = 2
    assert found is not None
    assert not found.is_like(array)


def test_what_cannot_be_compared_is_not_remembered() -> None:
    assert remembered(Model(), whole=True) is None
    assert remembered([1, 2], whole=False) is None
    assert remembered([Model()], whole=True) is None
    assert not is_plain((1, [2]))

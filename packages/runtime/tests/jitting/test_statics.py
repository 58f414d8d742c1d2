from __future__ import annotations

import gc
from typing import Any

import pytest

from treadle_ir import ArgumentError
from treadle_ir.tracing import take_apart
from treadle_runtime.jitting.statics import holds_dead, static_key


def key(value: object) -> Any:
    return static_key(take_apart((value,), {}, (0,)), "f")


class Plain:
    """Equal to itself only."""


class Point:
    def __init__(self, x: int) -> None:
        self.x = x

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Point) and other.x == self.x

    def __hash__(self) -> int:
        return hash(self.x)


def test_a_hash_that_fails_is_named() -> None:
    class Broken:
        def __hash__(self) -> int:
            raise RuntimeError("no")

    with pytest.raises(ArgumentError, match="RuntimeError: no"):
        key(Broken())


def test_a_call_without_static_arguments_has_no_key() -> None:
    assert static_key(take_apart((1.0,), {}), "f") is None


@pytest.mark.parametrize(("one", "other"), [(1, True), (1, 1.0), ("a", "b"), ((1,), (2,))])
def test_values_count_with_their_class(one: object, other: object) -> None:
    assert key(one) == key(one)
    assert key(one) != key(other)


def test_objects_count_by_their_own_equality() -> None:
    assert key(Point(1)) == key(Point(1))
    assert key(Point(1)) != key(Point(2))


def test_an_object_that_is_equal_only_to_itself_is_not_kept_alive() -> None:
    value = Plain()
    held = key(value)
    assert held == key(value)
    assert held != key(Plain())
    assert not holds_dead(held)
    del value
    gc.collect()
    assert holds_dead(held)
    assert held != key(Plain())

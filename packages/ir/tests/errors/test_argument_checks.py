from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_ir.errors import (
    RangeError,
    element_type,
    flags,
    functions,
    integer,
    integer_or_none,
    names,
    number,
    refused,
    sequence,
    sequence_or_none,
    shown,
)
from treadle_ir.errors.argument_checks import classes


class Unshown:
    """An object without a repr."""

    def __repr__(self) -> str:
        raise ValueError("no")


def test_a_value_is_shown_whatever_it_is() -> None:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    assert shown("abc") == "'abc'"
    assert shown(Unshown()).startswith("an object of <class")
    assert len(shown("a" * 1_000)) == 100
    assert "..." in shown(deep)
    shown("\udc80").encode()


def test_the_error_names_function_and_argument() -> None:
    assert str(refused("sort", "axis", "an integer", 1.5)) == (
        "sort: axis must be an integer, got 1.5 of <class 'float'>"
    )


@pytest.mark.parametrize("value", [True, False, np.True_, 1, None])
def test_flags_are_true_or_false(value: object) -> None:
    flags("sort", stable=value)


@pytest.mark.parametrize(
    "value", ["yes", [], np.array(True), np.array([True, False]), np.bool_, {}]
)
def test_nothing_else_is_a_flag(value: object) -> None:
    with pytest.raises(ArgumentError, match="sort: stable must be true or false"):
        flags("sort", stable=value)


def test_functions_names_and_classes() -> None:
    functions("map", f=len)
    names("pad", mode="edge", other=None)
    classes("register", cls=int)
    with pytest.raises(ArgumentError, match="map: f must be a function, got 5"):
        functions("map", f=5)
    with pytest.raises(ArgumentError, match="pad: mode must be a string, got 5"):
        names("pad", mode=5)
    with pytest.raises(ArgumentError, match="register: cls must be a class, got 5"):
        classes("register", cls=5)


@pytest.mark.parametrize("value", [3, True, np.int8(3), np.array(3), np.uint64(3)])
def test_integers(value: object) -> None:
    assert type(integer("tril", "k", value)) is int
    assert integer_or_none("tril", "k", value) == value


@pytest.mark.parametrize("value", [1.0, "3", None, np.array([3]), np.float32(3), np.int8, [3]])
def test_no_integers(value: object) -> None:
    with pytest.raises(ArgumentError, match="tril: k must be an integer"):
        integer("tril", "k", value)


def test_an_integer_has_64_bits() -> None:
    assert integer("tril", "k", -(2**63)) == -(2**63)
    with pytest.raises(RangeError, match="tril: k is 18446744073709551616, which has more"):
        integer("tril", "k", 2**64)
    assert integer_or_none("tril", "k", None) is None


@pytest.mark.parametrize("value", [2, 2.0, np.int8(2), np.float16(2)])
def test_real_numbers(value: object) -> None:
    assert number("odeint", "rtol", value) == 2
    assert number("odeint", "hmax", np.inf) == np.inf


@pytest.mark.parametrize(
    "value", [True, "2", None, 2j, np.nan, 10**400, np.timedelta64(2, "s"), np.zeros(1), [2]]
)
def test_no_real_numbers(value: object) -> None:
    with pytest.raises(ArgumentError, match="odeint: rtol must be a real number"):
        number("odeint", "rtol", value)


def test_sequences() -> None:
    assert sequence("stack", "arrays", [1, 2]) == (1, 2)
    assert sequence("stack", "arrays", np.arange(2)) == (0, 1)
    assert sequence_or_none("stack", "arrays", None) is None
    for value in (5, "ab", {"a": 1}, {1}, b"ab", np.array(1), int):
        with pytest.raises(ArgumentError, match="stack: arrays must be a sequence"):
            sequence("stack", "arrays", value)


@pytest.mark.parametrize("value", ["float32", np.float32, np.dtype("f4")])
def test_element_types(value: object) -> None:
    assert element_type("f", value) == np.float32


@pytest.mark.parametrize("value", ["abc", "\udc80", {"a": 1.0}, (1, 0), 7, [[1.0]], ...])
def test_no_element_types(value: object) -> None:
    with pytest.raises(ArgumentError, match=r"f: .* is not an element type"):
        element_type("f", value)

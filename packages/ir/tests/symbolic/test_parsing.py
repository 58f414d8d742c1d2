"""Texts of shapes: what they may say, and what an error says of them."""

from __future__ import annotations

import pytest

from treadle_ir import ArgumentError
from treadle_ir.symbolic import SymbolicScope, read_dimension, read_shape

FREE = SymbolicScope()


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("", []),
        ("b", ["b"]),
        ("(b,)", ["b"]),
        ("( b , 3 )", ["b", "3"]),
        ("b, 4*n + 1, 3,", ["b", "4*n + 1", "3"]),
        ("(a+1)*(a-1), 2", ["a^2 - 1", "2"]),
        ("max(a,b)+min(a, 3)", ["max(a, b) + min(a, 3)"]),
        ("floordiv(a,3), mod(a, 2)", ["floordiv(a, 3)", "mod(a, 2)"]),
        ("a//3, a%2", ["floordiv(a, 3)", "mod(a, 2)"]),
        ("a^0, a^3", ["1", "a^3"]),
        ("-a + 5", ["- a + 5"]),
        ("2*-a", ["- 2*a"]),
    ],
)
def test_shapes(text: str, sizes: list[str]) -> None:
    assert [*map(str, read_shape(text, FREE))] == sizes


@pytest.mark.parametrize(
    ("text", "like", "sizes"),
    [
        ("b, ...", (2, 3, 4), ["b", "3", "4"]),
        ("_, b", (2, 3), ["2", "b"]),
        ("...", (2, 3), ["2", "3"]),
        ("b, ...", (2,), ["b"]),
        ("b, _", (None, 3), ["b", "3"]),
    ],
)
def test_placeholders(text: str, like: tuple[int, ...], sizes: list[str]) -> None:
    assert [*map(str, read_shape(text, FREE, like))] == sizes


@pytest.mark.parametrize(
    ("text", "like", "says"),
    [
        ("a+", None, "a name or a number is missing at column 3"),
        ("a b", None, "'b' cannot stand at column 3"),
        ("a, $", None, "'$' cannot stand at column 4"),
        ("a^99", None, "an exponent from 0 to 16 is missing"),
        ("max(a)", None, "`,` is missing"),
        ("(a", None, "`)` is missing"),
        ("a//0", None, "a division by zero"),
        ("...", None, "no shape to take the size from"),
        ("a, ..., b", (1, 2, 3), "'b' cannot stand"),
        ("a, _", (2,), "stands for axis 1"),
        ("_", (None,), "an unknown size"),
        ("(" * 40 + "a" + ")" * 40 + " + 1", None, "parentheses are too deep"),
        ("9" * 30, None, "cannot stand"),
        ("__import__('os')", None, "cannot stand"),
    ],
)
def test_errors(text: str, like: tuple[int, ...] | None, says: str) -> None:
    with pytest.raises(ArgumentError, match="syntax error in symbolic shape") as caught:
        read_shape(text, FREE, like)
    assert says in str(caught.value)


def test_one_dimension() -> None:
    with pytest.raises(ArgumentError, match="cannot stand"):
        read_dimension("a, b", FREE)

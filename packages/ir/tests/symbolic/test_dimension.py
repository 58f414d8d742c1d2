"""Dimensions against Python's integers: arithmetic, comparison, text, and what needs the number itself."""

from __future__ import annotations

import copy
import functools
import itertools
import pickle
import types
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArgumentError, ShapeError
from treadle_ir.core import is_symbolic_dim, max_dim, min_dim
from treadle_ir.errors import SymbolicSizeError
from treadle_ir.symbolic import SymbolicDimension, SymbolicScope, read_dimension, read_shape

NAMES = ("a", "b", "c")
FREE = SymbolicScope()
VARIABLES = {name: read_dimension(name, FREE) for name in NAMES}


def larger(left: Any, right: Any) -> Any:
    """The greater one, of integers by Python."""
    return (
        max(left, right)
        if isinstance(left, int) and isinstance(right, int)
        else max_dim(left, right)
    )


def lesser(left: Any, right: Any) -> Any:
    """The lesser one, of integers by Python."""
    return (
        min(left, right)
        if isinstance(left, int) and isinstance(right, int)
        else min_dim(left, right)
    )


BINARY = {
    "({} + {})": lambda x, y: x + y,
    "({} - {})": lambda x, y: x - y,
    "({} * {})": lambda x, y: x * y,
    "max({}, {})": larger,
    "min({}, {})": lesser,
}
DIVISIONS = {"({} // {})": lambda x, y: x // y, "({} % {})": lambda x, y: x % y}


@st.composite
def expressions(draw: Any, depth: int = 3) -> str:
    """A text that both Python and treadle read: of integers, names and operations."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.one_of(st.sampled_from(NAMES), st.integers(0, 9).map(str)))  # type: ignore[no-any-return]
    left = draw(expressions(depth - 1))
    kind = draw(st.integers(0, 2))
    if kind == 0:
        divisor = draw(st.one_of(st.sampled_from(NAMES), st.integers(1, 5).map(str)))
        return draw(st.sampled_from([*DIVISIONS])).format(left, divisor)  # type: ignore[no-any-return]
    return draw(st.sampled_from([*BINARY])).format(left, draw(expressions(depth - 1)))  # type: ignore[no-any-return]


SIZES = st.fixed_dictionaries({name: st.integers(1, 12) for name in NAMES})


def by_python(text: str, sizes: dict[str, int]) -> int:
    """Return the value of the text for these sizes, by Python."""
    value: int = eval(_compiled(text), {"max": max, "min": min}, dict(sizes))
    return value


@functools.cache
def _compiled(text: str) -> types.CodeType:
    return compile(text, "<drawn>", "eval")


def _value(size: Any, sizes: dict[str, int]) -> Any:
    return size.at(sizes, FREE) if is_symbolic_dim(size) else size


@settings(max_examples=300, deadline=None)
@given(expressions(), SIZES)
def test_arithmetic(text: str, sizes: dict[str, int]) -> None:
    """The operators on dimensions, then numbers for the names, is the same on numbers."""
    found = eval(text, {"max": larger, "min": lesser}, dict(VARIABLES))
    assert _value(found, sizes) == by_python(text, sizes)


@settings(max_examples=200, deadline=None)
@given(expressions(), SIZES)
def test_text_reads_back(text: str, sizes: dict[str, int]) -> None:
    dimension = read_dimension(text, FREE)
    assert _value(dimension, sizes) == by_python(text, sizes)
    again = read_dimension(str(dimension), FREE)
    assert again == dimension
    assert hash(again) == hash(dimension)
    assert str(again) == str(dimension)
    assert pickle.loads(pickle.dumps(dimension)) == dimension == copy.deepcopy(dimension)


@settings(max_examples=200, deadline=None)
@given(expressions(), expressions(), SIZES)
def test_decisions_hold(left: str, right: str, sizes: dict[str, int]) -> None:
    """Decided comparisons hold for all sizes, and equal dimensions are equal for all sizes."""
    x, y = read_dimension(left, FREE), read_dimension(right, FREE)
    a, b = by_python(left, sizes), by_python(right, sizes)
    if x == y:
        assert a == b
    for compare in ("__ge__", "__gt__", "__le__", "__lt__"):
        try:
            decided = getattr(x, compare)(y)
        except SymbolicSizeError:
            continue
        if decided is not NotImplemented:
            assert decided == getattr(a, compare)(b)


@settings(max_examples=200, deadline=None)
@given(expressions(), SIZES)
def test_bounds_hold(text: str, sizes: dict[str, int]) -> None:
    dimension = read_dimension(text, FREE)
    if is_symbolic_dim(dimension):
        low, high = dimension.bounds()
        assert low <= by_python(text, sizes) <= high


def test_is_an_integer_where_it_is_known() -> None:
    b = VARIABLES["b"]
    for known, wanted in ((b - b + 3, 3), (b // b, 1), (b % b, 0), ((2 * b + 1) % 2, 1)):
        assert type(known) is int
        assert known == wanted
    assert type(b) is SymbolicDimension


def test_equality_is_of_what_always_holds() -> None:
    b, c = VARIABLES["b"], VARIABLES["c"]
    assert b + c == c + b
    assert b != c
    assert b != 4
    assert b != 4
    assert b != "b"
    assert (b == None) is False  # noqa: E711 - what shapes are compared with
    assert 2 * (b + 1) - b == b + 2
    assert {b: 1}[read_dimension("b", SymbolicScope())] == 1


def test_undecided_comparisons_say_what_to_add() -> None:
    b, n = read_shape("b, n", SymbolicScope(["b >= 8"]))
    with pytest.raises(SymbolicSizeError, match=r"`b > n`.*under the constraints b >= 8") as caught:
        bool(b > n)
    assert 'constraints=["b - n >= 1"]' in "".join(caught.value.__notes__)
    scope = SymbolicScope(["b >= 8", "b - n >= 1"])
    assert read_dimension("b", scope) > read_dimension("n", scope)
    with pytest.raises(SymbolicSizeError, match="inconclusive") as caught:
        bool(n - 1)
    assert '"n >= 2"' in "".join(caught.value.__notes__)


@pytest.mark.parametrize("ask", [int, range, float, lambda n: [0] * n])
def test_needs_the_number(ask: Any) -> None:
    with pytest.raises(SymbolicSizeError, match="symbolic dimension b was used"):
        ask(VARIABLES["b"])


def test_scopes_do_not_mix() -> None:
    other = read_dimension("b", SymbolicScope(["b >= 8"]))
    with pytest.raises(ArgumentError, match="of different scopes"):
        VARIABLES["b"] + other
    assert VARIABLES["b"] != other
    assert VARIABLES["b"] + read_dimension("b", SymbolicScope()) == 2 * VARIABLES["b"]


def test_is_immutable_and_no_size_of_strings() -> None:
    b = VARIABLES["b"]
    with pytest.raises(AttributeError, match="immutable"):
        b.scope = FREE
    with pytest.raises(ShapeError, match="not both sizes"):
        max_dim(b, "3")
    with pytest.raises(TypeError, match="unsupported operand"):
        b + "3"
    with pytest.raises(ZeroDivisionError):
        b // 0
    assert divmod(b, 3) == (b // 3, b % 3)
    assert abs(b) is b
    assert f"{b * b:>6}" == "   b^2"


def test_numpy_integers_are_sizes() -> None:
    b = VARIABLES["b"]
    assert np.int64(3) * b == 3 * b
    assert b + np.int32(1) == b + 1
    assert b != np.int64(3)
    assert np.prod([b, b]) == b * b


def test_operations_have_a_depth() -> None:
    def nested(depth: int) -> Any:
        found: Any = VARIABLES["b"]
        for number in range(2, depth):
            found = found % number + VARIABLES["c"] ** 2
        return found

    assert len(str(nested(20))) > 100
    with pytest.raises(ArgumentError, match="operations inside of each other"):
        nested(60)


CONSTRAINTS = (
    *("a >= 3", "a <= 7", "b >= a", "a + b <= 9", "2*b >= c + 1", "b <= 2*a - 1"),
    *("a == b", "c == 2*a", "a % 2 == 0", "b // 2 >= 2", "c % 3 == 1", "max(a, b) <= 6"),
)


@settings(max_examples=150, deadline=None)
@given(expressions(2), st.lists(st.sampled_from(CONSTRAINTS), max_size=3, unique=True))
def test_sound(text: str, constraints: list[str]) -> None:
    """Bounds and values are right for every choice of sizes that obeys the constraints."""
    try:
        scope = SymbolicScope(constraints)
    except ArgumentError:  # it saw that they can never hold
        scope = None  # type: ignore[assignment]
    every = (
        dict(zip(NAMES, values, strict=True))
        for values in itertools.product(range(1, 10), repeat=3)
    )
    allowed = [sizes for sizes in every if all(by_python(each, sizes) for each in constraints)]
    if not allowed:
        return
    assert scope is not None
    dimension = read_dimension(text, scope)
    low, high = (dimension, dimension) if isinstance(dimension, int) else dimension.bounds()
    for sizes in allowed:
        wanted = by_python(text, sizes)
        assert low <= wanted <= high
        assert _value(dimension, sizes) == wanted

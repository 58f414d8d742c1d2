"""Random dimensions, with what Python's integers say of them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from treadle_ir import max_dim, min_dim
from treadle_ir.symbolic import SymbolicScope, read_dimension

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
    """What the text is for these sizes, by Python."""
    value: int = eval(text, {"max": max, "min": min}, dict(sizes))  # noqa: S307 - a text of our own making
    return value

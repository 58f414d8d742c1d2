"""Sizes from shapes, and the errors if there are none."""

from __future__ import annotations

from typing import Any

import pytest

from treadle_ir import ShapeError
from treadle_ir.symbolic import SymbolicScope, read_shape
from treadle_ir.symbolic.solving import Axis, sample, solve, unsolvable


def _solve(spec: str, found: tuple[Any, ...], constraints: list[str] | None = None) -> Any:
    scope = SymbolicScope(constraints or [])
    expected = read_shape(spec, scope)
    axes = [Axis("x", i, *pair) for i, pair in enumerate(zip(expected, found, strict=True))]
    return solve("f", axes, scope)[0]


@pytest.mark.parametrize(
    ("spec", "found", "sizes"),
    [
        ("b, 3", (7, 3), {"b": 7}),
        ("4*n + 1, n", (9, 2), {"n": 2}),
        ("a*b, b", (6, 3), {"a": 2, "b": 3}),
        ("a + b + c, b - 2, 2*c", (9, 1, 4), {"a": 4, "b": 3, "c": 2}),
        ("floordiv(b, 2) + a, b", (5, 4), {"a": 3, "b": 4}),
    ],
)
def test_solves(spec: str, found: tuple[int, ...], sizes: dict[str, int]) -> None:
    if spec.startswith("a*b"):  # its coefficient is not a number
        problem = unsolvable("f", [read_shape(spec, SymbolicScope())])
        assert problem is not None
        assert "the sizes a cannot be found" in str(problem)
        return
    assert unsolvable("f", [read_shape(spec, SymbolicScope())]) is None
    assert _solve(spec, found) == sizes


def test_symbolic_again() -> None:
    (k,) = read_shape("2*k", SymbolicScope())
    assert _solve("2*b + 2", (k + 4,)) == {"b": k // 2 + 1}


@pytest.mark.parametrize(
    ("spec", "found", "constraints", "says"),
    [
        ("b, b", (2, 3), [], "f expects b, which is 2 since b is 2 by x.shape[0] = 2, got 3"),
        ("2*b", (3,), [], "x.shape[0] is 3, which 2*b cannot be for any integer b"),
        ("b", (0,), [], "so b is 0, but sizes of names are at least 1"),
        ("b, 3", (2, 4), [], "Shape mismatch for x.shape[1]: f expects 3, got 4"),
        ("b", (3,), ["b >= 4"], "the constraint b >= 4 does not hold, since b is 3"),
        ("b", (3,), ["b <= 2"], "the constraint b <= 2 does not hold"),
        ("b", (3,), ["mod(b, 2) == 0"], "the constraint mod(b, 2) == 0 does not hold"),
    ],
)
def test_errors(spec: str, found: tuple[int, ...], constraints: list[str], says: str) -> None:
    with pytest.raises(ShapeError) as caught:
        _solve(spec, found, constraints)
    assert says in str(caught.value)
    assert any("fix:" in note for note in caught.value.__notes__)


def test_sample() -> None:
    scope = SymbolicScope(["b >= 8", "n <= 4", "mod(b, 3) == 0"])
    found = sample(["b", "n"], scope)
    assert found is not None
    assert found["b"] % 3 == 0
    assert found["b"] >= 8
    assert 1 <= found["n"] <= 4
    assert sample(["b"], SymbolicScope(["mod(b, 1000) == 0"])) is None

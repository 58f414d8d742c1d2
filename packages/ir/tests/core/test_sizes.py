"""Predicates and functions of sizes, for integers and symbolic dimensions alike."""

from __future__ import annotations

import subprocess
import sys

import pytest

from treadle_ir import ArgumentError
from treadle_ir.core import (
    is_symbolic,
    is_symbolic_dim,
    max_dim,
    min_dim,
    scope_of,
    symbolic_dim_bounds,
)
from treadle_ir.core.sizes import variables_of
from treadle_ir.symbolic import SymbolicScope, read_shape

SCOPE = SymbolicScope(["b >= 2"])
B, C = read_shape("b, 2*c", SCOPE)


def test_questions() -> None:
    assert is_symbolic((2, B))
    assert not is_symbolic((2, 3))
    assert is_symbolic_dim(B)
    assert not is_symbolic_dim("b")
    assert variables_of(B * C) == {"b", "c"}
    assert variables_of(3) == set()
    assert scope_of([(1, 2), (3, C)]) == SCOPE
    assert scope_of([(1,), ()]) is None


def test_greater_and_lesser() -> None:
    assert (max_dim(2, 3), min_dim(2, 3)) == (3, 2)
    assert (max_dim(1, B), min_dim(B, 1)) == (B, 1)
    assert str(max_dim(B, C)) == str(max_dim(C, B)) == "max(2*c, b)"
    assert min_dim(5, B) == min_dim(B, 5)


def test_bounds() -> None:
    assert symbolic_dim_bounds(B) == (2, float("inf"))
    assert symbolic_dim_bounds(4) == (4, 4)
    with pytest.raises(ArgumentError, match="dimension must be an integer"):
        symbolic_dim_bounds("b")


def test_nothing_symbolic_is_imported_before_it_is_needed() -> None:
    code = "import sys, treadle_ir; print('treadle_ir.symbolic' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"

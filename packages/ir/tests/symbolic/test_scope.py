"""What constraints decide and rewrite, against all sizes that obey them."""

from __future__ import annotations

import pickle

import pytest

from treadle_ir import ArgumentError
from treadle_ir.core import max_dim, min_dim
from treadle_ir.errors import SymbolicSizeError
from treadle_ir.symbolic import SymbolicScope, read_shape


def test_decides() -> None:
    b, c, n = read_shape("b, c, n", SymbolicScope(["b >= 8", "n <= 4", "mod(c, 4) == 0"]))
    assert b >= 8
    assert b > n
    assert not n > 4
    assert c % 4 == 0
    assert c // 4 * 4 == c
    assert b // 2 >= 4
    assert b * c >= b
    assert max_dim(b, n) == b
    assert min_dim(b, 5) == 5
    assert min_dim(c, 5) <= c
    assert max_dim(c, b) - b >= 0
    assert (c + 1) // 2 <= c
    assert (b - n).bounds()[0] == 4
    with pytest.raises(SymbolicSizeError):
        bool(b >= c)


def test_chains_of_constraints() -> None:
    a, _, c = read_shape("a, b, c", SymbolicScope(["a >= 2*b", "b >= c + 3", "c >= 5"]))
    assert a >= 16
    assert a > 2 * c


def test_equalities_rewrite() -> None:
    assert [*map(str, read_shape("a, b", SymbolicScope(["a == 2*b"])))] == ["2*b", "b"]
    (square,) = read_shape("n*n", SymbolicScope(["n^2 == m"]))
    assert str(square) == "m"
    a, b = read_shape("a, b", SymbolicScope(["a + b == 9"]))
    assert a.bounds() == (1, 8)
    assert a + b >= 9
    assert not a + b > 9


def test_contradictions() -> None:
    with pytest.raises(ArgumentError, match="'a <= 2' can never hold together with a >= 3"):
        SymbolicScope(["a >= 3", "a <= 2"])
    with pytest.raises(ArgumentError, match="can never hold"):
        SymbolicScope(["a == 0"])


def test_is_a_value() -> None:
    one, other = SymbolicScope(["a>=3", "b <= 2*a"]), SymbolicScope(["a >= 3", "b<=2*a"])
    assert one == other
    assert hash(one) == hash(other)
    assert one != SymbolicScope(["a >= 3"])
    assert pickle.loads(pickle.dumps(one)) == one
    assert repr(one) == "SymbolicScope(['a >= 3', 'b <= 2*a'])"
    assert SymbolicScope("a >= 3") == SymbolicScope(["a >= 3"])


@pytest.mark.parametrize(
    "wrong", [["a"], ["a > 3"], [3], 3, ["a >= "], ["a >= b >= c"], ["a == b // 0"]]
)
def test_refusals(wrong: object) -> None:
    with pytest.raises(ArgumentError):
        SymbolicScope(wrong)  # type: ignore[arg-type]

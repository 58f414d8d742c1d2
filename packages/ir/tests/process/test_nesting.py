from __future__ import annotations

import sys

import pytest

from treadle_ir.process.nesting import deeper


def nested(levels: int) -> int:
    """The limit of recursion at the innermost of some levels."""
    with deeper():
        return sys.getrecursionlimit() if levels == 0 else nested(levels - 1)


def test_the_limit_moves_up_and_back() -> None:
    before = sys.getrecursionlimit()
    assert nested(100) > before
    assert sys.getrecursionlimit() == before


def test_the_limit_moves_back_after_an_error() -> None:
    before = sys.getrecursionlimit()

    def fail(levels: int) -> None:
        with deeper():
            if levels == 0:
                raise ValueError("innermost")
            fail(levels - 1)

    with pytest.raises(ValueError, match="innermost"):
        fail(100)
    assert sys.getrecursionlimit() == before

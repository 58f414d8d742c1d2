from __future__ import annotations

from typing import Any

import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError
from treadle.experimental import checkify


def test_trees_and_keywords_go_through() -> None:
    def f(x: Any, *, scale: Any) -> Any:
        """A function."""
        return {"y": x["a"] * scale, "z": 3}

    checked = checkify.checkify(f)
    error, result = checked({"a": tnp.arange(2.0)}, scale=2.0)
    assert error.get() is None
    assert result["y"].tolist() == [0, 2]
    assert int(result["z"]) == 3
    assert checked.__doc__ == "A function."


def test_captured_arrays_go_through_in_every_composition() -> None:
    bound = tnp.array([1.0, 2.0])

    def f(x: Any) -> Any:
        checkify.check((x < bound).all(), "{} against {}", x, bound)
        return x * bound

    expected = "3.0 against [1. 2.] (`check` failed)"
    assert checkify.checkify(f)(3.0)[0].get() == expected
    assert treadle.jit(lambda x: checkify.checkify(f)(x)[0])(3.0).get() == expected


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((3,), "f"),
        ((tnp.sin, 3), "errors must be a set"),
        ((tnp.sin, frozenset({ValueError})), "errors must be a set"),
    ],
)
def test_arguments_are_checked(args: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        checkify.checkify(*args)

from __future__ import annotations

import pytest

from treadle_ir import ArgumentError
from treadle_ir.tracing import positions, take_apart


def test_arguments_are_rebuilt_as_they_were() -> None:
    given = take_apart(({"a": 1.0}, "static", [2.0]), {"n": 3, "x": 4.0}, (1,), ("n",))
    assert given.leaves == [1.0, 2.0, 4.0]
    assert given.rebuilt([*given.leaves]) == (({"a": 1.0}, "static", [2.0]), {"n": 3, "x": 4.0})
    assert given.paths() == ["argument 0['a']", "argument 2[0]", "argument x"]


def test_positional_arguments_alone() -> None:
    given = take_apart((1.0, (2.0, None)), {})
    assert given.statics is None
    assert given.rebuilt([5, 6]) == ((5, (6, None)), {})
    assert given.paths() == ["argument 0", "argument 1[0]"]


def test_positions_are_counted_from_the_front() -> None:
    assert positions((0, -1), 3, "argnums", "differentiated") == (0, 2)
    assert positions(1, 3, "argnums", "differentiated") == (1,)
    for wrong in (3, -4, "x", (0, 1.5)):
        with pytest.raises(ArgumentError, match="argnums"):
            positions(wrong, 3, "argnums", "differentiated")  # type: ignore[arg-type]

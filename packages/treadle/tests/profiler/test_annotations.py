from __future__ import annotations

import pytest

from treadle import profiler
from treadle.errors import ArgumentError


def test_an_annotated_function_is_the_same_function() -> None:
    def add(x: int, y: int = 1) -> int:
        """Their sum."""
        return x + y

    marked = profiler.annotate_function(add, name="sum", kind="test")
    assert marked(2, y=3) == 5
    assert marked.__doc__ == "Their sum."


def test_an_error_goes_through() -> None:
    with profiler.TraceAnnotation("right") as mark:
        mark.set_metadata(step=1)
    with pytest.raises(ZeroDivisionError), profiler.TraceAnnotation("wrong"):
        raise ZeroDivisionError


def test_arguments_are_checked() -> None:
    with pytest.raises(ArgumentError, match="func"):
        profiler.annotate_function(3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="name"):
        profiler.TraceAnnotation(3)  # type: ignore[arg-type]

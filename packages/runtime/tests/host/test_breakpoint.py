"""`breakpoint`: the prompt knows the user's frames and the elements of their arrays, eager and compiled."""

from __future__ import annotations

import bdb
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, ops
from treadle_runtime import breakpoint, jit


def prompted(commands: str, wrap: Callable[[Any], Any] = lambda f: f, **options: Any) -> str:
    """Return the text that the prompt writes for these commands, inside of two functions."""
    out = io.StringIO()

    def loss(x: Any, count: int) -> Any:
        found = {"y": ops.sine(x), "count": count}
        breakpoint(stdin=io.StringIO(commands), stdout=out, **options)  # the line
        return found["y"]

    def training(x: Any) -> Any:
        rate = 0.5
        return ops.multiply(loss(x, 3), np.float32(rate))

    result = wrap(training)(np.float32(1.0))
    np.testing.assert_allclose(np.asarray(result), 0.5 * np.sin(1.0), rtol=1e-6)
    return out.getvalue()


WRAPS: list[Any] = [lambda f: f, jit]


@pytest.mark.parametrize("wrap", WRAPS, ids=["eager", "jit"])
def test_variables_have_elements(wrap: Callable[[Any], Any]) -> None:
    text = prompted("p found['y']\nfound['count'] + 1\npp count\nc\n", wrap)
    assert "loss()" in text
    assert "# the line" in text
    assert "0.84147" in text
    assert "(treadle) 4\n" in text
    assert "(treadle) 3\n" in text


def test_frames_are_walked() -> None:
    text = prompted("where\nup\np rate\nlocals\ndown\np count\ndown\nlist\n", num_frames=2)
    assert text.index("training()") < text.index("0.5")
    assert "rate = 0.5" in text
    assert "*** this is the innermost frame" in text
    assert "->         breakpoint(" in text
    assert "outermost" in prompted("up\nup\n", num_frames=1)


def test_a_wrong_expression_is_reported_and_an_empty_line_does_nothing() -> None:
    text = prompted("undefined\n\n1 +\nc\n")
    assert "*** NameError: name 'undefined' is not defined" in text
    assert "*** SyntaxError" in text


def test_names_of_the_module_are_known() -> None:
    assert "(treadle) <module 'numpy'" in prompted("p np\nc\n")


def test_the_end_of_the_input_goes_on() -> None:
    assert prompted("").count("(treadle)") == 1


@pytest.mark.parametrize("wrap", WRAPS, ids=["eager", "jit"])
def test_quitting_ends_the_call(wrap: Callable[[Any], Any]) -> None:
    with pytest.raises(bdb.BdbQuit):
        prompted("q\n", wrap)


def test_our_own_frames_are_shown_on_request() -> None:
    ours = "/".join(["treadle_runtime", "jitting"])  # which no line of this file says
    assert ours not in prompted("where\nc\n", jit)
    assert ours in prompted("where\nc\n", jit, filter_frames=False)


def test_stops_may_be_ordered_and_pass_a_token_on() -> None:
    out = io.StringIO()

    @jit
    def twice(x: Any) -> Any:
        for step in range(2):
            assert step < 2
            breakpoint(stdin=io.StringIO("p step\n"), stdout=out, ordered=True)
        return x

    twice(np.float32(0))
    assert out.getvalue().index("(treadle) 0") < out.getvalue().index("(treadle) 1")
    assert breakpoint(token=7, stdin=io.StringIO(), stdout=out) == 7


def test_wrong_arguments() -> None:
    with pytest.raises(ArgumentError, match="no backend 'web'"):
        breakpoint(backend="web")
    with pytest.raises(ArgumentError, match="unknown option 'stdinn'"):
        breakpoint(stdinn=None)
    with pytest.raises(ArgumentError, match="num_frames"):
        breakpoint(num_frames="all")  # type: ignore[arg-type]

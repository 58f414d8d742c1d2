"""Wrong arguments of `explain` and `watch`: an error that says what, and what to do."""

from typing import Any

import numpy as np
import pytest

from treadle_insight import explain, watch
from treadle_ir import ArgumentError, ops

X = np.ones(3, np.float32)


@pytest.mark.parametrize("function", [None, 3, "f", X])
def test_explain_takes_a_function(function: Any) -> None:
    with pytest.raises(ArgumentError, match="explain: function must be a function, got"):
        explain(function)


@pytest.mark.parametrize("gradient", ["q", [None], {}, 1.5])
def test_explain_takes_numbers_of_arguments(gradient: Any) -> None:
    with pytest.raises(ArgumentError, match=r"explain: .*gradient must be"):
        explain(ops.sine, gradient=gradient)


def test_explain_of_an_argument_that_there_is_not() -> None:
    with pytest.raises(ArgumentError, match="argnums is 7"):
        explain(ops.sine, gradient=7)(X)


@pytest.mark.parametrize("argument", ["text", object(), None])
def test_explain_of_wrong_arguments(argument: Any) -> None:
    with pytest.raises(ArgumentError):
        explain(lambda x: ops.sine(x))(argument)


@pytest.mark.parametrize("part", ["recompiles", "", 3, None, ["clock"]])
def test_watch_takes_names_of_parts(part: Any) -> None:
    with pytest.raises(ArgumentError, match=r"watch: there is no part(.|\n)*choose from"):
        watch(part)

"""Calls of users' rules: the errors for rules that take other arguments."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import pytest

from treadle_ir import ArgumentError
from treadle_ir.calling import as_rule, ruled


class Callables:
    """Objects that can be called."""

    def __call__(self, x: object) -> object:
        return x


def keyword_only(x: object, y: object, *, z: object) -> object:
    return x, y, z


REFUSED: list[tuple[Callable[..., Any], str]] = [
    (lambda x: x, r"`<lambda>` \(test_user_rules.py:\d+\) takes \(x\)"),
    (lambda: None, r"`<lambda>` .* takes \(\)"),
    (Callables(), r"`Callables` \(test_user_rules.py:\d+\) takes"),
    (
        functools.partial(keyword_only, 1, 2, z=3),
        r"`keyword_only` \(test_user_rules.py:\d+\) takes",
    ),
    (keyword_only, r"`keyword_only` .*z"),
]


@pytest.mark.parametrize(("function", "message"), REFUSED)
def test_a_rule_of_other_arguments_is_named(function: Callable[..., Any], message: str) -> None:
    start = r"^the rule of `f` is called with 2 arguments \(x, y\), but "
    with pytest.raises(ArgumentError, match=start + message) as caught:
        ruled("the rule of `f`", "x, y", function, 1, 2)
    assert "fix: define it as a function of x, y" in "".join(caught.value.__notes__)
    assert caught.value.__context__ is None


def test_errors_from_within_stay() -> None:
    def function(x: object, y: object) -> object:
        return REFUSED[1][0](x, y)

    with pytest.raises(TypeError, match="takes 0 positional arguments") as caught:
        ruled("a rule", "x, y", function, 1, 2)
    assert not isinstance(caught.value, ArgumentError)


def test_functions_without_a_signature_raise_their_own_error() -> None:
    with pytest.raises(TypeError, match="getattr"):
        ruled("a rule", "x", getattr, 1)


def test_calls_that_fit_return() -> None:
    assert ruled("a rule", "x, y", operator.add, 1, 2) == 3
    assert as_rule("a rule", "x, y", operator.sub, 3)(1) == 2

"""Rules and solvers that take too few or too many arguments: the message names the rule, both counts and the line."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import pytest

import treadle
import treadle.numpy as tnp
from treadle import custom_batching, lax
from treadle.custom_derivatives import linear_call
from treadle.errors import ArgumentError

X: Final = tnp.asarray(3.0)
V: Final = tnp.arange(3.0)


def _function(count: int) -> Callable[..., Any]:
    """A function of so many arguments."""
    names = ", ".join(f"a{i}" for i in range(count))
    function: Callable[..., Any] = eval(f"lambda {names}: None")
    return function


def in_jvp(rule: Any) -> Any:
    f = treadle.custom_jvp(lambda x: x)
    f.defjvp(rule)
    return treadle.grad(f)(X)


def in_jvps(rule: Any) -> Any:
    f = treadle.custom_jvp(lambda x, y: x * y)
    f.defjvps(rule, None)
    return treadle.grad(f)(X, X)


def in_forward(rule: Any) -> Any:
    f = treadle.custom_vjp(lambda x: x)
    f.defvjp(rule, lambda kept, ct: (ct,))
    return treadle.grad(f)(X)


def in_backward(rule: Any) -> Any:
    f = treadle.custom_vjp(lambda x: x)
    f.defvjp(lambda x: (x, None), rule)
    return treadle.grad(f)(X)


def in_gradient(rule: Any) -> Any:
    return treadle.grad(treadle.custom_gradient(lambda x: (x, rule)))(X)


def in_vmap(rule: Any) -> Any:
    f = custom_batching.custom_vmap(lambda x: x)
    f.def_vmap(rule)
    return treadle.vmap(f)(V)


def in_matvec(rule: Any) -> Any:
    return lax.custom_linear_solve(rule, V, lambda matvec, b: b)


def in_solve(rule: Any) -> Any:
    return lax.custom_linear_solve(lambda x: x, V, rule)


def in_transpose_solve(rule: Any) -> Any:
    return lax.custom_linear_solve(lambda x: x, V, lambda matvec, b: b, transpose_solve=rule)


def in_root(rule: Any) -> Any:
    return lax.custom_root(rule, X, lambda f, x: x, lambda g, y: y)


def in_root_solve(rule: Any) -> Any:
    return lax.custom_root(lambda x: x, X, rule, lambda g, y: y)


def in_tangent_solve(rule: Any) -> Any:
    return lax.custom_root(lambda x: x, X, lambda f, x: x, rule)


def in_linear_call(rule: Any) -> Any:
    return linear_call(rule, lambda residuals, ct: ct, X, X)


def in_linear_transpose(rule: Any) -> Any:
    return linear_call(lambda residuals, x: x, rule, X, X)


# Each with the number of arguments that its rule takes, and how the message names the rule.
USES: Final = [
    (in_jvp, 2, "the jvp rule of `<lambda>`"),
    (in_jvps, 4, "rule 0 of `<lambda>.defjvps`"),
    (in_forward, 1, "the fwd rule of `<lambda>`"),
    (in_backward, 2, "the bwd rule of `<lambda>`"),
    (in_gradient, 1, "the gradient function of `<lambda>`"),
    (in_vmap, 3, "the batching rule of `<lambda>`"),
    (in_matvec, 1, "matvec of custom_linear_solve"),
    (in_solve, 2, "solve of custom_linear_solve"),
    (in_transpose_solve, 2, "transpose_solve of custom_linear_solve"),
    (in_root, 1, "f of custom_root"),
    (in_root_solve, 2, "solve of custom_root"),
    (in_tangent_solve, 2, "tangent_solve of custom_root"),
    (in_linear_call, 2, "fun of linear_call"),
    (in_linear_transpose, 2, "fun_transpose of linear_call"),
]


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("more", [-1, 1])
@pytest.mark.parametrize(("use", "count", "name"), USES)
def test_the_rule_is_named(
    use: Callable[[Any], Any], count: int, name: str, more: int, partial: bool
) -> None:
    rule = _function(count + more)
    with pytest.raises(ArgumentError) as caught:
        use(functools.partial(rule) if partial else rule)
    plural = "" if count == 1 else "s"
    given = ", ".join(f"a{i}" for i in range(count + more))
    message = str(caught.value)
    assert message.startswith(f"{name} is called with {count} argument{plural} (")
    assert f"`<lambda>` (<string>:1) takes ({given})" in message.splitlines()[0]
    assert any("fix: " in note for note in caught.value.__notes__)

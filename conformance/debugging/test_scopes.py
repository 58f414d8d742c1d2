"""`named_scope` and `named_call`: names in the compiler's text and in what XLA made of it, so in profiles."""

from __future__ import annotations

import re
from typing import Any

import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError


def names(function: Any, *arguments: Any) -> set[str]:
    """The names in the optimised program, as a profile shows them."""
    text = treadle.jit(function).lower(*arguments).compile().as_text()
    return {name for found in re.findall(r'op_name="([^"]*)"', text) for name in found.split(";")}


def layer(x: Any) -> Any:
    with treadle.named_scope("layer"):
        y = tnp.sin(x)
        with treadle.named_scope("inner"):
            y = tnp.exp(y)
    return y * 3


def test_names_are_nested_and_end_with_the_block() -> None:
    text = treadle.jit(layer).lower(1.0).as_text(debug_info=True)
    assert '"layer/sine"' in text
    assert '"layer/inner/exponential"' in text
    assert not re.search(r"layer[\w/]*/multiply", text)
    assert "test_scopes.py" in text
    assert {"layer/sine", "layer/inner/exponential"} <= names(layer, 1.0)


@pytest.mark.parametrize("wrap", [lambda f: f, treadle.vmap], ids=["plain", "vmap"])
def test_names_go_through_grad_and_vmap(wrap: Any) -> None:
    found = names(wrap(treadle.grad(layer)), tnp.ones(3) if wrap is treadle.vmap else 1.0)
    assert {"layer/sine", "layer/inner/exponential"} <= found
    assert any(name.startswith("transpose(layer/inner)/") for name in found)
    assert any(name.startswith("transpose(layer)/") for name in found)


def test_names_go_into_jitted_functions_loops_and_branches() -> None:
    jitted = treadle.jit(layer)

    def outer(x: Any) -> Any:
        with treadle.named_scope("outer"):
            x = jitted(x)
            x = treadle.lax.scan(lambda c, _: (layer(c), None), x, None, length=2)[0]
            return treadle.lax.cond(x > 0, layer, lambda y: y, x)

    found = names(outer, 1.0)
    of_layer = {name for name in found if name.endswith("layer/inner/exponential")}
    assert of_layer
    assert all(name.startswith("outer/") for name in of_layer)
    assert "outer/compare" in found


def test_a_function_that_is_traced_in_a_scope_has_no_name_of_it_elsewhere() -> None:
    @treadle.jit
    def shared(x: Any) -> Any:
        return tnp.sin(x) + tnp.cos(x) + tnp.tan(x) + tnp.exp(x) + x

    def first(x: Any) -> Any:
        with treadle.named_scope("elsewhere"):
            return shared(x)

    names(first, 1.0)
    assert not any("elsewhere" in name for name in names(lambda x: shared(x) * 2, 1.0))


def test_decorators_and_named_call() -> None:
    @treadle.named_scope("decorated")
    def f(x: Any) -> Any:
        return tnp.sin(x)

    def g(x: Any) -> Any:
        return tnp.cos(x)

    found = names(
        lambda x: f(x) + treadle.named_call(g)(x) + treadle.named_call(g, name="h")(x), 1.0
    )
    assert "decorated/sine" in found
    assert {"g/cosine", "h/cosine"} & found
    assert treadle.named_call(g).__name__ == "g"


def test_scopes_are_left_when_something_is_raised() -> None:
    with pytest.raises(KeyError), treadle.named_scope("left"):
        raise KeyError
    assert not any("left" in name for name in names(lambda x: tnp.sin(x), 1.0))


@pytest.mark.parametrize(
    "call",
    [
        lambda: treadle.named_scope(3),  # type: ignore[arg-type]
        lambda: treadle.named_call(3),  # type: ignore[type-var]
        lambda: treadle.named_call(layer, name=3),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_name_is_refused(call: Any) -> None:
    with pytest.raises(ArgumentError):
        call()


def test_programs_without_scopes_have_the_text_that_they_had() -> None:
    assert "loc(" not in treadle.jit(lambda x: tnp.sin(x) * 2).lower(1.0).as_text()

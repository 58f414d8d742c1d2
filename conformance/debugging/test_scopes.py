"""`named_scope` and `named_call`: names in the compiler's text and in what XLA made of it, so in profiles."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import ArgumentError
from treadle_ir.events import ProgramCompiled, listening


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> Any:
    """An executable from the disk has the names of the process that compiled it."""
    before = treadle.config.read("enable_compilation_cache")
    treadle.config.update("treadle_enable_compilation_cache", False)
    treadle.clear_caches()
    yield
    treadle.config.update("treadle_enable_compilation_cache", before)


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
    assert {"jit(layer)/layer/sine", "jit(layer)/layer/inner/exponential"} <= names(layer, 1.0)


@pytest.mark.parametrize(("wrap", "around"), [(lambda f: f, "{}"), (treadle.vmap, "vmap({})")])
def test_names_go_through_grad_and_vmap(wrap: Any, around: str) -> None:
    found = names(wrap(treadle.grad(layer)), tnp.ones(3) if wrap is treadle.vmap else 1.0)
    forward, backward = around.format("jvp(layer)"), around.format("transpose(jvp(layer))")
    assert {
        f"jit(layer)/{forward}/inner/exponential",
        f"jit(layer)/{forward}/sine",
        f"jit(layer)/{backward}/inner/multiply",
        f"jit(layer)/{backward}/multiply",
    } <= found


def test_a_scope_around_a_derivative_stays_outside() -> None:
    def outer(x: Any) -> Any:
        with treadle.named_scope("outer"):
            return treadle.grad(layer)(x)

    assert {
        "jit(outer)/outer/jvp(layer)/inner/exponential",
        "jit(outer)/outer/transpose(jvp(layer))/inner/multiply",
    } <= names(outer, 1.0)


PATHS = ("jit(layer)", "while/body", "cond/branch_1_fun")


def test_names_go_into_jitted_functions_loops_and_branches() -> None:
    jitted = treadle.jit(layer)

    def outer(x: Any) -> Any:
        with treadle.named_scope("outer"):
            x = jitted(x)
            x = treadle.lax.scan(lambda c, _: (layer(c), None), x, None, length=2)[0]
            return treadle.lax.cond(x > 0, layer, lambda y: y, x)

    found = names(outer, 1.0)
    of_layer = {name for name in found if name.endswith("layer/inner/exponential")}
    assert {f"jit(outer)/outer/{path}/layer/inner/exponential" for path in PATHS} <= of_layer
    assert "jit(outer)/outer/compare" in found


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
    assert "jit(<lambda>)/decorated/sine" in found
    assert {"jit(<lambda>)/g/cosine", "jit(<lambda>)/h/cosine"} & found
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


def inner(x: Any) -> Any:
    return tnp.sin(x)


def total(x: Any) -> Any:
    with treadle.named_scope("layer"):
        return tnp.sin(x).sum()


VECTOR, MATRIX = np.arange(3, dtype=np.float32), np.ones((3, 3), np.float32)
# What JAX 0.10 and 0.12 name operations of the same programs, but for `sin`, which is `sine` here, and the like.
OF_JAX: dict[str, tuple[Any, Any, set[str]]] = {
    "plain": (inner, VECTOR, {"jit(inner)/sine"}),
    "grad": (treadle.grad(total), VECTOR, {"jit(total)/jvp(layer)/cosine"}),
    "vmap": (treadle.vmap(inner), MATRIX, {"jit(inner)/vmap()/sine"}),
    "vmap of grad": (
        treadle.vmap(treadle.grad(total)),
        MATRIX,
        {"jit(total)/vmap(jvp(layer))/cosine"},
    ),
    "grad of vmap": (
        treadle.grad(lambda x: treadle.vmap(total)(x).sum()),
        MATRIX,
        {"jit(<lambda>)/jvp(vmap(layer))/cosine"},
    ),
    "jit in jit": (
        lambda x: treadle.jit(inner)(x) * 2,
        VECTOR,
        {"jit(<lambda>)/jit(inner)/sine", "jit(<lambda>)/multiply"},
    ),
    "grad of jit in jit": (
        treadle.grad(lambda x: (treadle.jit(inner)(x) * 2).sum()),
        VECTOR,
        {
            "jit(<lambda>)/jvp(jit(inner))/cosine",
            "jit(<lambda>)/transpose(jvp(jit(inner)))/multiply",
        },
    ),
    "while": (
        lambda x: lax.while_loop(lambda c: c < 10, lambda c: c * 2, x),
        np.float32(1),
        {"jit(<lambda>)/while/body/multiply", "jit(<lambda>)/while/cond/compare"},
    ),
    "cond": (
        lambda x: lax.cond(x > 0, tnp.sin, tnp.cos, x),
        np.float32(1),
        {"jit(<lambda>)/cond/branch_0_fun/cosine", "jit(<lambda>)/cond/branch_1_fun/sine"},
    ),
}


@pytest.mark.parametrize("name", OF_JAX)
def test_names_carry_transformations_as_those_of_jax_do(name: str) -> None:
    function, argument, expected = OF_JAX[name]
    assert expected <= names(function, argument)


@pytest.mark.parametrize("name", OF_JAX)
def test_the_text_that_executables_are_found_by_has_no_transformations(name: str) -> None:
    function, argument, _ = OF_JAX[name]
    text = treadle.jit(function).lower(argument).as_text()
    assert not re.search(r"jvp|vmap|jit\(", text)


def test_functions_that_differ_in_their_names_only_share_an_executable() -> None:
    compiled = []
    with listening(lambda event: compiled.append(type(event))):
        treadle.jit(treadle.grad(lambda x: tnp.sin(x) * 1.25))(1.0)
        treadle.jit(lambda y: treadle.jit(treadle.grad(lambda x: tnp.sin(x) * 1.25))(y))(1.0)
    assert compiled.count(ProgramCompiled) == 1

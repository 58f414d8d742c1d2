from __future__ import annotations

from typing import Any

import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError
from treadle.extend import source_info_util as info
from treadle.extend.source_info_util import NameStack, SourceInfo, new_name_stack


def scope_of(f: Any) -> str:
    """The scope of the first operation of a function."""
    return str(treadle.make_jaxpr(f)(1.0).eqns[0].source_info.name_stack)


def test_names_after_a_transformation_go_into_its_brackets() -> None:
    a = new_name_stack("a")
    assert str(a.extend("b").transform("jvp").extend("c")) == "a/b/jvp(c)"
    assert str(NameStack().transform("vmap")) == "vmap()"
    assert str(NameStack().transform("jvp").extend("x").extend("y")) == "jvp(x)/y"
    assert str(NameStack().transform("jvp").transform("vmap").extend("x")) == "jvp(vmap(x))"
    assert str(a.transform("t").extend("p").transform("u").extend("q")) == "a/t(p)/u(q)"
    assert str(NameStack()) == ""


def test_stacks_are_values() -> None:
    both = new_name_stack("a") + new_name_stack("b")
    assert both == NameStack().extend("a").extend("b")
    assert hash(both) == hash(new_name_stack("a").extend("b"))
    assert len(both) == 2
    assert both[:1] == new_name_stack("a")
    assert new_name_stack() == NameStack()


def test_the_blocks() -> None:
    with treadle.named_scope("enc"):
        with info.extend_name_stack("z") as stack:
            assert str(stack) == str(info.current_name_stack()) == "enc/z"
        with info.set_name_stack(new_name_stack("q")):
            assert str(info.current_name_stack()) == "q"
        with info.reset_name_stack():
            assert str(info.current_name_stack()) == ""
        with info.transform_name_stack("jvp"), treadle.named_scope("in"):
            assert str(info.current_name_stack()) == "enc/jvp(in)"
        assert str(info.current_name_stack()) == "enc"
    assert str(info.current_name_stack()) == ""


def test_scopes_reach_programs_and_compiled_text() -> None:
    def f(x: treadle.Array) -> treadle.Array:
        with (
            info.extend_name_stack("outer"),
            info.transform_name_stack("turn"),
            treadle.named_scope("inner"),
        ):
            return tnp.sin(x)

    assert scope_of(f) == "outer/turn(inner)"
    assert "outer/turn(inner)/sine" in treadle.jit(f).lower(tnp.float32(1)).as_text(debug_info=True)


def test_an_interpreter_that_keeps_lines_and_names() -> None:
    def f(x: treadle.Array) -> treadle.Array:
        with treadle.named_scope("inner"):
            return tnp.sin(x)  # the line

    def again(x: treadle.Array) -> treadle.Array:
        (eqn,) = treadle.make_jaxpr(f)(1.0).eqns
        with treadle.named_scope("ignored"):
            seen = eqn.source_info
            with info.user_context(seen.traceback, name_stack=seen.name_stack):
                return eqn.primitive.bind(x, **eqn.params)

    (first,) = treadle.make_jaxpr(f)(1.0).eqns
    (second,) = treadle.make_jaxpr(again)(1.0).eqns
    assert "# the line" in str(first.source_info)
    assert info.summarize(second.source_info) == info.summarize(first.source_info)
    assert second.source_info.name_stack == first.source_info.name_stack


def test_an_interpreter_may_replace_names() -> None:
    jaxpr = treadle.make_jaxpr(tnp.sin)(1.0).jaxpr
    eqn = jaxpr.eqns[0]
    named = eqn.replace(source_info=eqn.source_info.replace(name_stack=new_name_stack("mine")))
    (found,) = jaxpr.replace(eqns=[named]).eqns
    assert str(found.source_info.name_stack) == "mine"


def test_summaries() -> None:
    here = info.current()
    assert isinstance(here, SourceInfo)
    file, _, rest = info.summarize(here).rpartition(":")
    assert file == __file__
    assert rest.endswith("(test_summaries)")
    assert info.summarize(info.new_source_info()) == ""
    assert info.new_source_info().replace(name_stack=new_name_stack("x")).name_stack.stack


@pytest.mark.parametrize(
    "call",
    [
        lambda: info.set_name_stack("a").__enter__(),  # type: ignore[arg-type]
        lambda: info.extend_name_stack(3).__enter__(),  # type: ignore[arg-type]
        lambda: info.transform_name_stack(3).__enter__(),  # type: ignore[arg-type]
        lambda: NameStack().extend(3),  # type: ignore[arg-type]
        lambda: info.user_context("line").__enter__(),  # type: ignore[arg-type]
        lambda: info.user_context(None, name_stack="x").__enter__(),  # type: ignore[arg-type]
        lambda: info.summarize(3),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_stack_is_refused(call: Any) -> None:
    with pytest.raises(ArgumentError):
        call()
    assert str(info.current_name_stack()) == ""

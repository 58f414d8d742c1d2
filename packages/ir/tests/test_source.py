"""Where operations come from: lines, scopes, and the equations that are interpreted again."""

from __future__ import annotations

import numpy as np

from treadle_ir import ArrayType, Program, Tracer, interpret, named_scope, ops, source, stage

F32 = ArrayType((), np.dtype(np.float32))


def body(x: Tracer) -> list[object]:
    return [ops.sine(x)]  # the line of the sine


def sources(program: Program) -> list[source.Source]:
    return [equation.source for equation in program.equations]


def test_what_is_interpreted_keeps_its_lines_and_scopes() -> None:
    def scoped(x: Tracer) -> list[object]:
        with named_scope("named"):
            return body(x)

    inner = stage(scoped, F32).program  # type: ignore[arg-type]
    outer = stage(lambda x: interpret(inner, x), F32).program
    (found,) = sources(outer)
    assert "the line of the sine" in found.show()
    assert found.scope == "named"


def test_a_program_that_is_staged_in_a_scope_has_scopes_of_its_own() -> None:
    def nesting(x: Tracer) -> list[object]:
        with named_scope("outer"):
            (inner,) = sources(stage(body, F32).program)  # type: ignore[arg-type]
            assert inner.scope == ""
            return body(x)

    (found,) = sources(stage(nesting, F32).program)  # type: ignore[arg-type]
    assert found.scope == "outer"
    assert source.place.get() is None


def test_a_place_in_another_scope() -> None:
    (plain,) = sources(stage(body, F32).program)  # type: ignore[arg-type]
    moved = source.rescoped(plain, "a/b")
    assert (moved.scope, moved.line) == ("a/b", plain.line)
    assert source.rescoped(plain, "") is plain
    assert source.rescoped(source.NOWHERE, "a") is source.NOWHERE

"""Which axes values vary over, and where that is written down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from treadle_ir import Array, ArrayType, Operand, Primitive, Program, bind, ops, stage
from treadle_ir.analysis.verifier import verify
from treadle_ir.primitives.call import Call, Checkpoint
from treadle_ir.primitives.collective import Vary
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.primitives.metadata import XlaMetadata
from treadle_ir.settings import named_axis
from treadle_ir.sharding import explicit, varying, varying_of
from treadle_ir.tracing import stage_tree

F: ArrayType = ArrayType((3,), np.dtype(np.float32))
X = frozenset({"x"})
XY = frozenset({"x", "y"})
NONE = frozenset[str]()


def program(function: object, *types: ArrayType) -> Program:
    with named_axis("x", 2, "manual"), named_axis("y", 4, "manual"):
        return stage(function, *types).program  # type: ignore[arg-type]


def varies(made: Program) -> list[tuple[object, ...]]:
    return [e.primitive.axis_names for e in made.equations if isinstance(e.primitive, Vary)]


def test_an_operand_that_varies_over_less_is_widened_once() -> None:
    made = program(lambda w, x: [ops.add(ops.multiply(w, x), w)], F, F)
    found = explicit(made, [NONE, X], XY)
    assert found.results == (X,)
    assert varies(found.program) == [("x",)]


def test_it_is_written_down_once() -> None:
    made = program(lambda w, x: [ops.multiply(w, x)], F, F)
    once = explicit(made, [NONE, X], XY).program
    twice = explicit(once, [NONE, X], XY).program
    assert len(once.equations) == len(twice.equations) == 2


def test_a_sum_is_the_same() -> None:
    made = program(lambda x: [ops.all_reduce(x, reduction="add", axis_name="x")], F)
    assert explicit(made, [XY], XY).results == (frozenset({"y"}),)


def test_a_sum_of_what_is_the_same_is_of_one_value_on_each_device() -> None:
    made = program(lambda x: [ops.all_reduce(x, reduction="add", axis_name="x")], F)
    found = explicit(made, [NONE], XY)
    assert found.results == (NONE,)
    assert varies(found.program) == [("x",)]


def test_results_of_a_part_with_attributes_vary_each_by_itself() -> None:
    inner = program(lambda w, x: [ops.sine(w), ops.multiply(w, x)], F, F)
    made = program(lambda w, x: bind(XlaMetadata(inner, (("a", "b"),)), w, x), F, F)
    assert explicit(made, [NONE, X], XY).results == (NONE, X)


def test_the_place_varies() -> None:
    made = program(lambda: [ops.axis_index("y")])
    assert explicit(made, [], XY).results == (frozenset({"y"}),)


def test_a_carry_varies_if_an_iteration_makes_it() -> None:
    def rounds(c: Operand, x: Operand) -> Sequence[Array]:
        body = stage(lambda x, c: [ops.add(c, x)], F, F).program
        return bind(Scan(body, 3, 1, 1), x, c)

    found = explicit(program(rounds, F, F), [NONE, X], XY)
    assert found.results == (X,)
    assert varies(found.program) == [("x",)]  # of the first carry


def test_loops_in_loops_are_looked_at_a_few_times_each(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[Primitive] = []
    step_of = varying.step_of

    def counted(primitive: Primitive, *rest: Any) -> Any:
        looked_at.append(primitive)
        return step_of(primitive, *rest)

    monkeypatch.setattr(varying, "step_of", counted)
    depth = 12
    made = program(lambda w, x: [w, ops.multiply(w, x)], F, F)
    for _ in range(depth):
        loop = Scan(made, 2, 0, 2)
        made = program(lambda w, x, loop=loop: [*bind(loop, w, x)], F, F)
    found = explicit(made, [NONE, X], XY)
    assert found.results == (NONE, X)
    assert len(looked_at) < 10 * depth


def test_results_are_widened_as_wanted() -> None:
    made = program(lambda x: [x], F)
    found = explicit(made, [NONE], XY, [X])
    assert found.results == (X,)
    assert varies(found.program) == [("x",)]


def test_a_trace_answers_while_it_is_written() -> None:
    seen = []

    def function(w: Operand, x: Operand) -> tuple[Sequence[Operand], None]:
        product = ops.multiply(w, x)
        seen.append(varying_of([w, x, product]))
        total = ops.all_reduce(product, reduction="add", axis_name="x")
        seen.append(varying_of([total, 2.0]))
        return [total], None

    with named_axis("x", 2, "manual"):
        stage_tree(function, F, F, varies=[NONE, X])
        stage_tree(function, F, F)  # nothing is said of the arguments: they vary over all
    assert seen == [(NONE, X, X), (NONE, NONE), (X, X, X), (NONE, NONE)]


def test_nothing_is_asked_outside_of_checked_axes() -> None:
    with named_axis("x", 2), named_axis("y", 2, "unchecked"):
        assert varying_of([1.0]) is None


def test_what_varies_already_does_not_begin_to() -> None:
    made = program(lambda x: [ops.vary(x, axis_name=("x", "y"))], F)
    assert varies(explicit(made, [X], XY).program) == [("y",)]


def _around(name: str) -> Program:
    """A program with a product of what does not vary and what does, within a call, a branch or a loop."""
    product = program(lambda w, x: [ops.multiply(w, x)], F, F)
    first = program(lambda w, x: [w], F, F)
    carried = program(lambda w, x: [ops.multiply(w, x), x], F, F)
    once = program(lambda w, x: [np.bool_(False)], F, F)
    made: dict[str, Primitive] = {
        "call": Call(product),
        "checkpoint": Checkpoint(product),
        "case": Case((first, product)),
        "scan": Scan(program(lambda w, x: [w, ops.multiply(w, x)], F, F), 1, 0, 1),
        "while": While(once, carried, 0, 0),
    }
    if name == "scan":
        return program(lambda w, x: bind(made[name], w, ops.reshape(x, shape=(1, 3))), F, F)
    index = (np.int32(0),) if name == "case" else ()
    return program(lambda w, x: bind(made[name], *index, w, x), F, F)


@pytest.mark.parametrize("name", ["call", "checkpoint", "case", "scan", "while"])
def test_what_holds_steps_has_their_effects(name: str) -> None:
    outer = program(lambda w, x: bind(Call(_around(name)), w, x), F, F)
    found = explicit(outer, [NONE, X], X, [X] * len(outer.results)).program
    verify(found)
    assert found.effects

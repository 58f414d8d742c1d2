"""Which axes values vary over, as types say it, and where casts are recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from treadle_ir import (
    Array,
    ArrayType,
    Equation,
    Operand,
    Primitive,
    Program,
    VerifyError,
    bind,
    ops,
    parse_program,
    print_program,
    stage,
    type_of,
)
from treadle_ir.analysis.verifier import verify
from treadle_ir.core.mesh import AbstractMesh
from treadle_ir.core.values import Value
from treadle_ir.primitives.call import Call, Checkpoint
from treadle_ir.primitives.collective import PVary
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.primitives.metadata import METADATA, XlaMetadata
from treadle_ir.primitives.shard_map import ShardMap
from treadle_ir.rewrite import optimise, without_shardings
from treadle_ir.settings import named_axis
from treadle_ir.sharding import fitted_shard_map, varying

F: ArrayType = ArrayType((3,), np.dtype(np.float32))
X = frozenset({"x"})
Y = frozenset({"y"})
NONE = frozenset[str]()
FX: ArrayType = F.with_varying(X)


def program(function: Callable[..., Sequence[Operand]], *types: ArrayType) -> Program:
    with named_axis("x", 2, "manual"), named_axis("y", 4, "manual"):
        made = stage(function, *types).program
    verify(made)
    return made


def casts(made: Program) -> list[tuple[object, ...]]:
    return [e.primitive.axis_names for e in made.equations if isinstance(e.primitive, PVary)]


def results(made: Program) -> list[frozenset[str]]:
    return [type.varying for type in made.result_types]


def test_an_operand_that_varies_over_less_is_cast_once() -> None:
    made = program(lambda w, x: [ops.add(ops.multiply(w, x), w)], F, FX)
    assert results(made) == [X]
    assert casts(made) == [("x",)]


def test_integers_and_literals_are_not_cast() -> None:
    whole = ArrayType((3,), np.dtype(np.int32))
    made = program(lambda n, x: [ops.add(n, x)], whole, whole.with_varying(X))
    assert (results(made), casts(made)) == ([X], [])
    made = program(lambda x: [ops.multiply(np.float32(2), x)], FX.with_shape(()))
    assert (results(made), casts(made)) == ([X], [])


def test_a_sum_is_the_same() -> None:
    made = program(
        lambda x: [ops.all_reduce(x, reduction="add", axis_name="x")], F.with_varying(X | Y)
    )
    assert results(made) == [Y]


def test_a_sum_of_what_is_the_same_is_of_one_value_on_each_device() -> None:
    made = program(lambda x: [ops.all_reduce(x, reduction="add", axis_name="x")], F)
    assert (results(made), casts(made)) == ([NONE], [("x",)])


def test_results_of_a_part_with_attributes_vary_each_by_itself() -> None:
    inner = program(lambda w, x: [ops.sine(w), ops.multiply(w, x)], F, F)
    made = program(lambda w, x: bind(XlaMetadata(inner, (("a", "b"),)), w, x), F, FX)
    assert results(made) == [NONE, X]


def test_an_operation_with_attributes_varies() -> None:
    def function(w: Operand, x: Operand) -> Sequence[Operand]:
        with METADATA.override((("a", "b"),)):
            return [ops.multiply(w, x)]

    assert results(program(function, F, FX)) == [X]


def test_the_place_varies() -> None:
    assert results(program(lambda: [ops.axis_index("y")])) == [Y]


def test_a_carry_varies_if_an_iteration_makes_it() -> None:
    def rounds(c: Operand, x: Operand) -> Sequence[Array]:
        body = stage(lambda x, c: [ops.add(c, x)], FX, F).program
        return bind(Scan(body, 3, 1, 1), x, c)

    made = program(rounds, F, FX)
    assert results(made) == [X]
    assert casts(made) == [("x",)]  # of the first carry


def test_a_literal_that_a_branch_or_an_iteration_returns_varies_as_the_others_do() -> None:
    zero = np.float32(0)
    scalar, varying_scalar = F.with_shape(()), FX.with_shape(())
    branches = (
        program(lambda x: [zero], varying_scalar),
        program(lambda x: [x], varying_scalar),
    )
    made = program(lambda x: bind(Case(branches), np.int32(0), x), varying_scalar)
    assert results(made) == [X]
    body = program(lambda c: [zero], scalar)
    made = program(lambda x: bind(Scan(body, 3, 0, 1), x), varying_scalar)
    assert results(made) == [X]


def test_what_a_branch_takes_is_cast_before_devices_choose_by_themselves() -> None:
    branches = tuple([program(lambda w, f=f: [f(w)], F) for f in (ops.sine, ops.cosine)])
    index = ArrayType((), np.dtype(np.int32), varying=X)
    made = program(lambda i, w: bind(Case(branches), i, w), index, F)
    assert (results(made), casts(made)) == ([X], [("x",)])
    (case,) = [e.primitive for e in made.equations if isinstance(e.primitive, Case)]
    assert not any(map(casts, case.branches))


def test_loops_in_loops_are_looked_at_a_few_times_each(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[Primitive] = []
    operand_axes = varying.operand_axes

    def counted(primitive: Primitive, *rest: Any) -> Any:
        looked_at.append(primitive)
        return operand_axes(primitive, *rest)

    depth = 12
    made = program(lambda w, x: [w, ops.multiply(w, x)], F, F)
    for _ in range(depth):
        loop = Scan(made, 2, 0, 2)
        made = program(lambda w, x, loop=loop: [*bind(loop, w, x)], F, F)
    monkeypatch.setattr(varying, "operand_axes", counted)
    found = program(lambda w, x: bind(Call(made), w, x), F, FX)
    assert results(found) == [NONE, X]
    assert depth < len(looked_at) < 10 * depth


def test_results_of_a_shard_map_are_cast_to_vary_along_the_axes_of_their_layout() -> None:
    mesh, whole, parts = AbstractMesh((2,), ("x",)), ((),), (("x",),)
    body = stage(lambda w: [w], F).program
    made = fitted_shard_map(ShardMap(body, mesh, (whole,), (parts,), ("x",)))
    assert (results(made.body), casts(made.body)) == ([X], [("x",)])
    assert fitted_shard_map(made) is made
    unchecked = ShardMap(body, mesh, (whole,), (parts,), ("x",), checked=False)
    assert fitted_shard_map(unchecked) is unchecked


def test_tracers_say_what_they_vary_over() -> None:
    seen = []

    def function(w: Operand, x: Operand) -> Sequence[Operand]:
        product = ops.multiply(w, x)
        total = ops.all_reduce(product, reduction="add", axis_name="x")
        seen.extend([type_of(each).varying for each in (w, x, product, total, 2.0)])
        return [total]

    program(function, F, FX)
    assert seen == [NONE, X, X, NONE, NONE]


def test_nothing_varies_over_axes_that_are_not_checked() -> None:
    with named_axis("x", 2), named_axis("y", 2, "unchecked"):
        made = stage(lambda: [ops.axis_index("x"), ops.axis_index("y")]).program
        same = stage(lambda x: [ops.pvary(x, axis_name=("x", "y"))], F).program
    assert results(made) == [NONE, NONE]
    assert not same.equations


def test_what_varies_already_does_not_begin_to() -> None:
    made = program(lambda x: [ops.pvary(x, axis_name=("x", "y"))], FX)
    assert casts(made) == [("y",)]
    assert results(made) == [X | Y]


def _around(name: str, *types: ArrayType) -> Program:
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
        return program(lambda w, x: bind(made[name], w, ops.reshape(x, shape=(1, 3))), *types)
    index = (np.int32(0),) if name == "case" else ()
    return program(lambda w, x: bind(made[name], *index, w, x), *types)


@pytest.mark.parametrize("name", ["call", "checkpoint", "case", "scan", "while"])
def test_programs_that_operations_hold_are_made_for_what_varies(name: str) -> None:
    inner = _around(name, F, F)
    assert {*results(inner)} == {NONE}
    # Where it is recorded, and where it is in a program that was staged for operands that do not vary.
    for made in (
        _around(name, F, FX),
        program(lambda w, x: bind(Call(inner), w, x), F, FX),
    ):
        assert results(made)[-1] == X
        verify(made)
        text = print_program(made)
        assert "vary" in text
        again = parse_program(text)
        assert print_program(again) == text
        assert results(again) == results(made)


def test_the_verifier_refuses_results_that_vary_over_more_than_they_say() -> None:
    made = program(lambda x: [ops.sine(x)], FX)
    (equation,) = made.equations
    result = Value(F)
    wrong = Equation(equation.primitive, equation.operands, (result,), equation.effects)
    with pytest.raises(VerifyError, match=r"result 0 has the type f32\[3\], but it varies as"):
        verify(Program(made.parameters, (wrong,), (result,)))
    inner = program(lambda w, x: [ops.sine(w)], F, FX)
    x, result = Value(FX), Value(F)
    call = Equation(Call(inner), (x, x), (result,), frozenset())
    with pytest.raises(VerifyError, match=r"operand 0 has the type f32\[3\]\{V:x\}, but"):
        verify(Program((x,), (call,), (result,)))


def test_what_is_compiled_has_no_casts_and_plain_types() -> None:
    made = program(lambda w, x: [ops.add(ops.multiply(w, x), w)], F, FX)
    found = optimise(made)
    verify(found)
    assert [e.primitive.name for e in found.equations] == ["multiply", "add"]
    plain = without_shardings(found)
    verify(plain)
    assert "{V:" not in print_program(plain)


def test_types_with_varying_axes() -> None:
    assert FX is not F
    assert FX is F.with_varying(frozenset({"x"}))
    assert FX.plain is F
    assert FX.strong() is F
    assert FX.unsharded is FX
    assert FX.with_shape((2, 3)).without_leading_axis() is FX
    assert FX.tangent() is FX
    assert FX.with_dtype(np.dtype(np.int32)).tangent().varying == X
    assert str(F.with_varying(X | Y)) == "f32[3]{V:(x,y)}"

from __future__ import annotations

import copy
import pickle
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import (
    AbstractMesh,
    ArrayType,
    AxisType,
    ParseError,
    Program,
    Sharding,
    VerifyError,
    equal_programs,
    ops,
    parse_program,
    print_program,
    stage,
    verify_program,
)
from treadle_ir.core import PartialSums, explicit_part, with_partial_sums
from treadle_ir.core.equality import program_hash
from treadle_ir.core.program import Equation
from treadle_ir.core.values import Value
from treadle_ir.primitives.call import Call
from treadle_ir.rewrite import inline, optimise, without_shardings
from treadle_ir.sharding.specialised import specialised
from treadle_ir.testing.shardings import MESH, sharded
from treadle_ir.tracing import auto_axes, over_mesh

F4 = np.dtype("f4")
NAMES = ("x", "y", "data", "my axis", 'a"b', "(", "1")


@st.composite
def meshes(draw: st.DrawFn) -> AbstractMesh:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    return AbstractMesh((2,) * len(names), tuple(names), (AxisType.Explicit,) * len(names))


@st.composite
def types(draw: st.DrawFn, over: AbstractMesh | None = None) -> ArrayType:
    mesh = draw(meshes()) if over is None else over
    ndim = draw(st.integers(0, 3))
    dims: list[tuple[str, ...]] = [()] * ndim
    partial: dict[str, set[str]] = {"unreduced": set(), "reduced": set()}
    for name in draw(st.permutations(mesh.axis_names)):
        place = draw(st.sampled_from(["", *partial, *range(ndim)]))
        if isinstance(place, int):
            dims[place] = (*dims[place], name)
        elif place:
            partial[place].add(name)
    sums = PartialSums(frozenset(partial["unreduced"]), frozenset(partial["reduced"]))
    return ArrayType(
        (16,) * ndim, F4, draw(st.booleans()), Sharding(mesh, with_partial_sums(dims, sums))
    )


def alone(*of: ArrayType) -> Program:
    """A program that returns its parameters."""
    parameters = tuple([Value(each) for each in of])
    return Program(parameters, (), parameters)


@given(types())
@settings(deadline=None, max_examples=150)
def test_texts_pickles_and_copies_keep_shardings(kind: ArrayType) -> None:
    program = alone(kind, kind.unsharded)
    assert parse_program(print_program(program)).parameter_types == (kind, kind.unsharded)
    assert pickle.loads(pickle.dumps(kind)) is kind
    assert copy.deepcopy(kind) is kind


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_programs_that_differ_in_a_sharding_are_different(data: st.DataObject) -> None:
    mesh = data.draw(meshes())
    one, other = data.draw(types(mesh)), data.draw(types(mesh))
    first, second = alone(one), alone(other)
    assert equal_programs(first, second) == (one is other)
    if one is not other:
        assert program_hash(first) != program_hash(second)
        assert print_program(first) != print_program(second)
    assert equal_programs(first, alone(one))
    assert program_hash(first) == program_hash(alone(one))


def test_one_object_that_does_not_change() -> None:
    one = Sharding(MESH, (("x",), ()))
    assert one is Sharding(
        AbstractMesh(MESH.axis_sizes, MESH.axis_names, MESH.axis_types), one.dims
    )
    assert one is not Sharding(
        MESH, with_partial_sums(one.dims, PartialSums(unreduced=frozenset({"y"})))
    )
    with pytest.raises(AttributeError, match="immutable"):
        one.dims = ()  # type: ignore[misc]
    assert one.over(MESH) is one
    only_y = MESH.with_types(AxisType.Auto, ["x"])
    assert one.over(only_y) is Sharding(only_y, ((), ()))
    assert explicit_part((None, ("x", "y")), only_y) is Sharding(only_y, ((), ("y",)))


def test_types_are_written_with_their_shardings() -> None:
    texts = ["f32[8@x,4]", "f32[8@(x,y),4]", "f32[8,4]{}", "f32[8,4@y]{U:x}", "f32[8@x,4]{R:y}"]
    given_ = ["8@x,4", "8@(x,y),4", "8,4", "8,4@y{U:x}", "8@x,4{R:y}"]
    assert [str(sharded(each)) for each in given_] == texts
    assert str(sharded("8@x,4").unsharded) == "f32[8,4]"
    weak = ArrayType((), F4, True, sharded("").sharding)
    assert str(weak) == "f32[]*{}"
    assert weak.strong() is ArrayType((), F4)


def staged() -> Program:
    """A program over two meshes, with a part that is left to the compiler."""

    def function(x: object, y: object) -> list[object]:
        z = ops.add(x, y)  # type: ignore[arg-type]
        with auto_axes(["y"]):
            part = ops.sine(z)
        with auto_axes():
            unknown = ops.sine(z)
        return [z, part, unknown, ops.reduce_add(z, axes=(0, 1))]

    with over_mesh(MESH):
        return stage(function, sharded("8@x,4"), sharded("8,4@y")).program  # type: ignore[arg-type]


def test_a_program_shows_shardings_and_is_read_back() -> None:
    program = staged()
    shown = [str(each) for each in program.result_types]
    assert shown == ["f32[8@x,4@y]", "f32[8@x,4]", "f32[8,4]", "f32[]{}"]
    text = print_program(program)
    assert text.count("\nmesh @") == 2
    assert "(f32[8@x,4@y], f32[8@x,4]{@mesh1}, f32[8,4], f32[]{})" in text
    again = parse_program(text)
    assert equal_programs(program, again)
    assert again.result_types == program.result_types
    assert print_program(again) == text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mesh @mesh0", "mesh @mesh2", "there is no @mesh0"),
        ("@main(%0: f32[8@x,4]", "@main(%0: f32[8@z,4]", "explicit axes"),
        ("@main(%0: f32[8@x,4]", "@main(%0: f32[8@x@y,4]", "divides no axis"),
        ("@main(%0: f32[8@x,4]", "@main(%0: f32[8@x,4@x]", "twice"),
        ("f32[8@x,4@y]", "f32[8@y,4@x]", "the operation gives"),
    ],
)
def test_wrong_texts(old: str, new: str, message: str) -> None:
    text = print_program(staged())
    assert old in text
    if "@mesh2" in new:
        text = text.replace("%1: f32[8,4@y]", "%1: f32[8,4@y]{@mesh0}")
    with pytest.raises(ParseError, match=message):
        parse_program(text.replace(old, new))


def test_damaged_texts_are_refused_or_read() -> None:
    text, random = print_program(staged()), Random(0)
    characters = [*{*text}, '"', "\\", "@", "{", "}", "(", ")"]
    for _ in range(400):
        damaged = [*text]
        for _ in range(random.randint(1, 4)):
            place, kind = random.randrange(len(damaged)), random.randrange(4)
            taken = [[random.choice(characters)], [], damaged[place : place + 1] * 2]
            other = random.randrange(len(damaged))
            damaged[place : place + 1] = [*taken, damaged[other : other + 12]][kind]
        try:
            program = parse_program("".join(damaged))
        except ParseError:
            continue
        assert equal_programs(program, parse_program(print_program(program)))


def test_the_verifier_compares_results_with_the_rules() -> None:
    x = Value(sharded("8@x,4"))
    made = stage(lambda a: [ops.sine(a)], x.type).program.equations[0]

    def with_result(kind: ArrayType) -> Program:
        result = Value(kind)
        return Program((x,), (Equation(made.primitive, (x,), (result,), made.effects),), (result,))

    verify_program(with_result(sharded("8@x,4")))
    verify_program(with_result(sharded("8@x,4").unsharded))  # the compiler decides
    for wrong in ("8@y,4", "8,4", "8@x,4{U:y}"):
        with pytest.raises(VerifyError, match="the operation gives"):
            verify_program(with_result(sharded(wrong)))


def test_a_call_takes_the_shardings_of_its_parameters() -> None:
    inner = alone(sharded("8@x,4"))

    def calling(kind: ArrayType) -> Program:
        x, result = Value(kind), Value(kind.unsharded)
        return Program((x,), (Equation(Call(inner), (x,), (result,), inner.effects),), (result,))

    verify_program(calling(sharded("8@x,4")))
    verify_program(calling(sharded("8@x,4").unsharded))
    with pytest.raises(VerifyError, match="the parameter of the program has"):
        verify_program(calling(sharded("8@y,4")))


def test_rewrites_contradict_no_sharding() -> None:
    """One of two equal operations may be left to the compiler: together they may be known, or not."""
    program = staged()
    for made in (optimise(program), inline(program)):
        verify_program(made)
        for new, old in zip(made.result_types, program.result_types, strict=True):
            assert new.unsharded is old.unsharded
            assert new is old or None in (new.sharding, old.sharding)


def test_programs_lose_shardings_and_get_them_again() -> None:
    program = staged()
    plain = without_shardings(program)
    verify_program(plain)
    assert "@mesh" not in print_program(plain)
    assert without_shardings(plain) is plain
    again = specialised(plain, program.parameter_types, MESH)
    verify_program(again)
    # automatic shardings are known from here on: nothing in a program marks them
    assert again.result_types[0] is program.result_types[0]
    assert specialised(plain, program.parameter_types, MESH) is again

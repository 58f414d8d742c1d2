from random import Random

import numpy as np
from hypothesis import given, strategies as st

from treadle_ir import ArrayType
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.core.equality import Numbering, equal_programs, inside_out, program_hash
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Program
from treadle_ir.primitives.call import Call, CustomJvpCall
from treadle_ir.primitives.control import Case
from treadle_ir.primitives.elementwise import Add, Cosine, IntegerPower, Sine
from treadle_ir.primitives.reduce import ReduceAdd, ReduceMaximum
from treadle_ir.tracing.builder import Builder

F32 = ArrayType((), BY_NAME["f32"])


def one(primitive: Primitive, operand: ArrayType = F32) -> Program:
    build = Builder()
    return build.program(build.apply(primitive, build.parameter(operand)))


def wired(*places: int) -> Program:
    build = Builder()
    x, y = build.parameter(F32), build.parameter(F32)
    return build.program(build.apply(Add(), *((x, y)[place] for place in places)))


def call(program: Program) -> Program:
    return one(Call(program))


def same(left: Program, right: Program) -> bool:
    answer = equal_programs(left, right)
    assert answer == equal_programs(right, left)
    if answer:
        assert program_hash(left) == program_hash(right)
    return answer


def test_names_do_not_matter_but_all_else_does() -> None:
    assert same(one(Sine()), one(Sine()))
    assert not same(one(Sine()), one(Cosine()))
    assert not same(one(IntegerPower(2)), one(IntegerPower(3)))
    assert not same(one(Sine()), one(Sine(), ArrayType((1,), BY_NAME["f32"])))
    assert not same(one(Sine()), one(Sine(), ArrayType((), BY_NAME["f32"], weak=True)))


def test_wiring_matters() -> None:
    assert same(wired(0, 1), wired(0, 1))
    assert not same(wired(0, 1), wired(1, 0))
    assert not same(wired(0, 0), wired(0, 1))


def test_literals_count_by_bits() -> None:
    def returning(value: float) -> Program:
        build = Builder()
        return build.program(build.literal(value, F32))

    assert same(returning(0.0), returning(0.0))
    assert not same(returning(0.0), returning(-0.0))
    assert same(returning(float("nan")), returning(float("nan")))


def test_nested_programs_count_by_structure() -> None:
    assert same(call(one(Sine())), call(one(Sine())))
    assert not same(call(one(Sine())), call(one(Cosine())))


def test_nested_programs_that_are_held_once_or_in_copies_are_equal() -> None:
    def twice(first: Program, second: Program) -> Program:
        build = Builder()
        inner = build.apply(Call(first), build.parameter(F32))
        return build.program(build.apply(Call(second), inner))

    shared = one(Sine())
    assert same(twice(shared, shared), twice(one(Sine()), one(Sine())))
    assert same(twice(shared, one(Sine())), twice(one(Sine()), shared))
    assert not same(twice(shared, shared), twice(shared, one(Cosine())))
    assert not same(twice(shared, one(Cosine())), twice(one(Cosine()), shared))


@given(st.randoms(use_true_random=False))
def test_programs_are_equal_where_their_numbers_are(random: Random) -> None:
    pool = [one(random.choice([Sine(), Cosine()])) for _ in range(2)]
    for _ in range(random.randrange(1, 6)):
        build = Builder()
        x, first = build.parameter(F32), random.choice(pool)
        index = build.literal(np.int32(1))
        for each in random.choices(pool, k=random.randrange(1, 4)):
            called = build.apply(Call(each), x)
            chosen = build.apply(Case((each, first)), index, x)
            x = random.choice([called, chosen])
        pool.append(build.program(x))
    left, right = random.choices(pool, k=2)
    numbering = Numbering()
    assert same(left, right) == (numbering.number(left) == numbering.number(right))


def test_results_matter() -> None:
    def returning(*places: int) -> Program:
        build = Builder()
        values = build.parameter(F32), build.parameter(F32)
        return build.program(*[values[place] for place in places])

    assert same(returning(0, 1), returning(0, 1))
    assert not same(returning(0, 1), returning(1, 0))
    assert not same(returning(0), returning(0, 0))


def test_a_tower_of_nested_programs_is_not_a_problem() -> None:
    left, right = one(Sine()), one(Sine())
    for _ in range(5000):
        left, right = call(left), call(right)
    assert same(left, right)
    assert sum(1 for _ in inside_out(left)) == 5001


def test_shared_programs_are_visited_once() -> None:
    def tower() -> Program:
        program = one(Sine())
        for _ in range(60):  # 2 ** 60 paths
            build = Builder()
            x = build.parameter(F32)
            program = build.program(build.apply(Call(program), build.apply(Call(program), x)))
        return program

    assert same(tower(), tower())


def test_numbers_are_shared_by_equals_only() -> None:
    numbering = Numbering()
    first, again, other = one(Sine()), one(Sine()), one(Cosine())
    assert numbering.number(first) == numbering.number(again) != numbering.number(other)
    assert isinstance(first, Program)


def test_python_functions_are_equal_only_to_themselves() -> None:
    one = CustomJvpCall("f", lambda x: [x], lambda x, t: (x, t))
    other = CustomJvpCall("f", lambda x: [x], lambda x, t: (x, t))
    assert one == one
    assert one != other
    assert len({one, other}) == 2


def test_members_of_a_family_with_equal_attributes_are_not_equal() -> None:
    members: list[Primitive] = [ReduceAdd((0,)), ReduceMaximum((0,)), ReduceAdd((0,))]
    assert members[0] == members[2] != members[1]
    assert len({*members}) == 2

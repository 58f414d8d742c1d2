"""The engine of data-flow analyses, against programs whose loops are unrolled and whose branches are all taken."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import TypeAlias

import numpy as np
import pytest

from treadle_ir import (
    AbstractMesh,
    ArrayType,
    Equation,
    Operand,
    Primitive,
    Program,
    Value,
    bind,
    ops,
    stage,
)
from treadle_ir.analysis import ForwardAnalysis, backward, forward
from treadle_ir.core.flows import Flows
from treadle_ir.primitives.call import Call
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.primitives.elementwise import Sine
from treadle_ir.primitives.shard_map import ShardMap

F32 = ArrayType((), np.dtype(np.float32))
Wires: TypeAlias = list[
    list[int]
]  # for each result of a program, the parameters of which it is the sum
State: TypeAlias = frozenset[str]
NOTHING: State = frozenset()


def program_of(wires: Wires, parameters: int) -> Program:
    """A program whose results are sums of parameters; the sum of none is a literal."""

    def function(*xs: Operand) -> list[Operand]:
        return [
            reduce(ops.add, [xs[i] for i in sources]) if sources else np.float32(0)
            for sources in wires
        ]

    return stage(function, *[F32] * parameters).program


def condition_of(sources: Sequence[int], parameters: int) -> Program:
    def function(*xs: Operand) -> list[Operand]:
        total: Operand = np.float32(0)
        for i in sources:
            total = ops.add(total, xs[i])
        return [ops.compare(total, np.float32(1), direction="lt")]

    return stage(function, *[F32] * parameters).program


def along(wires: Wires, states: Sequence[State]) -> list[State]:
    return [NOTHING.union(*[states[i] for i in sources]) for sources in wires]


def random_wires(random: np.random.Generator, results: int, parameters: int) -> Wires:
    return [
        [i for i in range(parameters) if random.random() < 1.3 / parameters] for _ in range(results)
    ]


def names(count: int) -> list[State]:
    return [frozenset({f"operand {i}"}) for i in range(count)]


def sums(equation: Equation, states: Sequence[State]) -> list[State]:
    return [NOTHING.union(*states)] * len(equation.results)


def every_operation(equation: Equation, states: Sequence[State]) -> Flows | None:
    return equation.primitive.flows()


def reaching() -> ForwardAnalysis[State]:
    """Return the analysis that finds the operands on which each value depends."""
    return ForwardAnalysis(sums, or_, NOTHING, flows=every_operation)


def union(found: Iterator[Sequence[State]]) -> list[State]:
    return [NOTHING.union(*each) for each in zip(*found, strict=True)]


# Three constants, four carries, two xs: the longest way through the carries takes four iterations.
CONSTS, CARRIES, XS, YS = 3, 4, 2, 2


def unrolled_scan(wires: Wires, operands: Sequence[State]) -> Iterator[list[State]]:
    """Return the results of scans of 1 to 6 iterations; the ys have the states of all iterations."""
    consts, carry, xs = operands[:CONSTS], operands[CONSTS:-XS], operands[-XS:]
    ys = [NOTHING] * YS
    for _ in range(6):
        returned = along(wires, [*consts, *carry, *xs])
        carry = returned[:CARRIES]
        ys = [a | b for a, b in zip(ys, returned[CARRIES:], strict=True)]
        yield [*carry, *ys]


@pytest.mark.parametrize("seed", range(30))
def test_a_scan_is_what_it_is_unrolled(seed: int) -> None:
    count = CONSTS + CARRIES + XS
    wires = random_wires(np.random.default_rng(seed), CARRIES + YS, count)
    body = program_of(wires, count)
    operands = names(count)
    expected = union(unrolled_scan(wires, operands))
    found = reaching().within(Scan(body, 4, CONSTS, CARRIES), operands)
    assert list(found.ends) == expected
    empty = reaching().within(Scan(body, 0, CONSTS, CARRIES), operands)
    assert list(empty.ends[:CARRIES]) == [
        a | b for a, b in zip(expected[:CARRIES], operands[CONSTS:-XS], strict=True)
    ]


@pytest.mark.parametrize("control", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_a_while_loop_is_what_it_is_unrolled(seed: int, control: bool) -> None:
    random = np.random.default_rng(seed)
    of_cond = [i for i in range(2 + CARRIES) if random.random() < 0.2]
    wires = random_wires(random, CARRIES, CONSTS + CARRIES)
    operands = names(2 + CONSTS + CARRIES)
    for_cond, consts, carry = operands[:2], operands[2 : 2 + CONSTS], operands[2 + CONSTS :]

    def unrolled() -> Iterator[list[State]]:
        state, decided = [*carry], NOTHING
        for _ in range(12):
            (asked,) = along([of_cond], [*for_cond, *state])
            decided = decided | asked if control else NOTHING
            yield [each | decided for each in state]  # the loop ends here
            state = [each | decided for each in along(wires, [*consts, *state])]

    loop = While(condition_of(of_cond, 2 + CARRIES), program_of(wires, CONSTS + CARRIES), 2, CONSTS)
    found = ForwardAnalysis(sums, or_, NOTHING, flows=every_operation, control=control).within(
        loop, operands
    )
    assert list(found.ends) == union(unrolled())


def test_a_case_is_any_of_its_branches() -> None:
    case = Case((program_of([[0], [1]], 2), program_of([[0, 1], []], 2)))
    index, a, b = names(3)
    assert reaching().within(case, [index, a, b]).ends == (a | b, b)
    control = ForwardAnalysis(sums, or_, NOTHING, flows=every_operation, control=True)
    assert control.within(case, [index, a, b]).ends == (index | a | b, index | b)


def wired(program: Program, known: dict[int, Wires]) -> Callable[..., list[bool]]:
    """Return the transfer function of a backward analysis for programs that were made of wires."""

    def transfer(region: Program, results: tuple[bool, ...]) -> list[bool]:
        used = [False] * len(region.parameters)
        for flag, sources in zip(results, known[id(region)], strict=True):
            for i in sources:
                used[i] = used[i] or flag
        return used

    return transfer


def loops(seed: int) -> tuple[Primitive, dict[int, Wires], int]:
    """A scan, a while loop or a case, with the wires of its regions, and the number of its operands."""
    random = np.random.default_rng(seed)
    if seed % 3 == 0:
        wires = random_wires(random, CARRIES + YS, CONSTS + CARRIES + XS)
        body = program_of(wires, CONSTS + CARRIES + XS)
        length = int(random.integers(0, 4))
        return Scan(body, length, CONSTS, CARRIES), {id(body): wires}, CONSTS + CARRIES + XS
    if seed % 3 == 1:
        wires, of_cond = random_wires(random, CARRIES, 1 + CARRIES), [0, 2]
        cond, body = condition_of(of_cond, 1 + CARRIES), program_of(wires, 1 + CARRIES)
        return While(cond, body, 1, 1), {id(cond): [of_cond], id(body): wires}, 2 + CARRIES
    both = [random_wires(random, 3, 3) for _ in range(2)]
    one, two = (program_of(wires, 3) for wires in both)
    return Case((one, two)), {id(one): both[0], id(two): both[1]}, 4


@pytest.mark.parametrize("control", [False, True])
@pytest.mark.parametrize("seed", range(24))
def test_backward_is_forward_turned_round(seed: int, control: bool) -> None:
    primitive, wires, count = loops(seed)
    flows = primitive.flows()
    assert flows is not None

    def through(region: Program, states: tuple[State, ...]) -> list[State]:
        return along(wires[id(region)], states)

    ends = forward(flows, names(count), through, or_, control=control).ends
    for place in range(len(ends)):
        wanted = [i == place for i in range(len(ends))]
        used = backward(
            flows, wanted, wired(flows.regions[0], wires), or_, False, control=control
        ).ends
        assert [f"operand {i}" for i in range(count) if used[i]] == sorted(ends[place])


def test_nested_loops() -> None:
    # The inner loop turns three values round, the outer one feeds the first back.
    inner = Scan(program_of([[1], [2], [0]], 3), 5, carries=3)
    outer = stage(lambda a, b, c: [*bind(inner, a, b, c)[:1], b, c], F32, F32, F32).program
    call = Call(
        stage(lambda a, b, c: bind(Scan(outer, 2, carries=3), a, b, c), F32, F32, F32).program
    )
    a, b, c = names(3)
    found = reaching().within(call, [a, b, c])
    assert found.ends == (a | b | c, b, c)


def test_values_of_a_program() -> None:
    program = stage(lambda x, y: [ops.add(ops.sine(x), y)], F32, F32).program
    x, y = names(2)
    states = reaching().values(program, [x, y])
    assert [states[each.results[0]] for each in program.equations] == [x, x | y]


def test_a_shard_map_and_an_operation_without_regions() -> None:
    body = program_of([[0], [0, 1]], 2)
    mapped = ShardMap(body, AbstractMesh((2,), ("x",)), ((), ()), ((), ()), ("x",))
    a, b = names(2)
    assert reaching().within(mapped, [a, b]).ends == (a, a | b)
    assert Sine().flows() is None


@pytest.mark.parametrize("seed", range(3))
def test_regions_are_exchanged(seed: int) -> None:
    primitive, *_ = loops(seed)
    flows = primitive.flows()
    assert flows is not None
    others = [Program(each.parameters, each.equations, each.results) for each in flows.regions]
    changed = primitive.with_regions(others).flows()
    assert changed is not None
    assert all(one is two for one, two in zip(changed.regions, others, strict=True))
    assert (changed.entry, changed.backedges, changed.exits) == (
        flows.entry,
        flows.backedges,
        flows.exits,
    )


def test_depth_takes_no_stack_and_shared_programs_no_time() -> None:
    program = stage(lambda x: [ops.sine(x)], F32).program
    seen: list[Equation] = []

    def counted(equation: Equation, states: Sequence[State]) -> list[State]:
        seen.append(equation)
        return sums(equation, states)

    for _ in range(2 * sys.getrecursionlimit()):
        x, y, z = Value(F32), Value(F32), Value(F32)
        first = Equation(Call(program), (x,), (y,), frozenset())
        program = Program((x,), (first, Equation(Call(program), (y,), (z,), frozenset())), (z,))
    analysis = ForwardAnalysis(counted, or_, NOTHING, flows=every_operation)
    (a,) = names(1)
    assert analysis.results(program, [a]) == (a,)
    assert len(seen) == 1


def test_invocations() -> None:
    body = program_of([[0]], 1)
    scan = Scan(body, 3, carries=1, unroll=4).flows()
    assert scan.iterations is not None
    assert (scan.iterations.most, scan.iterations.exact, scan.iterations.unrolled) == (
        3,
        True,
        True,
    )
    loop = While(condition_of([0], 1), body).flows()
    assert loop.iterations is not None
    assert (loop.iterations.most, loop.iterations.exact, loop.exclusive) == (None, False, False)
    case = Case((body, body)).flows()
    assert case.iterations is None
    assert case.exclusive

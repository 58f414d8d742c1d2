"""Memories in the text of a program."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from treadle_compiler import Memories, lower_program
from treadle_ir import ArrayType, Operand, Program, bind, ops, stage
from treadle_ir.primitives.call import Call, Checkpoint
from treadle_ir.primitives.control import Scan

TYPE = ArrayType((4,), np.dtype("f4"))
HOST = "pinned_host"


def _program(function: Callable[..., list[Operand]], count: int = 1) -> Program:
    return stage(function, *[TYPE] * count).program


def _moves(text: str) -> list[str]:
    return re.findall(r'_xla_buffer_placement = "(\w+)"', text)


def _kinds(text: str) -> list[str | None]:
    """Return the memory kinds of parameters and results, in order."""
    declared = re.search(r"@main\((.*?)\) -> \((.*?)\) \{\n", text)
    assert declared is not None
    found = []
    for part in re.findall(r"tensor<[^>]*>(?: \{[^}]*\})?", declared[1] + declared[2]):
        kind = re.search(r'mhlo.memory_kind = "(\w+)"', part)
        found.append(kind and kind[1])
    return found


def test_without_memories_nothing_is_said() -> None:
    lowered = lower_program(_program(lambda x: [ops.to_memory(x, kind="device")]))
    assert (_moves(lowered.text), _kinds(lowered.text)) == ([], [None, None])
    assert lowered.memories is None


def test_a_result_is_where_the_program_has_it() -> None:
    program = _program(lambda x: [ops.to_memory(ops.tanh(x), kind=HOST), x])
    lowered = lower_program(program)
    assert (_moves(lowered.text), _kinds(lowered.text)) == ([HOST], [None, HOST, None])
    assert lowered.memories == Memories((None,), (HOST, "device"))


@pytest.mark.parametrize(
    ("given", "wanted", "moves", "result"),
    [
        (HOST, None, ["device"], "device"),
        (HOST, HOST, ["device", HOST], HOST),
        (None, HOST, [HOST], HOST),
    ],
)
def test_what_is_computed_with_is_on_the_device(
    given: str | None, wanted: str | None, moves: list[str], result: str
) -> None:
    program = _program(lambda x: [ops.add(ops.tanh(x), x)])
    lowered = lower_program(program, memories=Memories((given,), (wanted,)))
    assert _moves(lowered.text) == moves
    assert _kinds(lowered.text) == [given, None if result == "device" else result]
    assert lowered.memories == Memories((given,), (result,))


def test_a_function_that_only_moves_it_takes_it_as_it_is() -> None:
    moving = _program(lambda x: [ops.tanh(ops.to_memory(x, kind="device"))])
    using = _program(lambda x: [ops.tanh(x)])
    for body in (moving, using):
        inner = _program(lambda x, body=body: [*bind(Call(body, "f"), x)])
        program = _program(lambda x, inner=inner: [*bind(Call(inner, "g"), x)])
        lowered = lower_program(program, memories=Memories((HOST,), (None,)))
        assert _moves(lowered.text) == ["device"]


def test_a_loop_is_given_on_the_device_what_it_carries_and_as_it_is_what_it_reads() -> None:
    def body(k: Operand, c: Operand) -> list[Operand]:
        return [ops.add(ops.to_memory(c, kind="device"), ops.to_memory(k, kind="device"))]

    loop = Scan(_program(body, 2), length=3, constants=1, carries=1)
    program = _program(lambda k, c: [*bind(loop, k, c)], 2)
    before = []
    for memories in ((HOST, None), (None, HOST)):
        text = lower_program(program, memories=Memories(memories, (None,))).text
        assert _moves(text) == ["device"]
        before.append(text.index("_xla_buffer_placement") < text.index("stablehlo.while"))
    assert before == [False, True]


def test_functions_of_the_module_leave_their_results_there() -> None:
    def long(x: Operand) -> list[Operand]:
        for _ in range(8):
            x = ops.tanh(x)
        return [ops.to_memory(x, kind=HOST)]

    inner = _program(long)
    program = _program(lambda x: [*bind(Call(inner, "f"), x), *bind(Call(inner, "f"), x)])
    lowered = lower_program(program)
    assert lowered.text.count("func.call") == 2
    assert lowered.memories == Memories((None,), (HOST, HOST))


@pytest.mark.parametrize("moved_inside", [True, False])
def test_a_barrier_is_passed_in_the_memory_that_what_follows_takes(moved_inside: bool) -> None:
    """Else a residual that was offloaded would be on the device before its recomputation may start."""
    large = ArrayType((300, 300), np.dtype("f4"))

    def block(x: Operand) -> list[Operand]:
        return [ops.tanh(ops.to_memory(x, kind="device") if moved_inside else x)]

    again = Checkpoint(stage(block, large).program, recomputes=True)

    def function(x: Operand) -> list[Operand]:
        host = ops.to_memory(ops.tanh(x), kind=HOST)
        return [*bind(again, host), *bind(again, ops.add(x, x))]

    text = lower_program(stage(function, large).program).text
    order = re.findall(r'optimization_barrier|_xla_buffer_placement = "device"', text)
    assert order[0].startswith("optimization_barrier") == moved_inside
    assert len(order) == 5


def test_a_buffer_is_taken_over_within_one_memory() -> None:
    program = _program(lambda x, y: [ops.tanh(x), ops.tanh(y)], 2)
    memories = Memories((HOST, HOST), (HOST, None))
    lowered = lower_program(program, aliases={0: 0, 1: 1}, memories=memories)
    assert lowered.donated == {0}
    assert lowered.text.count("tf.aliasing_output") == 1


@pytest.mark.parametrize(
    ("shape", "order", "listed"),
    [
        ((2, 3), (1, 0), "[0, 1]"),
        ((2, 3, 4), (2, 0, 1), "[1, 0, 2]"),
        ((3,), (0,), "[0]"),
        ((), (), ""),
    ],
)
def test_an_order_is_told_from_the_contiguous_axis_on(
    shape: tuple[int, ...], order: tuple[int, ...], listed: str
) -> None:
    one = ArrayType(shape, np.dtype("f4"))
    program = stage(lambda x: [ops.layout_constraint(x, major_to_minor=order)], one).program
    text = lower_program(program).text
    said = re.findall(r"(operand|result)_layouts = \[dense<(.*?)> : tensor<(\d)xindex>\]", text)
    assert 'call_target_name = "LayoutConstraint"' in text
    assert said == [(which, listed, str(len(shape))) for which in ("operand", "result")]

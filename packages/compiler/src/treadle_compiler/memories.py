"""In which memory of its device a value is while a program runs, in XLA's words: annotations of where it is placed.

A value in a memory of the host can be stored, cut and passed on. What computes gets it in the device's own memory:
XLA refuses anything else, or is slow at it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, final

from treadle_compiler.context import LoweringContext
from treadle_compiler.kept import kept
from treadle_compiler.value import HloValue
from treadle_ir import Equation, Primitive, Program, Value
from treadle_ir.core import ControlFlow, InlineCall
from treadle_ir.primitives.call import OptimizationBarrier
from treadle_ir.primitives.memory import DEVICE_MEMORY, ToMemory
from treadle_ir.primitives.sharding import ShardingConstraint
from treadle_ir.process import frozen

Memory: TypeAlias = str | None
"""A kind of memory other than the device's own, which is None."""


@final
@frozen
class Memories:
    """Where parameters of a program are, and where its results are wanted; `device` is the device's own memory.

    `None` for a result leaves it where the program has it.
    """

    parameters: tuple[Memory, ...]
    results: tuple[str | None, ...]


def moved(context: LoweringContext, x: HloValue, kind: str) -> HloValue:
    """A value in a memory of its device; as it is, if it is there."""
    memory = None if kind == DEVICE_MEMORY else kind
    if x.memory == memory:
        return x
    attributes = {
        "call_target_name": '"annotate_device_placement"',
        "has_side_effect": "true",
        "backend_config": '""',
        "mhlo.frontend_attributes": f'{{_xla_buffer_placement = "{kind}"}}',
    }
    placed = context.one("stablehlo.custom_call", [x], x.type, attributes)
    placed.memory = memory
    context.module.has_memories = True
    return placed


def staying(x: HloValue, made: HloValue) -> HloValue:
    """A value that was made of another without computing: it is in the memory where that one is."""
    made.memory = x.memory
    return made


def barrier(context: LoweringContext, operands: Sequence[HloValue]) -> list[HloValue]:
    """The same values, none of which XLA computes with what is after them, or again."""
    types = [operand.type for operand in operands]
    results = context.emit("stablehlo.optimization_barrier", operands, types)
    return list(map(staying, operands, results))


def brought(context: LoweringContext, x: HloValue) -> HloValue:
    """A value in the device's own memory, brought there once."""
    if x.memory is None:
        return x
    return context.once((f"{x.name} brought", x.type), lambda: moved(context, x, DEVICE_MEMORY))


def on_device(context: LoweringContext, values: Sequence[HloValue]) -> list[HloValue]:
    """Values as something computes with them."""
    return [brought(context, x) for x in values]


def usable(
    context: LoweringContext, program: Program, equation: Equation, operands: Sequence[HloValue]
) -> list[HloValue]:
    """Return the operands of an equation of a program where it takes them.

    An operation that only moves an operand gets it as it is.
    """
    return [
        x if x.memory is None or _only_moves(program, equation, index) else brought(context, x)
        for index, x in enumerate(operands)
    ]


def _only_moves(program: Program, equation: Equation, index: int) -> bool:
    """Return whether an operation, or the programs within it, only assigns a layout to an operand or moves it.

    A barrier does if everything after it does.
    """
    waiting = [(program, equation, index)]
    seen = set()
    while waiting:
        around, each, place = waiting.pop()
        primitive = each.primitive
        if (id(each), place) in seen or isinstance(primitive, ToMemory | ShardingConstraint):
            continue
        seen.add((id(each), place))
        if isinstance(primitive, OptimizationBarrier):
            inner, value = around, each.results[place]
        else:
            taking = _program_taking(primitive, place)
            if taking is None:
                return False
            inner, value = taking, taking.parameters[place]
        if any(result is value for result in inner.results):
            return False
        waiting += [(inner, *use) for use in _uses(inner).get(value, ())]
    return True


def _uses(program: Program) -> dict[Value, list[tuple[Equation, int]]]:
    """Return the equations that take each value, with its place among their operands; the program keeps the answer."""

    def find() -> dict[Value, list[tuple[Equation, int]]]:
        found: dict[Value, list[tuple[Equation, int]]] = {}
        for equation in program.equations:
            for place, operand in enumerate(equation.operands):
                if isinstance(operand, Value):
                    found.setdefault(operand, []).append((equation, place))
        return found

    return kept(program, "uses", find)


def _program_taking(primitive: Primitive, index: int) -> Program | None:
    """The program within an operation whose parameter with this number is the operand, or a slice of it."""
    if isinstance(primitive, InlineCall):
        return primitive.program
    if not isinstance(primitive, ControlFlow):
        return None
    from treadle_ir.primitives.control import Scan  # noqa: PLC0415 - many programs have none

    if isinstance(primitive, Scan):
        carried = 0 <= index - primitive.constants < primitive.carries
        return None if carried else primitive.body
    return None

"""In which memory of its device a value is while a program runs, in XLA's words: annotations of where it is placed.

A value in a memory of the host can be stored, cut and passed on. What computes gets it in the device's own memory:
XLA refuses anything else, or is slow at it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias, final

from treadle_ir import Primitive, Program
from treadle_ir.core import InlineCall
from treadle_ir.primitives.control import Scan
from treadle_ir.primitives.memory import DEVICE_MEMORY, ToMemory
from treadle_ir.primitives.sharding import ShardingConstraint
from treadle_ir.process import frozen

if TYPE_CHECKING:
    from treadle_compiler.context import HloValue, LoweringContext

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
    context: LoweringContext, primitive: Primitive, operands: Sequence[HloValue]
) -> list[HloValue]:
    """The operands of an operation where it takes them: what does nothing but move one gets it as it is."""
    return [
        x if x.memory is None or _only_moves(primitive, index) else brought(context, x)
        for index, x in enumerate(operands)
    ]


def _only_moves(primitive: Primitive, index: int) -> bool:
    """Whether an operation, or the programs within it, does nothing with an operand but lay it out or move it."""
    waiting = [(primitive, index)]
    while waiting:
        each, number = waiting.pop()
        if isinstance(each, ToMemory | ShardingConstraint):
            continue
        program = _program_taking(each, number)
        if program is None:
            return False
        parameter = program.parameters[number]
        if any(result is parameter for result in program.results):
            return False
        for equation in program.equations:
            waiting += [
                (equation.primitive, place)
                for place, operand in enumerate(equation.operands)
                if operand is parameter
            ]
    return True


def _program_taking(primitive: Primitive, index: int) -> Program | None:
    """The program within an operation whose parameter with this number is the operand, or a slice of it."""
    if isinstance(primitive, InlineCall):
        return primitive.program
    if isinstance(primitive, Scan):
        carried = 0 <= index - primitive.constants < primitive.carries
        return None if carried else primitive.body
    return None

"""Move values between memories of a device and of its host, where a program computes with them or returns them.

A value in a memory of the host can be stored, cut and passed on. An operation that computes gets it in the device's own
memory: XLA refuses anything else, or is slow at it. So a `to_memory` stands in front of such an operation, and there is
none that moves nothing.

Example:
    >>> import numpy as np
    >>> from treadle_ir import ArrayType, ops, stage
    >>> x = ArrayType((2,), np.dtype("f4"))
    >>> program = stage(lambda x: [ops.sine(x)], x).program
    >>> for each in place_memories(program, Memories(("pinned_host",), ("pinned_host",))).equations:
    ...     print(each)
    <equation f32[2] = to_memory>
    <equation f32[2] = sine>
    <equation f32[2] = to_memory>
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias, final

from treadle_compiler.kept import kept
from treadle_compiler.legalise.features import Features, features_of
from treadle_compiler.legalise.specialise import (
    Request,
    Specialised,
    Steps,
    are_unchanged,
    call_of,
    is_transparent,
    specialise,
    specialise_nested,
    with_operands,
    with_regions,
)
from treadle_ir import Atom, Equation, Primitive, Program, Value
from treadle_ir.analysis import ForwardAnalysis
from treadle_ir.core import OPERANDS, PURE, ControlFlow, Flows, InlineCall
from treadle_ir.errors import NOWHERE, Source
from treadle_ir.primitives.call import OptimizationBarrier
from treadle_ir.primitives.memory import DEVICE_MEMORY, ToMemory
from treadle_ir.primitives.sharding import ShardingConstraint
from treadle_ir.process import frozen
from treadle_ir.rewrite import with_primitive

Memory: TypeAlias = str | None
"""The kind of a memory of the host; None is the device's own memory."""

_STAY: Final = (OptimizationBarrier, ShardingConstraint)
"""Operations whose results are in the memories of their operands."""


@final
@frozen
class Memories:
    """In which memory the parameters of a program are, and in which one its results are wanted.

    Results are wanted in a kind of memory, of which `device` is the device's own; None leaves a result where the
    program has it.
    """

    parameters: tuple[Memory, ...]
    results: tuple[str | None, ...]


def applies(features: Features, memories: Memories | None) -> bool:
    """Return whether a value may be in a memory of the host."""
    return memories is not None or ToMemory in features.primitives


def place_memories(program: Program, memories: Memories | None = None) -> Program:
    """Move values to the device where they are computed with, and results to the memories where they are wanted.

    Args:
        program: what to rewrite; it is returned if nothing has to move.
        memories: where parameters are and results are wanted; by default parameters are in the device's own memory.
    """
    if memories is None:
        memories = Memories((None,) * len(program.parameters), (None,) * len(program.results))
    return specialise(Request(program, memories.parameters, memories.results), _placed)


def resulting_memories(program: Program, memories: Memories | None) -> Memories | None:
    """Return where the parameters and results of a placed program are; None if no value is in a memory of the host.

    Args:
        program: what `place_memories` returned, or a program to which it does not apply.
        memories: what it was given.
    """
    if not applies(features_of(program), memories):
        return None
    given = (None,) * len(program.parameters) if memories is None else memories.parameters
    found = _MEMORY.results(program, given)
    return Memories(given, tuple([DEVICE_MEMORY if each is None else each for each in found]))


# ---- where values are


def _memory_of(kind: str) -> Memory:
    return None if kind == DEVICE_MEMORY else kind


def _result_memories(equation: Equation, operands: Sequence[Memory]) -> Sequence[Memory]:
    primitive = equation.primitive
    if isinstance(primitive, ToMemory):
        return [_memory_of(primitive.kind)]
    return operands if isinstance(primitive, _STAY) else [None] * len(equation.results)


def _regions(primitive: Primitive) -> Flows | None:
    """Return the flows of an operation whose regions may take or return values in a memory of the host."""
    if isinstance(primitive, ControlFlow) or is_transparent(primitive):
        return primitive.flows()
    return None


_MEMORY: Final[ForwardAnalysis[Memory]] = ForwardAnalysis(
    _result_memories,
    lambda one, two: one if one == two else None,
    None,
    flows=lambda equation, _: _regions(equation.primitive),
)


# ---- where operations take values


def _only_moves(program: Program, equation: Equation, index: int) -> bool:
    """Return whether an operation, or the programs within it, only assigns a sharding to an operand or moves it.

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
            taking: list[tuple[Program, Value]] | None = [(around, each.results[place])]
        else:
            taking = _parameters_taking(primitive, place)
        if taking is None:
            return False
        for inner, value in taking:
            if any([result is value for result in inner.results]):
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


def _parameters_taking(primitive: Primitive, index: int) -> list[tuple[Program, Value]] | None:
    """Return the parameters of regions that are an operand or its slices in all iterations; None if one may change."""
    flows = _regions(primitive)
    if flows is None or flows.exclusive:
        return None
    found = []
    for region, program in enumerate(flows.regions):
        backedges = flows.backedges[region] if flows.backedges else ()
        for place, operand in enumerate(flows.entry[region]):
            if operand == index:
                if backedges and backedges[place] is not None:
                    return None
                found.append((program, program.parameters[place]))
    return found


# ---- the rewrite


class _Placing:
    """The equations of a program that is being rewritten, and where its values are.

    Args:
        program: the program as it was.
        memories: where its parameters are.
    """

    def __init__(self, program: Program, memories: Sequence[Memory]) -> None:
        self.equations: list[Equation] = []
        self._program: Final = program
        self._memories: Final = dict(zip(program.parameters, memories, strict=True))
        self._instead: Final[dict[Value, Atom]] = {}  # of results of moves that move nothing
        self._brought: Final[dict[Value, Value]] = {}  # to the device, once

    def memory(self, atom: Atom) -> Memory:
        """Return where a value is; literals are on the device."""
        return self._memories[atom] if isinstance(atom, Value) else None

    def current(self, atom: Atom) -> Atom:
        """Return what a value of the program is now."""
        return self._instead.get(atom, atom) if isinstance(atom, Value) else atom

    def in_memory(self, atom: Atom, memory: Memory, source: Source) -> Atom:
        """Return a value in some memory."""
        if self.memory(atom) == memory:
            return atom
        if memory is None and isinstance(atom, Value) and atom in self._brought:
            return self._brought[atom]
        made = Value(atom.type)
        move = ToMemory(DEVICE_MEMORY if memory is None else memory)
        self.equations.append(Equation(move, (atom,), (made,), PURE, source))
        self._memories[made] = memory
        if memory is None and isinstance(atom, Value):
            self._brought[atom] = made
        return made

    def operands(self, equation: Equation) -> tuple[Atom, ...]:
        """Return the operands of an equation of the program in the memories where it takes them."""
        given = []
        for index, each in enumerate(equation.operands):
            atom = self.current(each)
            if self.memory(atom) is not None and not _only_moves(self._program, equation, index):
                atom = self.in_memory(atom, None, equation.source)
            given.append(atom)
        return tuple(given)

    def add(self, equation: Equation, memories: Sequence[Memory]) -> None:
        """Add an equation whose results are in some memories."""
        self.equations.append(equation)
        self._memories.update(zip(equation.results, memories, strict=True))

    def move(self, equation: Equation, to: Memory, atom: Atom) -> None:
        """Add a `to_memory`, unless its operand is in that memory."""
        (result,) = equation.results
        if self.memory(atom) == to:
            self._instead[result] = atom
        else:
            self.add(with_operands(equation, (atom,)), (to,))

    def finished(self, results: Sequence[Atom]) -> Program:
        """Return the program; itself if nothing changed."""
        before = self._program
        equations = tuple(self.equations)
        if tuple(results) == before.results and are_unchanged(equations, before.equations):
            return before
        return Program(before.parameters, equations, tuple(results))


def _on_device(program: Program) -> Request[Memory, str | None]:
    """Return the request for a program whose parameters and results have to be on the device."""
    parameters, results = len(program.parameters), len(program.results)
    return Request(program, (None,) * parameters, (DEVICE_MEMORY,) * results)


def _placed(request: Request[Memory, str | None]) -> Steps[Memory, str | None]:
    program = request.program
    placing = _Placing(program, request.parameters)
    for equation in program.equations:
        primitive = equation.primitive
        given = with_operands(equation, placing.operands(equation))
        memories = [placing.memory(x) for x in given.operands]
        flows = _regions(primitive)
        if isinstance(primitive, ToMemory):
            placing.move(equation, _memory_of(primitive.kind), given.operands[0])
        elif flows is None:
            inner = yield from specialise_nested(given, _on_device)
            placing.add(inner, _result_memories(equation, memories))
        else:
            regions: list[Specialised[Memory]] = []
            for region, entry in enumerate(flows.entry):
                parameters = tuple([memories[i] for i in entry])
                answer = yield Request(
                    flows.regions[region], parameters, _wanted(primitive, flows, region)
                )
                regions.append(answer)
            programs = [each.program for each in regions]
            if isinstance(primitive, InlineCall):
                # Parameters of a function are in the device's own memory.
                in_place = any([each is not None for each in memories])
                changed = call_of(primitive, programs[0], in_place=in_place)
            else:
                changed = with_regions(primitive, flows.regions, programs)
            ends = [
                None
                if origins[-1].region == OPERANDS
                else regions[origins[-1].region].results[origins[-1].place]
                for origins in flows.exits
            ]
            placing.add(with_primitive(given, changed), ends)
    wanted = request.results or (None,) * len(program.results)
    results = []
    for each, kind in zip(program.results, wanted, strict=True):
        atom = placing.current(each)
        if kind is not None:
            atom = placing.in_memory(atom, _memory_of(kind), NOWHERE)
        results.append(atom)
    return Specialised(placing.finished(results), tuple(map(placing.memory, results)))


def _wanted(primitive: Primitive, flows: Flows, region: int) -> tuple[str | None, ...] | None:
    """Return where the results of a region are wanted: stacked results, and results of a call, stay where they are."""
    if isinstance(primitive, InlineCall):
        return None
    count = len(flows.regions[region].results)
    carried = count if flows.stacked is None else flows.stacked
    return (DEVICE_MEMORY,) * carried + (None,) * (count - carried)

"""Which values of a program have a slope with respect to which parameters, and where slopes are lost.

A forward data-flow analysis over the program and the programs nested in it. The state of a value is two sets, as the
bits of integers: the parameters with respect to which it has a slope, and everything that it is made from, which are
parameters, and the cuts that its parts have passed. A *cut* is an operation that loses slopes: a flat operation, or
an operation that makes integers.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias, final

from treadle_autodiff import Flat, jvp_program, why_flat
from treadle_ir import ArrayType, Atom, Equation, Primitive, Program, Type, Value
from treadle_ir.analysis import Solution, forward_steps
from treadle_ir.core import Literal, Sorting
from treadle_ir.core.dtypes import is_inexact
from treadle_ir.primitives.call import CustomJvpStaged, CustomVjpStaged


class Reach(NamedTuple):
    """The state of a value, in bits.

    Attributes:
        slope: the parameters with respect to which the value has a slope.
        made_from: the parameters that the value depends on, and the cuts that it has passed.
    """

    slope: int = 0
    made_from: int = 0


_NOTHING: Final = Reach()
_Request: TypeAlias = tuple[Program, tuple[Reach, ...]]
_Steps: TypeAlias = Generator[tuple[_Request, Equation], "tuple[Reach, ...]", "tuple[Reach, ...]"]


@final
@dataclass
class Cut:
    """An operation that loses slopes.

    Attributes:
        equation: the operation.
        reason: why; None for a user's own rule.
        bit: the bit of the cut in `Reach.made_from`.
        lost: the parameters whose slopes it loses.
        inside: the operations around it, outermost first: loops, branches, calls.
    """

    equation: Equation
    reason: Flat | None
    bit: int
    lost: int
    inside: tuple[Equation, ...]


@final
class Slopes:
    """The slopes of the values of a program.

    Args:
        program: the program.
        wanted: the positions of the parameters that are differentiated, whose bits count from 0 in this order.
    """

    def __init__(self, program: Program, wanted: Sequence[int]) -> None:
        self.cuts: Final[dict[int, Cut]] = {}  # by the id of the equation, which the program keeps
        self._next = len(wanted)  # the first bit that no parameter and no cut has
        bits = {position: 1 << number for number, position in enumerate(wanted)}
        given = [
            Reach(bits[i] if _has_slope(parameter.type) else 0, bits[i]) if i in bits else _NOTHING
            for i, parameter in enumerate(program.parameters)
        ]
        self.values: Final[dict[Value, Reach]] = {}
        self.results: Final = self._run(program, tuple(given))

    def lost(self, number: int) -> list[Cut]:
        """Return the cuts of the ways from a parameter to the results, in the order of the program.

        Args:
            number: the number of the parameter among those that are differentiated.
        """
        reached = 0
        for result in self.results:
            reached |= result.made_from
        bit = 1 << number
        return [cut for cut in self.cuts.values() if cut.lost & bit and reached & cut.bit]

    def _run(self, program: Program, given: tuple[Reach, ...]) -> tuple[Reach, ...]:
        """Run the generator of a program, and of the programs that it asks for, on a stack of its own."""
        stack = [self._program(program, given, (), self.values)]
        around: list[Equation] = []
        answer: tuple[Reach, ...] | None = None
        while stack:
            try:
                request, equation = stack[-1].send(answer)  # type: ignore[arg-type]  # None begins
            except StopIteration as stop:
                stack.pop()
                if around:
                    around.pop()
                answer = stop.value
            else:
                around.append(equation)
                stack.append(self._program(*request, tuple(around), {}))
                answer = None
        assert answer is not None
        return answer

    def _program(
        self,
        program: Program,
        given: tuple[Reach, ...],
        inside: tuple[Equation, ...],
        found: dict[Value, Reach],
    ) -> _Steps:
        """Yield the regions that have to be analysed, with their operations; return the states of the results."""
        found.update(zip(program.parameters, given, strict=True))

        def state(atom: Atom) -> Reach:
            return _NOTHING if type(atom) is Literal else found[atom]

        for equation in program.equations:
            operands = [state(atom) for atom in equation.operands]
            if any(operand.made_from for operand in operands):
                ends = yield from self._equation(equation, operands, inside)
                found.update(zip(equation.results, ends, strict=True))
            else:
                found.update(dict.fromkeys(equation.results, _NOTHING))
        return tuple([state(atom) for atom in program.results])

    def _equation(
        self, equation: Equation, operands: Sequence[Reach], inside: tuple[Equation, ...]
    ) -> Generator[tuple[_Request, Equation], tuple[Reach, ...], Sequence[Reach]]:
        """Return the states of an operation's results."""
        primitive = equation.primitive
        flows = None if _has_own_rule(primitive) else primitive.flows()
        if flows is None:
            return self._operation(equation, operands, inside)
        steps = forward_steps(flows, operands, _joined, control=True)
        answer: tuple[Reach, ...] | None = None
        while True:
            try:
                request = steps.send(answer)  # type: ignore[arg-type]  # None begins
            except StopIteration as stop:
                solution: Solution[Reach] = stop.value
                return solution.ends
            answer = yield request, equation

    def _operation(
        self, equation: Equation, operands: Sequence[Reach], inside: tuple[Equation, ...]
    ) -> list[Reach]:
        """Return the states of the results of an operation without regions, and note its cut."""
        made_from = given = 0
        for operand in operands:
            made_from |= operand.made_from
            given |= operand.slope
        reason: Flat | None = None
        kept: list[int] = []
        if _has_own_rule(equation.primitive) or len(equation.results) > 1:
            kept = _kept_by_rule(equation, operands)
        else:
            passed = 0
            for place, (atom, operand) in enumerate(zip(equation.operands, operands, strict=True)):
                if not operand.slope or not isinstance(atom.type, ArrayType):
                    continue
                flat = why_flat(equation.primitive, place, atom.type)
                reason = reason or flat
                if flat is None:
                    passed |= operand.slope
            kept = [passed if _has_slope(result.type) else 0 for result in equation.results]
        states = []
        for result, slope in zip(equation.results, kept, strict=True):
            lost = given & ~slope
            bit = 0
            if lost:
                reason = reason or _reason(equation.primitive, result.type)
                bit = self._noted(equation, reason, lost, inside)
            states.append(Reach(slope, made_from | bit))
        return states

    def _noted(
        self, equation: Equation, reason: Flat | None, lost: int, inside: tuple[Equation, ...]
    ) -> int:
        """Return the bit of an operation's cut, after noting the slopes that it loses."""
        cut = self.cuts.get(id(equation))
        if cut is None:
            cut = self.cuts[id(equation)] = Cut(equation, reason, 1 << self._next, 0, inside)
            self._next += 1
        cut.lost |= lost
        return cut.bit


def _joined(left: Reach, right: Reach) -> Reach:
    """Return the state of a value that is one of two."""
    return Reach(left.slope | right.slope, left.made_from | right.made_from)


def _has_slope(type: Type) -> bool:
    """Return whether values of a type have derivatives."""
    return isinstance(type, ArrayType) and is_inexact(type.dtype)


def _has_own_rule(primitive: Primitive) -> bool:
    """Return whether a user's rule says what the derivative is."""
    return isinstance(primitive, (CustomJvpStaged, CustomVjpStaged))


def _reason(primitive: Primitive, result: Type) -> Flat | None:
    """Return why an operation without a declared reason loses slopes; None for a user's rule that gives none."""
    if isinstance(primitive, Sorting):
        return Flat.POSITION
    return None if _has_slope(result) else Flat.INTEGER


def _kept_by_rule(equation: Equation, operands: Sequence[Reach]) -> list[int]:
    """Return the slopes of each result: the jvp rule is applied to the tangent of one operand at a time."""
    kept = [0] * len(equation.results)
    primitive = equation.primitive
    if isinstance(
        primitive, CustomVjpStaged
    ):  # what its backward function gives is not known before it runs
        given = 0
        for operand in operands:
            given |= operand.slope
        return [given if _has_slope(result.type) else 0 for result in equation.results]
    values = tuple([Value(atom.type) for atom in equation.operands])
    results = tuple([Value(result.type) for result in equation.results])
    alone = Program(
        values, (Equation(primitive, values, results, equation.effects, equation.source),), results
    )
    for place, operand in enumerate(operands):
        if operand.slope and _has_slope(values[place].type):
            jvp = jvp_program(alone, [other == place for other in range(len(values))])
            tangents = iter(jvp.program.results[len(results) :])
            used = _made_from(jvp.program, jvp.program.parameters[-1])
            for number, nonzero in enumerate(jvp.nonzero):
                if nonzero and next(tangents) in used:
                    kept[number] |= operand.slope
    return kept


def _made_from(program: Program, parameter: Value) -> set[Atom]:
    """Return the values of a program that depend on a parameter."""
    found: set[Atom] = {parameter}
    for equation in program.equations:
        if not found.isdisjoint(equation.operands):
            found.update(equation.results)
    return found

"""Data-flow analyses over structured control flow: forward, from operands to results, and backward.

An analysis assigns each value a state, an element of a lattice with finite chains, and joins the states of the values
that may reach a place. Around the back edges of loops it iterates until nothing changes: with a monotone `transfer`,
that is the least fixed point. Operations describe their edges by `Primitive.flows`.

`forward` and `backward` analyse one operation, given what a region does to states. `ForwardAnalysis` analyses whole
programs, each once for the states of its parameters; nested programs are on a stack of generators, not on Python's.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import reduce
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar, final

from treadle_ir.core.flows import OPERANDS, Flows, Origin
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.requests import run_requests
from treadle_ir.core.values import Atom, Literal, Value

S = TypeVar("S")
Join: TypeAlias = Callable[[S, S], S]
"""The state of a value that is one of two values with these states."""
Transfer: TypeAlias = Callable[[Program, tuple[S, ...]], Sequence[S]]
"""What a region does to states: from parameters to results, or from results to parameters in a backward analysis."""
Request: TypeAlias = tuple[Program, tuple[S, ...]]
"""A region, and the states of its parameters."""
_MOST_ANSWERS: Final = 64  # per analysis and program, as in `derived`


@final
class Solution(NamedTuple, Generic[S]):
    """The states at the fixed point: of the parameters and results of each region, and of the values at the end.

    `ends` are the results of the operation in a forward analysis, and its operands in a backward one.
    """

    parameters: tuple[tuple[S, ...], ...]
    returned: tuple[tuple[S, ...], ...]
    ends: tuple[S, ...]


def forward(
    flows: Flows,
    operands: Sequence[S],
    transfer: Transfer[S],
    join: Join[S],
    *,
    control: bool = False,
) -> Solution[S]:
    """Find the states of the values in an operation from the states of its operands.

    Args:
        flows: the edges of the operation.
        operands: one state per operand.
        transfer: the states of a region's results, from the states of its parameters.
        join: the least upper bound of two states.
        control: whether values also have the state of the predicate that decides whether they are computed.

    Example:
        >>> from operator import or_
        >>> from treadle_ir.primitives.control import Scan
        >>> from treadle_ir.text import parse_program
        >>> body = parse_program("treadle 1\\nprogram @main(%x: f32[], %y: f32[]) {\\n  return %y, %y\\n}\\n")
        >>> forward(Scan(body, 3, carries=2).flows(), [False, True], lambda _, given: given[1:] * 2, or_).ends
        (True, True)
    """
    return _driven(forward_steps(flows, operands, join, control=control), transfer)


def backward(
    flows: Flows,
    results: Sequence[S],
    transfer: Transfer[S],
    join: Join[S],
    bottom: S,
    *,
    control: bool = False,
) -> Solution[S]:
    """Find the states of the values in an operation from the states of its results.

    Args:
        flows: the edges of the operation.
        results: one state per result.
        transfer: the states of a region's parameters, from the states of its results.
        join: the least upper bound of two states.
        bottom: the state of a value that nothing uses.
        control: whether the predicate also has the states of the values whose computation it decides.
    """
    return _driven(_backward(flows, results, join, bottom, control), transfer)


def _driven(
    steps: Generator[Request[S], Sequence[S], Solution[S]], transfer: Transfer[S]
) -> Solution[S]:
    """Run a fixed-point iteration, with `transfer` as the answer to its requests."""
    try:
        request = next(steps)
        while True:
            request = steps.send(transfer(*request))
    except StopIteration as stop:
        solution: Solution[S] = stop.value
        return solution


def forward_steps(
    flows: Flows, operands: Sequence[S], join: Join[S], *, control: bool = False
) -> Generator[Request[S], Sequence[S], Solution[S]]:
    """Yield each region that `forward` analyses and the states of its parameters; receive the states of its results.

    The arguments are the same as for `forward`. The caller decides how to analyse a region, for example by a generator.
    """
    regions, entries, exits, backedges, predicate, *_ = flows
    parameters = [tuple(map(operands.__getitem__, entry)) for entry in entries]
    returned: list[tuple[S, ...]] = [()] * len(parameters)
    if not control:
        predicate = None
    decided: list[S] = []  # the state of the predicate, once it is known
    pending = [*range(len(parameters))]
    while pending:
        region = pending.pop(0)
        answer = returned[region] = tuple((yield regions[region], parameters[region]))
        if predicate is not None and predicate.region == region:
            decided = [answer[predicate.place]]
        for target, sources in enumerate(backedges):
            grown = [*parameters[target]]
            for i, source in enumerate(sources):
                if source is not None:
                    of, place = source
                    if of == region:
                        grown[i] = join(grown[i], answer[place])
                    if decided:
                        grown[i] = join(grown[i], decided[0])
            after = tuple(grown)
            if after != parameters[target]:
                parameters[target] = after
                if target not in pending:
                    pending.append(target)
    if predicate is not None and predicate.region == OPERANDS:
        decided = [operands[predicate.place]]
    states = [*returned, operands]  # the last of which are at the place OPERANDS
    ends = []
    for origins in exits:
        region, place = origins[0]
        end = states[region][place]
        if decided or len(origins) > 1:
            end = reduce(join, [*decided, *[states[region][place] for region, place in origins]])
        ends.append(end)
    return Solution(tuple(parameters), tuple(returned), tuple(ends))


def _backward(
    flows: Flows, results: Sequence[S], join: Join[S], bottom: S, control: bool
) -> Generator[Request[S], Sequence[S], Solution[S]]:
    """Run the same iteration with all edges turned round."""
    operands = [bottom] * (1 + max([i for entry in flows.entry for i in entry], default=-1))
    if flows.exclusive and flows.predicate is not None:
        operands += [bottom] * (1 + flows.predicate.place - len(operands))
    returned = [[bottom] * len(region.results) for region in flows.regions]
    parameters: list[tuple[S, ...]] = [()] * len(returned)

    def reach(origin: Origin, state: S) -> None:
        states = operands if origin.region == OPERANDS else returned[origin.region]
        states[origin.place] = join(states[origin.place], state)

    for state, sources in zip(results, flows.exits, strict=True):
        for source in sources:
            reach(source, state)
    if control and flows.predicate is not None:
        reach(flows.predicate, reduce(join, results, bottom))
    pending = [*range(len(returned))]
    while pending:
        region = pending.pop()
        parameters[region] = tuple((yield flows.regions[region], tuple(returned[region])))
        for i, state in zip(flows.entry[region], parameters[region], strict=True):
            operands[i] = join(operands[i], state)
        if not flows.backedges:
            continue
        before = [[*each] for each in returned]
        for source, state in zip(flows.backedges[region], parameters[region], strict=True):
            if source is not None:
                reach(source, state)
        pending += [i for i, each in enumerate(before) if returned[i] != each and i not in pending]
    return Solution(tuple(parameters), tuple(map(tuple, returned)), tuple(operands))


@final
class ForwardAnalysis(Generic[S]):
    """A forward analysis of programs: from the states of a program's parameters to the states of its other values.

    Args:
        operation: the states of an equation's results, from the states of its operands.
        join: the least upper bound of two states.
        literal: the state of a literal.
        flows: the flows of an equation whose regions are analysed, given the states of its operands; None passes the
            equation to `operation`.
        control: as for `forward`.

    Each program caches its answers under the analysis, so make an analysis once and reuse it.
    """

    def __init__(
        self,
        operation: Callable[[Equation, Sequence[S]], Sequence[S]],
        join: Join[S],
        literal: S,
        *,
        flows: Callable[[Equation, Sequence[S]], Flows | None],
        control: bool = False,
    ) -> None:
        self._operation: Final = operation
        self._join: Final = join
        self._literal: Final = literal
        self._flows: Final = flows
        self._control: Final = control

    def results(self, program: Program, parameters: Sequence[S]) -> tuple[S, ...]:
        """Return the states of a program's results."""
        request = program, tuple(parameters)
        answer = self._known(request)
        return self._run(self._program(*request)) if answer is None else answer

    def _run(self, first: Generator[Request[S], Any, tuple[S, ...]]) -> tuple[S, ...]:
        return run_requests(first, self._known, lambda request: self._program(*request))

    def values(self, program: Program, parameters: Sequence[S]) -> dict[Value, S]:
        """Return the states of all values of a program, except the values of nested programs."""
        states: dict[Value, S] = {}
        self._run(self._program(program, tuple(parameters), states))
        return states

    def within(self, primitive: Primitive, operands: Sequence[S]) -> Solution[S]:
        """Return the states within an operation that has flows."""
        flows = primitive.flows()
        assert flows is not None, f"{primitive.name} has no flows"
        return forward(flows, operands, self.results, self._join, control=self._control)

    def _known(self, request: Request[S]) -> tuple[S, ...] | None:
        answers: dict[tuple[S, ...], tuple[S, ...]] | None = request[0].derived.get(self)
        return None if answers is None else answers.get(request[1])

    def _remember(self, program: Program, parameters: tuple[S, ...], answer: tuple[S, ...]) -> None:
        answers = program.derived.setdefault(self, {})
        if len(answers) >= _MOST_ANSWERS:
            answers.clear()
        answers[parameters] = answer

    def _program(
        self, program: Program, parameters: tuple[S, ...], states: dict[Value, S] | None = None
    ) -> Generator[Request[S], Any, tuple[S, ...]]:
        found: dict[Value, S] = {} if states is None else states
        found.update(zip(program.parameters, parameters, strict=True))

        def state(atom: Atom) -> S:
            return self._literal if type(atom) is Literal else found[atom]

        for equation in program.equations:
            operands = [state(atom) for atom in equation.operands]
            flows = self._flows(equation, operands)
            if flows is None:
                ends = self._operation(equation, operands)
            else:
                solution = yield from forward_steps(
                    flows, operands, self._join, control=self._control
                )
                ends = solution.ends
            found.update(zip(equation.results, ends, strict=True))
        answer = tuple([state(atom) for atom in program.results])
        self._remember(program, parameters, answer)
        return answer

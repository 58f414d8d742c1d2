"""Programs evaluated one operation at a time, with all values kept, and the runs of the programs nested in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, TypeAlias, final

import numpy as np

from treadle_ir import (
    ArrayType,
    Atom,
    ControlFlow,
    Equation,
    Literal,
    Operand,
    Program,
    UnsupportedError,
    Value,
    bind,
)
from treadle_ir.core import Flows, InlineCall, inferred
from treadle_ir.core.dtypes import is_inexact
from treadle_ir.primitives.shard_map import ShardMap
from treadle_ir.rewrite import inside_out, rebuilt

Elements: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Element: TypeAlias = tuple[int, ...]
Test: TypeAlias = Callable[[Elements], Elements]
_MOST_ITERATIONS: Final = 10_000


def quiet(program: Program) -> Program:
    """Return a program without the operations that only have effects, such as printing, also in nested programs.

    Args:
        program: the program.
    """
    made: dict[int, Program] = {}
    result = program
    for each in inside_out(program):
        result = made[id(each)] = _without_effects(rebuilt(each, made))
    return result


def _without_effects(program: Program) -> Program:
    """Return a program without operations that have effects and no results."""
    if not program.effects:
        return program
    equations = []
    for equation in program.equations:
        if equation.effects and not equation.results:
            continue
        if equation.effects:
            _, effects = inferred(equation.primitive, tuple([x.type for x in equation.operands]))
            primitive, operands, results, _, source = equation
            equations.append(Equation(primitive, operands, results, effects, source))
        else:
            equations.append(equation)
    return Program(program.parameters, tuple(equations), program.results)


@final
@dataclass(frozen=True, eq=False)
class Run:
    """A run of a program, with all its values.

    Attributes:
        program: the program.
        values: the value of each parameter and result of an operation. Any array: from users, or as evaluated.
        makers: the operation that made each value.
        tracked: the values that depend on tracked parameters.
        inside: what runs the program, outermost first: `iteration 2 of scan`, empty for the whole.
        origins: for a nested program the run and the value that each parameter comes from.
        step: the number of the iteration; None outside of loops.
        sliced: the parameters that are slices of the value that they come from, with the number `step`.
    """

    program: Program
    values: dict[Value, Operand]
    makers: dict[Value, Equation] = field(default_factory=dict)
    tracked: set[Atom] = field(default_factory=set)
    inside: tuple[str, ...] = ()
    origins: dict[Value, tuple[Run, Atom]] = field(default_factory=dict)
    step: int | None = None
    sliced: frozenset[Value] = frozenset()
    _runs: dict[int, list[Run]] = field(default_factory=dict)  # by the id of the operation

    @classmethod
    def of(
        cls,
        program: Program,
        operands: Sequence[Operand],
        tracked: Iterable[int] = (),
    ) -> Run:
        """Run a program.

        Args:
            program: the program.
            operands: one array for each parameter.
            tracked: the positions of the parameters whose dependent values are to be known.

        Raises:
            UnsupportedError: an operation of the program has effects and results.
        """
        run = cls(program, dict(zip(program.parameters, operands, strict=True)))
        run.tracked.update([program.parameters[i] for i in tracked])
        return run._evaluated()

    def _evaluated(self) -> Run:
        """Evaluate each operation, and return the run."""
        for equation in self.program.equations:
            if equation.effects:
                raise UnsupportedError(f"{equation.primitive.name} has effects")
            results = bind(equation.primitive, *[self.operand(x) for x in equation.operands])
            self.values.update(zip(equation.results, results, strict=True))
            self.makers.update(dict.fromkeys(equation.results, equation))
            if not self.tracked.isdisjoint(equation.operands):
                self.tracked.update(equation.results)
        return self

    def operand(self, atom: Atom) -> Operand:
        """Return the array of a value or literal, as an operand."""
        if type(atom) is Literal:
            return atom if atom.type.weak else atom.value
        return self.values[atom]  # a value

    def elements(self, atom: Atom) -> Elements | None:
        """Return the elements of a floating or complex value; None of another."""
        if not isinstance(atom.type, ArrayType) or not is_inexact(atom.type.dtype):
            return None
        return self.shown(atom)

    def shown(self, atom: Atom) -> Elements:
        """Return the elements of a value."""
        return np.asarray(atom.value if type(atom) is Literal else self.values[atom])

    def came_from(self, parameter: Value, at: Element) -> tuple[Run, Atom, Element]:
        """Return the run, the value and the element that an element of a parameter of a nested program comes from.

        Args:
            parameter: a parameter of this run's program, one of `origins`.
            at: the element.
        """
        outer, atom = self.origins[parameter]
        if parameter in self.sliced and self.step is not None:
            return outer, atom, (self.step, *at)
        return outer, atom, at

    def entered(
        self, equation: Equation, result: Value, at: Element
    ) -> tuple[Run, Atom, Element] | None:
        """Return the run, the value and the element of a nested program that became an element of a result.

        None is returned for an operation without nested programs, or if none of them made the element.

        Args:
            equation: an operation of this program.
            result: one of its results.
            at: the element.
        """
        runs = self.inner(equation)
        flows = equation.primitive.flows() if runs else None
        if flows is None:
            return None
        place = equation.results.index(result)
        stacked = flows.stacked is not None and place >= flows.stacked
        inner = next((x for x in runs if x.step == at[0]), None) if stacked and at else runs[-1]
        if inner is None:
            return None
        for origin in flows.exits[place]:
            if origin.region >= 0 and flows.regions[origin.region] is inner.program:
                return inner, inner.program.results[origin.place], at[1:] if stacked else at
        return None

    def inner(self, equation: Equation) -> list[Run]:
        """Return the runs of the programs nested in an operation, in the order in which they ran.

        A loop of more than 10,000 iterations has none. The runs that decide whether a loop goes on are left out.

        Args:
            equation: an operation of this program.
        """
        found = self._runs.get(id(equation))
        if found is None:
            found = self._runs[id(equation)] = list(self._inner_runs(equation))
        return found

    def _inner_runs(self, equation: Equation) -> Iterator[Run]:
        """Yield the runs of the programs nested in an operation."""
        primitive = equation.primitive
        if isinstance(primitive, ShardMap):
            yield from self._shard(equation, primitive)
            return
        flows = primitive.flows() if isinstance(primitive, InlineCall | ControlFlow) else None
        if flows is None:
            return
        operands = [(self, atom) for atom in equation.operands]
        if flows.iterations is not None:
            yield from self._iterations(equation, flows, operands)
            return
        chosen, what = 0, getattr(primitive, "label", "") or primitive.name
        if flows.predicate is not None:
            last = len(flows.regions) - 1
            chosen = min(max(int(self.shown(equation.operands[flows.predicate.place])), 0), last)
            what = f"branch {chosen} of {primitive.name}"
        given = [operands[i] for i in flows.entry[chosen]]
        yield self._inner(flows.regions[chosen], given, None, what)

    def _shard(self, equation: Equation, primitive: ShardMap) -> Iterator[Run]:
        """Yield the run of the body on the only shard; nothing where there are several, as they exchange values."""
        if primitive.size != 1:
            return
        given = [(self, atom) for atom in equation.operands]
        with primitive.inside():
            run = self._inner(primitive.body, given, None, primitive.name)
        yield run

    def _iterations(
        self, equation: Equation, flows: Flows, operands: Sequence[tuple[Run, Atom]]
    ) -> Iterator[Run]:
        """Yield the runs of the body of a loop."""
        iterations = flows.iterations
        assert iterations is not None
        most, predicate = iterations.most, flows.predicate
        if most is not None and most > _MOST_ITERATIONS:
            return
        steps: Iterable[int] = count() if most is None else range(most)
        if most is not None and iterations.reverse:
            steps = reversed(range(most))
        returned: list[Sequence[tuple[Run, Atom]]] = [()] * len(flows.regions)
        for step in steps:
            if step > _MOST_ITERATIONS:
                return
            for number, region in enumerate(flows.regions):
                given = flows.arguments(number, operands, returned, lambda x, _: x, step)
                sliced = [flows.is_sliced(i) for i in flows.entry[number]]
                what = f"iteration {step} of {equation.primitive.name}"
                run = self._inner(region, given, (step, sliced), what)
                returned[number] = [(run, atom) for atom in region.results]
                if predicate is None or predicate.region != number:
                    yield run
                elif not run.shown(region.results[predicate.place]):
                    return

    def _inner(
        self,
        region: Program,
        given: Sequence[tuple[Run, Atom]],
        step: tuple[int, Sequence[bool]] | None,
        what: str,
    ) -> Run:
        """Run a nested program: its parameters are values of this run or of earlier iterations."""
        values: dict[Value, Operand] = {}
        origins: dict[Value, tuple[Run, Atom]] = {}
        tracked: set[Atom] = set()
        for place, (parameter, (run, atom)) in enumerate(
            zip(region.parameters, given, strict=True)
        ):
            value = run.operand(atom)
            if step is not None and step[1][place]:
                value = np.asarray(run.shown(atom)[step[0]])
            elif type(atom) is Literal:
                value = atom.value
            values[parameter] = value
            origins[parameter] = run, atom
            if atom in run.tracked:
                tracked.add(parameter)
        sliced: frozenset[Value] = frozenset()
        if step is not None:
            pairs = zip(region.parameters, step[1], strict=True)
            sliced = frozenset([parameter for parameter, is_slice in pairs if is_slice])
        number = None if step is None else step[0]
        inside = (*self.inside, what)
        inner = Run(region, values, {}, tracked, inside, origins, number, sliced)
        return inner._evaluated()


def first_element(elements: Elements, test: Test) -> Element | None:
    """Return the index of the first element that passes a test; None if none does.

    Args:
        elements: an array.
        test: returns for each element whether it passes.
    """
    found = np.argwhere(test(elements))
    return tuple([int(i) for i in found[0]]) if len(found) else None

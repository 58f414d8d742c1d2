"""Dead code elimination: equations without effects whose results are unused are removed.

This includes nested programs. A call (`InlineCall`) also loses unused results, and operands that only these results
need; loops and branches keep all results, since a result may feed the next iteration.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Final, TypeAlias, final

from treadle_ir.core.equality import programs_of
from treadle_ir.core.families import InlineCall
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.requests import run_requests
from treadle_ir.core.typing import inferred
from treadle_ir.core.values import Value
from treadle_ir.primitives.call import CustomJvpStaged, CustomVjpStaged
from treadle_ir.rewrite.nested import with_nested, with_primitive

Needed: TypeAlias = tuple[bool, ...]  # by result
_Request: TypeAlias = tuple[Program, Needed]

# A program that is called in many places gets at most so many versions that compute different results.
_MAX_VERSIONS: Final = 4

# Their derivative rules concern all operands and all results.
_WHOLE: Final = (CustomJvpStaged, CustomVjpStaged)


def dce(program: Program, *, kept: bool = False) -> Program:
    """Remove equations that have no effects and are not needed for the results.

    Parameters, results and the order of effects are preserved.

    Args:
        program: any program.
        kept: whether nested programs store their pruned versions, for callers that continue with programs which
            contain the given ones.
    """
    return _Dce(kept).run(program)


def prune(program: Program) -> Program:
    """Apply `dce` on the outermost level only, for programs made from programs that have been through `dce`."""
    live: set[object] = {atom for atom in program.results if type(atom) is Value}
    equations: list[Equation] = []
    for equation in reversed(program.equations):
        if equation.effects or not live.isdisjoint(equation.results):
            equations.append(equation)
            live.update(equation.operands)
    if len(equations) == len(program.equations):
        return program
    return Program(program.parameters, tuple(reversed(equations)), program.results)


def _found_before(program: Program, needed: Needed) -> Program | None:
    """Return the stored version of a program without dead code, or None if none is stored."""
    key = _Dce, needed
    if key not in program.derived:
        return None
    found: Program | None = program.derived[key]
    return program if found is None else found


@final
class _Dce:
    """One run over (program, needed results) pairs, each once; a stack of generators replaces recursion."""

    def __init__(self, kept: bool) -> None:
        self.keeps = kept  # beyond this run
        self.done: dict[tuple[int, Needed], Program] = {}
        self.versions: dict[int, set[Needed]] = {}
        self.shortened: dict[int, tuple[Program, tuple[int, ...]]] = {}
        self.kept: list[Program] = []  # so that their ids stay unique

    def run(self, program: Program) -> Program:
        everything = (True,) * len(program.results)
        return run_requests(
            self.work(program, everything), self.known, lambda request: self.work(*request)
        )

    def known(self, request: _Request) -> Program | None:
        """Return the program that answers a request if this run, or an earlier one, has made it."""
        found = self.done.get((id(request[0]), request[1]))
        return _found_before(*request) if found is None and self.keeps else found

    def work(
        self, program: Program, needed: Needed
    ) -> Generator[_Request, Program | None, Program]:
        """Return the program with only the needed results; the same object if nothing is dead."""
        results = program.results
        if not all(needed):
            results = tuple([x for x, wanted in zip(results, needed, strict=True) if wanted])
        live: set[object] = {x for x in results if type(x) is Value}
        equations: list[Equation] = []
        changed = len(results) != len(program.results)
        no_programs = Primitive.programs
        for equation in reversed(program.equations):
            if not equation.effects and live.isdisjoint(equation.results):
                changed = True
                continue
            if type(equation.primitive).programs is not no_programs:  # `has_programs`, inlined
                shorter = yield from self.nested(equation, live)
                changed = changed or shorter is not equation
                equation = shorter
            equations.append(equation)
            live.update(equation.operands)
        if changed:
            equations.reverse()
            made = Program(program.parameters, tuple(equations), results)
        else:
            made = program
        self.kept.append(program)
        self.done[id(program), needed] = made
        if self.keeps:  # no program stores itself
            program.derived[_Dce, needed] = None if made is program else made
        return made

    def nested(
        self, equation: Equation, live: set[object]
    ) -> Generator[_Request, Program | None, Equation]:
        primitive = equation.primitive
        if isinstance(primitive, InlineCall) and not isinstance(primitive, _WHOLE):
            needed = tuple([result in live for result in equation.results])
            versions = self.versions.setdefault(id(primitive.program), set())
            if needed not in versions and len(versions) >= _MAX_VERSIONS:
                needed = (True,) * len(needed)
            versions.add(needed)
            program = yield primitive.program, needed
            assert program is not None
            return self.shorter_call(equation, primitive, program, needed)
        made: dict[int, Program] = {}
        for each in programs_of(primitive):
            program = yield each, (True,) * len(each.results)
            assert program is not None
            made[id(each)] = program
        return with_primitive(equation, with_nested(primitive, made))

    def shorter_call(
        self, equation: Equation, primitive: InlineCall, program: Program, needed: Needed
    ) -> Equation:
        shorter, places = self.without_unused(program)
        if all(needed) and shorter is program:
            changed = with_nested(primitive, {id(primitive.program): program})
            return with_primitive(equation, changed)
        call = primitive.rebuilt(shorter, places)
        operands = tuple([equation.operands[i] for i in places])
        results = tuple([x for x, wanted in zip(equation.results, needed, strict=True) if wanted])
        _, effects = inferred(call, tuple([operand.type for operand in operands]))
        return Equation(call, operands, results, effects, equation.source)

    def without_unused(self, program: Program) -> tuple[Program, tuple[int, ...]]:
        """Return a program without its unused parameters, and the positions of the others.

        All calls share the result: copies would be lowered one by one, and twice as many at each level of calls.
        """
        found = self.shortened.get(id(program))
        if found is None:
            used: set[object] = {
                x for each in program.equations for x in each.operands if type(x) is Value
            }
            used.update(x for x in program.results if type(x) is Value)
            parameters = program.parameters
            places = tuple([i for i, parameter in enumerate(parameters) if parameter in used])
            shorter = program
            if len(places) < len(parameters):
                kept = tuple([parameters[i] for i in places])
                shorter = Program(kept, program.equations, program.results)
            found = self.shortened[id(program)] = shorter, places
            self.kept.append(program)
        return found

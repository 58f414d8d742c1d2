"""The walk over a program: each equation is written by its rule; nested programs stand in place or are functions.

Values are numbered in order of emission in each function.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, final

from treadle_compiler.context import FRONTEND_ATTRIBUTES, LoweringContext
from treadle_compiler.function_text import function_text
from treadle_compiler.kept import kept
from treadle_compiler.legalise import Target, legalise
from treadle_compiler.legalise.rewriting import written_length
from treadle_compiler.locations import Locations
from treadle_compiler.module import Module
from treadle_compiler.partitioning import ManualScope
from treadle_compiler.registry import LoweringRule, lowering_of
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import TOKEN, Equation, Primitive, Program, Value
from treadle_ir.core import Extension
from treadle_ir.primitives.metadata import Metadata

_MOST_NOTES: Final = 4  # of an error: of deeply nested programs, the innermost say enough
_INLINE_LIMIT: Final = 4  # equations: smaller nested programs are cheaper inline than as functions


@final
class Walk:
    """Lowers the programs of a module, and remembers which of them are functions already."""

    def __init__(
        self,
        module: Module,
        locations: bool = False,
        named: str | None = None,
    ) -> None:
        self.module: Final = module
        self.has_own_rules = False  # whether a rule of a library's own was called
        self._target: Final = Target(module.platform, module.partitioning is not None)
        self._locations: Final = Locations(locations, named)
        # By id of a nested program, by what its collectives are over, and by its attributes. Programs that rules have
        # made are stored: the next ones would get their ids.
        self._names: dict[tuple[int, ManualScope | None, Metadata, bool], str] = {}
        self._written: list[Program] = []
        self._rules: dict[type[Primitive], LoweringRule[Any]] = {}  # those used so far

    @functools.cached_property
    def called_again(self) -> frozenset[int]:
        """The programs that stand at several places, by id: counted when the first call is met."""
        program = self.module.program
        calls = Counter(
            id(called)
            for each in (program, *program.nested())
            for equation in each.equations
            for called in equation.primitive.programs().values()
        )
        return frozenset([program for program, count in calls.items() if count > 1])

    def _is_small(self, program: Program) -> bool:
        """Return whether a program is cheaper in place; if it is called again, with all that it calls.

        Else calls of calls would double the text each time. What is called once stays in place: XLA follows calls by
        recursion, and dies of four hundred within one another.
        """
        count = written_length(program)
        if count <= _INLINE_LIMIT and id(program) in self.called_again:
            for each in program.nested():  # a few of these, where many are nested
                count += written_length(each)
                if count > _INLINE_LIMIT:
                    break
        return count <= _INLINE_LIMIT

    def call(
        self,
        context: LoweringContext,
        program: Program,
        operands: HloValues,
        inlining: str = "",
    ) -> HloValues:
        """Call the program's function, which is written when it is first called; small programs are inlined.

        `inlining` is an attribute by which XLA knows when to inline the call; it keeps small ones from being inlined.
        """
        small = not inlining and self._is_small(program)
        ordered = any(e.ordered for e in program.effects)
        # With ordered effects, a function takes their token and returns the next one; what is called once has none.
        if small or (ordered and id(program) not in self.called_again):
            return self.inline(context, program, operands)
        name = self.function(context, program, takes_token=ordered)
        attributes = {"callee": name}
        if inlining:
            attributes[FRONTEND_ATTRIBUTES] = f'{{inlineable = "{inlining}"}}'
        if ordered:
            given, types = (context.token_before(), *operands), (TOKEN, *program.result_types)
            context.token, *results = context.emit("func.call", given, types, attributes)
        else:
            results = context.emit("func.call", operands, program.result_types, attributes)
        return results

    def function(
        self, context: LoweringContext, program: Program, *, takes_token: bool = False
    ) -> str:
        """Return the name of a program's function, which is written when it is first asked for.

        With `takes_token`, the function has the token of ordered effects as its first parameter and first result.
        """
        key = id(program), context.manual, context.metadata, takes_token
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = f"@f{len(self._names)}"
            self._written.append(program)
            inner = LoweringContext(self.module, self, context)
            self.write_function(inner, name, program, "private", takes_token=takes_token)
        return name

    def legalised(self, program: Program) -> Program:
        """Return a program that a rule has made after the passes that the whole program has been through."""
        target = self._target
        found: Program = kept(program, ("legalised", target), lambda: legalise(program, target))
        return found

    def inline(
        self, context: LoweringContext, program: Program, operands: HloValues
    ) -> list[HloValue]:
        """Write the program's equations here."""
        locations = self._locations
        environment: dict[Value, HloValue] = dict(zip(program.parameters, operands, strict=True))
        outer = context.result_types, context.location, context.scope
        scope = locations.within(context.scope, program)
        for equation in program.equations:
            primitive, atoms, made, _, source = equation
            inputs = [environment[x] if type(x) is Value else context.literal(x) for x in atoms]
            # One result, as nearly always.
            context.result_types = (
                (made[0].type,) if len(made) == 1 else tuple([x.type for x in made])
            )
            if scope or source.scope or locations.always:
                context.scope = locations.scope(scope, source, primitive)
                context.location = locations.text(context.scope, source, primitive)
            else:
                context.scope = context.location = ""
            try:
                results = self._by_rule(context, primitive, inputs)
            except Exception as error:
                _note(error, equation)
                raise
            if len(made) == 1:
                (environment[made[0]],) = results
            else:
                environment.update(zip(made, results, strict=True))
        context.result_types, context.location, context.scope = outer
        return [
            environment[x] if isinstance(x, Value) else context.literal(x) for x in program.results
        ]

    def _by_rule(
        self, context: LoweringContext, primitive: Primitive, inputs: HloValues
    ) -> HloValues:
        """Return the results of an operation, by its rule."""
        rule = self._rules.get(type(primitive))
        if rule is None:
            rule = self._rules[type(primitive)] = lowering_of(primitive, self.module.platform)
            self.has_own_rules |= isinstance(primitive, Extension)
        return rule(context, primitive, *inputs)

    def write_main(
        self,
        context: LoweringContext,
        attributes: Sequence[Sequence[str]] = (),
        result_attributes: Sequence[Sequence[str]] = (),
    ) -> None:
        """Write the function of the whole program; attributes are of its parameters and results."""
        named, program = self._locations.named, self.module.program
        context.scope = "" if named is None else f"jit({named})"
        self.write_function(context, "@main", program, "public", attributes, result_attributes)

    def write_function(
        self,
        context: LoweringContext,
        name: str,
        program: Program,
        visibility: str,
        attributes: Sequence[Sequence[str]] = (),
        result_attributes: Sequence[Sequence[str]] = (),
        takes_token: bool = False,
    ) -> None:
        """Write a function of the module in a context of its own."""
        module = self.module
        place = module.reserve()
        token = context.token = context.fresh(TOKEN) if takes_token else None
        parameters = [context.fresh(parameter.type) for parameter in program.parameters]
        results = self.inline(context, program, parameters)
        if token is not None:
            parameters, results = [token, *parameters], [context.token_before(), *results]
        module.fill(
            place,
            function_text(
                name, visibility, context.lines, parameters, results, attributes, result_attributes
            ),
        )


def _note(error: Exception, equation: Equation) -> None:
    """Add to an error which operation was being lowered, and its place."""
    if len(getattr(error, "__notes__", ())) < _MOST_NOTES:
        place = equation.source.show()
        where = f" of {place}" if place else ""
        error.add_note(f"  while: lowering {equation.primitive.name}{where}")

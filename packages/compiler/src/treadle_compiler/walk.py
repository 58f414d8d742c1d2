"""The walk over a program: each equation is written by its rule; nested programs stand in place or are functions.

Values are numbered in order of emission in each function.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, final

from treadle_compiler.context import FRONTEND_ATTRIBUTES, LoweringContext
from treadle_compiler.function_text import function_text
from treadle_compiler.kept import kept
from treadle_compiler.legalise import Target, legalise
from treadle_compiler.legalise.rewriting import written_length
from treadle_compiler.locations import Locations
from treadle_compiler.memories import Memories, moved, usable
from treadle_compiler.module import Module
from treadle_compiler.partitioning import ManualScope
from treadle_compiler.registry import LoweringRule, lowering_of
from treadle_compiler.value import HloValue
from treadle_ir import TOKEN, Equation, Primitive, Program, Value
from treadle_ir.core import Extension, sums_of
from treadle_ir.primitives.memory import DEVICE_MEMORY
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
        memories: Memories | None = None,
        named: str | None = None,
    ) -> None:
        self.module: Final = module
        self.memories = memories
        module.has_memories = memories is not None
        self.has_own_rules = False  # whether a rule of a library's own was called
        self._has_sums: Final = _has_sums(module)
        self._target: Final = Target(module.platform, module.partitioning is not None)
        self._locations: Final = Locations(locations, named)
        # By id of a nested program, by what its collectives are over, and by its attributes. Programs that rules have
        # made are stored: the next ones would get their ids.
        self._names: dict[tuple[int, ManualScope | None, Metadata, bool], str] = {}
        self._written: list[Program] = []
        self._memories: dict[str, list[str | None]] = {}  # the memories of functions' results
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
        operands: Sequence[HloValue],
        inlining: str = "",
    ) -> Sequence[HloValue]:
        """Call the program's function, which is written when it is first called; small programs are inlined.

        `inlining` is an attribute by which XLA knows when to inline the call; it keeps small ones from being inlined.
        """
        small = not inlining and self._is_small(program)
        ordered = any(e.ordered for e in program.effects)
        # With ordered effects, a function takes their token and returns the next one; what is called once has none.
        if small or (ordered and id(program) not in self.called_again):
            return self.inline(context, program, operands)
        if self.module.has_memories and any(x.memory is not None for x in operands):
            # Parameters of a function are in the device's own memory.
            return self.inline(context, program, operands)
        if self._has_sums and any(x.layout is not None for x in operands):  # nor are they sums
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
        if self.module.has_memories:
            for x, memory in zip(results, self._memories[name], strict=True):
                x.memory = memory
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
        self, context: LoweringContext, program: Program, operands: Sequence[HloValue]
    ) -> list[HloValue]:
        """Write the program's equations here."""
        module, locations = self.module, self._locations
        environment: dict[Value, HloValue] = dict(zip(program.parameters, operands, strict=True))
        if self._has_sums:
            from treadle_compiler.unreduced import starts_of  # noqa: PLC0415 - few programs have sums

            environment |= starts_of(context, program, environment)
        outer = context.result_types, context.location, context.scope
        scope = locations.within(context.scope, program)
        for equation in program.equations:
            primitive, atoms, made, _, source = equation
            inputs = [environment[x] if type(x) is Value else context.literal(x) for x in atoms]
            if module.has_memories:
                inputs = usable(context, program, equation, inputs)
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
                if self._has_sums:
                    results = self._by_rule_with_sums(context, program, equation, inputs)
                else:
                    results = self._by_rule(context, primitive, inputs)
            except Exception as error:
                _note(error, equation)
                raise
            if len(made) == 1:
                (environment[made[0]],) = results
            else:
                environment.update(zip(made, results, strict=True))
        context.result_types, context.location, context.scope = outer
        results = [
            environment[x] if isinstance(x, Value) else context.literal(x) for x in program.results
        ]
        if self._has_sums:
            from treadle_compiler.unreduced import ends_as_wanted  # noqa: PLC0415 - as above

            return ends_as_wanted(context, program, results)
        return results

    def _by_rule(
        self, context: LoweringContext, primitive: Primitive, inputs: Sequence[HloValue]
    ) -> Sequence[HloValue]:
        """Return the results of an operation, by its rule."""
        rule = self._rules.get(type(primitive))
        if rule is None:
            rule = self._rules[type(primitive)] = lowering_of(primitive, self.module.platform)
            self.has_own_rules |= isinstance(primitive, Extension)
        return rule(context, primitive, *inputs)

    def _by_rule_with_sums(
        self,
        context: LoweringContext,
        program: Program,
        equation: Equation,
        inputs: Sequence[HloValue],
    ) -> Sequence[HloValue]:
        """Return the results of an operation whose operands may be partial sums."""
        from treadle_compiler.sums import NONE, asked_of  # noqa: PLC0415 - as above
        from treadle_compiler.unreduced import lower_with_sums  # noqa: PLC0415

        made, primitive = equation.results, equation.primitive
        axes = asked_of(program).get(made[0], NONE) if made else NONE
        lower = functools.partial(self._by_rule, context, primitive)
        return lower_with_sums(context, primitive, inputs, axes, lower)

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
        is_main, partitioning = program is module.program, module.partitioning
        if is_main and self.memories is not None:
            for x, memory in zip(parameters, self.memories.parameters, strict=True):
                x.memory = memory
        if is_main and self._has_sums and partitioning is not None:
            from treadle_compiler.unreduced import with_sums  # noqa: PLC0415 - as above

            starts = [x if sums_of(x).unreduced else None for x in partitioning.parameters]
            ends = [sums_of(x).unreduced for x in partitioning.results]
            with with_sums(context, [(program, starts, ends)]):
                results = self.inline(context, program, parameters)
        else:
            results = self.inline(context, program, parameters)
        if is_main and module.has_memories:
            results = self._where_wanted(context, results)
        self._memories[name] = [x.memory for x in results]
        if token is not None:
            parameters, results = [token, *parameters], [context.token_before(), *results]
        module.fill(
            place,
            function_text(
                name, visibility, context.lines, parameters, results, attributes, result_attributes
            ),
        )

    def _where_wanted(
        self, context: LoweringContext, results: Sequence[HloValue]
    ) -> list[HloValue]:
        """Return the results of the program in the memories where they are wanted."""
        given = self.memories or Memories(
            (None,) * len(self.module.program.parameters), (None,) * len(results)
        )
        placed = [
            x if kind is None else moved(context, x, kind)
            for x, kind in zip(results, given.results, strict=True)
        ]
        self.memories = replace(given, results=tuple([x.memory or DEVICE_MEMORY for x in placed]))
        return placed

    def memories_differ(self, pairs: dict[int, int]) -> set[int]:
        """Return the parameters among pairs that are in a memory different from the result's."""
        if self.memories is None:
            return set()
        given = [kind or DEVICE_MEMORY for kind in self.memories.parameters]
        return {i for i, result in pairs.items() if given[i] != self.memories.results[result]}


def _has_sums(module: Module) -> bool:
    """Return whether a value may be a sum over devices that is not added up: only over several devices."""
    if module.partitioning is None:
        return False
    from treadle_compiler.sums import speaks_of_sums  # noqa: PLC0415 - few programs have partial sums

    return speaks_of_sums(module.program, module.partitioning)


def _note(error: Exception, equation: Equation) -> None:
    """Add to an error which operation was being lowered, and its place."""
    if len(getattr(error, "__notes__", ())) < _MOST_NOTES:
        place = equation.source.show()
        where = f" of {place}" if place else ""
        error.add_note(f"  while: lowering {equation.primitive.name}{where}")

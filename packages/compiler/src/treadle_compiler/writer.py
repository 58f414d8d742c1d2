"""The text of a module while it is written: its functions, meshes and callbacks.

Values are numbered in order of emission in each function and functions in order of first use, so a program gives
the same bytes in every process; the text is the key of the disk cache.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from typing import Any, Final, final

from treadle_compiler.annotations import annotated_values, metadata_of
from treadle_compiler.context import FRONTEND_ATTRIBUTES, HloValue, LoweringContext
from treadle_compiler.function_text import function_text
from treadle_compiler.memories import Memories, moved, usable
from treadle_compiler.narrow import in_wider_types, is_small
from treadle_compiler.partitioning import (
    CustomPart,
    Inspection,
    ManualScope,
    Partitioning,
    mesh_text,
)
from treadle_compiler.parts import in_parts
from treadle_compiler.recompute import kept_apart
from treadle_compiler.registry import LoweringRule, lowering_of
from treadle_compiler.repeated import reads_of
from treadle_compiler.sums import NONE, Axes, Mark, asked_of, speaks_of_sums
from treadle_compiler.types import is_in_parts, string_text
from treadle_compiler.unreduced import as_wanted, lower_with_sums
from treadle_ir import TOKEN, AbstractMesh, Primitive, Program, Value
from treadle_ir.core import Extension, sums_of
from treadle_ir.errors import Source, within
from treadle_ir.primitives.call import Call, Checkpoint
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.primitives.memory import DEVICE_MEMORY
from treadle_ir.primitives.metadata import Metadata

_MOST_NOTES: Final = 4  # of an error: of programs deep within one another, the innermost say enough
_FIRST: Final = "@first"  # the mesh of the first device alone
_INLINE_LIMIT: Final = 4  # equations: smaller nested programs are cheaper inline than as functions


@final
class ModuleWriter:
    """Collects the functions of a module while it is written."""

    def __init__(
        self,
        program: Program,
        platform: str,
        locations: bool,
        partitioning: Partitioning | None = None,
        memories: Memories | None = None,
        named: str | None = None,
    ) -> None:
        self.program: Final = program
        self.partitioning: Final = partitioning
        self.memories = memories
        self.has_memories = memories is not None  # whether a value may be in a memory of the host
        self.has_sums = speaks_of_sums(program, partitioning)  # whether one may be unreduced
        # By id of a program of a loop or a branch that is being written: which of its parameters and results are sums.
        self._sums: dict[int, tuple[Sequence[Mark], Sequence[Axes]]] = {}
        self.platform: Final = platform
        self.callbacks: list[Callable[..., object]] = []
        self.inspections: list[Inspection] = []
        self.custom_parts: list[CustomPart] = []
        self.has_own_rules = False  # whether a rule of a library's own was called
        self.open_regions = 0  # loops and branches around what is being written
        self.manual: ManualScope | None = None  # the shard_map around what is being written
        self.scope = ""  # the named scopes around what is being written, outermost first: `encoder/attention`
        self._named: Final = (
            named  # the function's name, if operations get names with transformations
        )
        self._parts: dict[
            int, str
        ] = {}  # of a loop or a branch that is being written, by id: `body`
        self.metadata: Metadata = ()  # attributes of what is being written
        self._locations = locations
        self._functions: list[str] = []
        self._meshes: dict[tuple[tuple[str, int], ...], str] = {}  # names, by axes
        self._has_first = False  # whether something is on the first device alone
        if partitioning is not None:
            self.mesh_name(partitioning.mesh)
        # By id of a nested program, by what its collectives are over, and by its attributes. Programs that rules have
        # made are kept alive: the next ones would get their ids.
        self._names: dict[tuple[int, ManualScope | None, Metadata, bool], str] = {}
        self._written: list[Program] = []
        self._shared: dict[Hashable, str] = {}  # names of functions that alike operations share
        self._memories: dict[str, list[str | None]] = {}  # where functions have their results
        self._rules: dict[type[Primitive], LoweringRule[Any]] = {}  # those used so far

    @functools.cached_property
    def apart(self) -> frozenset[int]:
        """The checkpoints behind barriers, by id: looked for when the first one is met."""
        return kept_apart(self.program)

    @functools.cached_property
    def called_again(self) -> frozenset[int]:
        """The programs that stand at several places, by id: counted when the first call is met."""
        calls = Counter(
            id(called)
            for each in (self.program, *self.program.nested())
            for equation in each.equations
            for called in equation.primitive.programs().values()
        )
        return frozenset([program for program, count in calls.items() if count > 1])

    def _is_small(self, program: Program) -> bool:
        """Whether a program is cheaper in place; of what is called again, with all that it calls.

        Else calls of calls would double the text each time. What is called once stays in place: XLA follows calls by
        recursion, and dies of four hundred within one another.
        """
        count = len(program.equations)
        if count <= _INLINE_LIMIT and id(program) in self.called_again:
            for each in program.nested():  # a few of these, where many are nested
                count += len(each.equations)
                if count > _INLINE_LIMIT:
                    break
        return count <= _INLINE_LIMIT

    def mesh_name(self, mesh: AbstractMesh) -> str:
        """The name of a mesh, which is declared when it is first asked for."""
        number = len(self._meshes)
        name = f"@mesh{number}" if number else "@mesh"
        return self._meshes.setdefault(mesh.shape_tuple, name)

    def on_first_device(self, count: int) -> str:
        """An attribute: the values of an operation, so many, are on the first device alone, where it takes place.

        XLA has to know that of what has effects; else each device would have them.
        """
        self._has_first = True
        return f"#sdy.sharding_per_value<[{', '.join([f'<{_FIRST}, []>'] * count)}]>"

    def add_callback(self, function: Callable[..., object]) -> int:
        """Register a host function; the index that selects it."""
        self.callbacks.append(function)
        return len(self.callbacks) - 1

    def add_inspection(self, callback: Callable[[Any], object], ndim: int) -> int:
        """Register someone who wants to know how an array lies; the number that selects it."""
        self.inspections.append(Inspection(callback, ndim))
        return len(self.inspections) - 1

    def add_custom_part(self, part: CustomPart) -> int:
        """Register a call whose user says how it is partitioned; the number that selects it."""
        self.custom_parts.append(part)
        return len(self.custom_parts) - 1

    def emit_program(
        self,
        context: LoweringContext,
        program: Program,
        operands: Sequence[HloValue],
        inlining: str = "",
    ) -> Sequence[HloValue]:
        """A call of the program's function, which is written when it is first called; small ones are inlined.

        `inlining` is an attribute by which XLA knows when to inline the call; it keeps small ones from being inlined.
        """
        small = not inlining and self._is_small(program)
        ordered = any(e.ordered for e in program.effects)
        if small or (ordered and not self._may_take_token(program)):
            return self.emit_inline(context, program, operands)
        if self.has_memories and any(x.memory is not None for x in operands):
            # Parameters of a function are in the device's own memory.
            return self.emit_inline(context, program, operands)
        if self.has_sums and any(x.lies is not None for x in operands):  # nor are they sums
            return self.emit_inline(context, program, operands)
        name = self.function(program, takes_token=ordered)
        attributes = {"callee": name}
        if inlining:
            attributes[FRONTEND_ATTRIBUTES] = f'{{inlineable = "{inlining}"}}'
        if ordered:
            given, types = (context.token_before(), *operands), (TOKEN, *program.result_types)
            context.token, *results = context.emit("func.call", given, types, attributes)
        else:
            results = context.emit("func.call", operands, program.result_types, attributes)
        if self.has_memories:
            for x, memory in zip(results, self._memories[name], strict=True):
                x.memory = memory
        return results

    def _may_take_token(self, program: Program) -> bool:
        """Whether a program with ordered effects becomes a function, which takes their token and returns the next one.

        What is called once stays in place, and so does all that is divided over devices, of which one has the effects.
        """
        return self.partitioning is None and id(program) in self.called_again

    def function(self, program: Program, *, takes_token: bool = False) -> str:
        """The name of a program's function, which is written when it is first asked for.

        With `takes_token`, the function has the token of ordered effects as its first parameter and first result.
        """
        key = id(program), self.manual, self.metadata, takes_token
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = f"@f{len(self._names)}"
            self._written.append(program)
            self.write_function(name, program, "private", takes_token=takes_token)
        return name

    def shared(
        self,
        context: LoweringContext,
        rule: LoweringRule[Any],
        primitive: Primitive,
        operands: Sequence[HloValue],
    ) -> list[HloValue]:
        """What a rule emits, as a call of a function that all operations share which are alike."""
        types, results = tuple([x.type for x in operands]), context.result_types
        key = rule, primitive, types, results, self.manual, self.metadata
        name = self._shared.get(key)
        if name is None:
            inner = LoweringContext(self)
            inner.result_types = results
            parameters = [inner.fresh(type) for type in types]
            found = rule(inner, primitive, *parameters)
            name = self._shared[key] = self.add_function(
                lambda name: function_text(name, "private", inner.lines, parameters, found)
            )
        return context.emit("func.call", operands, results, {"callee": name})

    def _computed_once(self, context: LoweringContext, x: HloValue) -> HloValue:
        """The value, from a call of the identity that XLA does not inline: a barrier is gone before it fuses."""
        name = self._shared.get(x.type)
        if name is None:
            same = HloValue("%0", x.type)
            name = self._shared[x.type] = self.add_function(
                lambda name: function_text(name, "private", (), [same], [same])
            )
        attributes = {"callee": name, FRONTEND_ATTRIBUTES: '{inlineable = "false"}'}
        return context.one("func.call", (x,), x.type, attributes)

    def add_function(self, write: Callable[[str], str]) -> str:
        """Add a function that is text already, by what writes it with its name. Returns the name."""
        (name,) = self.add_functions(1, lambda names: [write(*names)])
        return name

    def add_functions(
        self, count: int, write: Callable[[Sequence[str]], Sequence[str]]
    ) -> list[str]:
        """Add so many functions that call one another, by what writes them with their names. Returns the names."""
        first = len(self._functions)
        names = [f"@b{first + number}" for number in range(count)]
        self._functions += write(names)
        return names

    def emit_inline(
        self, context: LoweringContext, program: Program, operands: Sequence[HloValue]
    ) -> list[HloValue]:
        """The program's equations, here."""
        environment: dict[Value, HloValue] = dict(zip(program.parameters, operands, strict=True))
        starts, ends = self._sums.get(id(program), ((), ()))
        for parameter, lies in zip(program.parameters, starts, strict=False):
            environment[parameter] = x = copy(environment[parameter])
            x.lies = lies
        asked = asked_of(program) if self.has_sums else {}
        outer = context.result_types, context.location
        around = self.scope
        part = self._parts.get(id(program))
        outer_scope = f"{around}/{part}" if part else around
        annotated = annotated_values(program)
        once = reads_of(program).once if self.platform == "cpu" and not self.partitioning else ()
        for equation in program.equations:
            primitive = equation.primitive
            inputs = [
                environment[atom] if type(atom) is Value else context.literal(atom)
                for atom in equation.operands
            ]
            if self.has_memories:
                inputs = usable(context, primitive, inputs)
            made = equation.results
            if len(made) == 1:  # as nearly always
                context.result_types = (made[0].type,)
            else:
                context.result_types = tuple([result.type for result in made])
            source = equation.source
            if self._named is not None:
                self._enter(outer_scope, source, primitive)
            elif source.scope:
                self.scope = f"{outer_scope}/{source.scope}" if outer_scope else source.scope
            if self._locations or self.scope:
                context.location = self._location(source, primitive)
            else:
                context.location = ""
            try:
                if annotated and (metadata := metadata_of(made, annotated)):
                    with context.annotating(metadata):
                        results = self._by_rule(context, primitive, inputs)
                elif self.has_sums:
                    axes = asked.get(made[0], NONE) if made else NONE
                    lower = functools.partial(self._by_rule, context, primitive)
                    results = lower_with_sums(self, context, primitive, inputs, axes, lower)
                else:
                    results = self._by_rule(context, primitive, inputs)
            except Exception as error:
                if len(getattr(error, "__notes__", ())) < _MOST_NOTES:
                    place = equation.source.show()
                    where = f" of {place}" if place else ""
                    error.add_note(f"  while: lowering {primitive.name}{where}")
                raise
            if once:
                results = [
                    self._computed_once(context, x) if value in once else x
                    for value, x in zip(made, results, strict=True)
                ]
            self.scope = outer_scope
            if len(made) == 1:
                (environment[made[0]],) = results
            else:
                environment.update(zip(made, results, strict=True))
        context.result_types, context.location = outer
        self.scope = around
        results = [
            environment[atom] if isinstance(atom, Value) else context.literal(atom)
            for atom in program.results
        ]
        for number, axes in enumerate(ends):
            results[number] = as_wanted(context, results[number], axes)
        return results

    @contextmanager
    def with_sums(
        self, programs: Sequence[tuple[Program, Sequence[Mark], Sequence[Axes]]]
    ) -> Iterator[None]:
        """While a loop or a branch is written: which parameters and results of its programs are sums."""
        before = self._sums
        self._sums = before | {id(program): (starts, ends) for program, starts, ends in programs}
        try:
            yield
        finally:
            self._sums = before

    def _by_rule(
        self, context: LoweringContext, primitive: Primitive, inputs: Sequence[HloValue]
    ) -> Sequence[HloValue]:
        """The results of an operation, by its rule, or by that of the types which stand for those of its values."""
        rule = self._rules.get(type(primitive))
        if rule is None:
            rule = self._rules[type(primitive)] = lowering_of(primitive, self.platform)
            self.has_own_rules |= isinstance(primitive, Extension)
        if primitive.takes_keys and any([is_in_parts(x.type) for x in inputs]):
            return in_parts(context, rule, primitive, inputs)
        if context.result_types and is_small(context.result_types[0]):
            return in_wider_types(context, rule, primitive, inputs)
        return rule(context, primitive, *inputs)

    def write_function(
        self,
        name: str,
        program: Program,
        visibility: str,
        attributes: Sequence[Sequence[str]] = (),
        result_attributes: Sequence[Sequence[str]] = (),
        takes_token: bool = False,
    ) -> None:
        """Write a function of the module; attributes are of the whole program's parameters and results."""
        slot = len(self._functions)
        self._functions.append("")
        context = LoweringContext(self)
        # XLA puts the names of a call before those in the function
        outer_scope, self.scope = self.scope, ""
        if self._named is not None and program is self.program:
            self.scope = f"jit({self._named})"
        token = context.token = context.fresh(TOKEN) if takes_token else None
        parameters = [context.fresh(parameter.type) for parameter in program.parameters]
        memories = self.memories if program is self.program else None
        if memories is not None:
            for x, memory in zip(parameters, memories.parameters, strict=True):
                x.memory = memory
        if self.has_sums and program is self.program and self.partitioning is not None:
            starts = [x if sums_of(x).unreduced else None for x in self.partitioning.parameters]
            ends = [sums_of(x).unreduced for x in self.partitioning.results]
            with self.with_sums([(program, starts, ends)]):
                results = self.emit_inline(context, program, parameters)
        else:
            results = self.emit_inline(context, program, parameters)
        if self.has_memories and program is self.program:
            results = self._where_wanted(context, results)
        self._memories[name] = [x.memory for x in results]
        if token is not None:
            parameters, results = [token, *parameters], [context.token_before(), *results]
        self.scope = outer_scope
        self._functions[slot] = function_text(
            name, visibility, context.lines, parameters, results, attributes, result_attributes
        )

    def _where_wanted(
        self, context: LoweringContext, results: Sequence[HloValue]
    ) -> list[HloValue]:
        """The results of the program in the memories where they are wanted."""
        given = self.memories or Memories(
            (None,) * len(self.program.parameters), (None,) * len(results)
        )
        placed = [
            x if kind is None else moved(context, x, kind)
            for x, kind in zip(results, given.results, strict=True)
        ]
        self.memories = replace(given, results=tuple([x.memory or DEVICE_MEMORY for x in placed]))
        return placed

    def memories_differ(self, pairs: dict[int, int]) -> set[int]:
        """The parameters among pairs that are in another memory than the result."""
        if self.memories is None:
            return set()
        given = [kind or DEVICE_MEMORY for kind in self.memories.parameters]
        return {i for i, result in pairs.items() if given[i] != self.memories.results[result]}

    def _enter(self, outer: str, source: Source, primitive: Primitive) -> None:
        """Set the scope of an operation to its whole name, and say what the programs in it are called.

        The names are JAX's: `jit(f)/jvp(layer)/while/body`, `jit(f)/transpose(jvp(jit(g)))`.
        """
        path = f"{outer}/{source.path}" if outer and source.path else outer or source.path
        match primitive:
            case Call():
                path = within(path, f"jit({primitive.label})")
            case Checkpoint():
                path = f"{path}/checkpoint"
            case While():
                path = f"{path}/while"
                self._parts |= {id(primitive.cond): "cond", id(primitive.body): "body"}
            case Scan():
                path = f"{path}/while"
                self._parts[id(primitive.body)] = "body"
            case Case():
                path = f"{path}/cond"
                for number, branch in enumerate(primitive.branches):
                    self._parts[id(branch)] = f"branch_{number}_fun"
        self.scope = path.removeprefix("/")

    def _location(self, source: Source, primitive: Primitive) -> str:
        """An operation's name, with its scopes, and its place if places are wanted."""
        place = _place(source) if self._locations else ""
        if self.scope:
            # What has programs is named by its scope, as all that is in them.
            whole = self._named is not None and bool(primitive.programs())
            name = string_text(self.scope if whole else f"{self.scope}/{primitive.name}")
            place = f"{name}({place})" if place else name
        return f" loc({place})" if place else ""

    def part(self) -> str:
        """The module of one device, which speaks of no mesh."""
        functions = "\n".join(self._functions)
        return f"module {{\n{functions}\n}}\n"

    def text(self) -> str:
        """The whole module."""
        if self.partitioning is None:
            return self.part()
        functions = "\n".join(self._functions)
        count = self.partitioning.mesh.size
        declared = [mesh_text(name, axes) for axes, name in self._meshes.items()]
        if self._has_first:
            declared.append(f"sdy.mesh {_FIRST} = <[], device_ids=[0]>")
        meshes = "\n".join(declared)
        return (
            f"module attributes {{mhlo.num_partitions = {count} : i32, mhlo.num_replicas = 1 : i32}} "
            f"{{\n{meshes}\n{functions}\n}}\n"
        )


def _place(source: Source) -> str:
    """A place, and those that called it where they are remembered; an empty string where there is none."""
    found = ""
    for each in reversed([source, *source.callers]):
        if each.line:
            own = f"{string_text(each.file)}:{each.line}:0"
            found = f"callsite({own} at {found})" if found else own
    return found

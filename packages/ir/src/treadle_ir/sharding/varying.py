"""Over which axes of a shard_map a value varies, and the program that says so: `Vary` wherever it begins to.

Types say nothing of it. A parameter varies over the axes that cut it, a result over those of its operands; a sum over
an axis is the same on all of it. Where an operation has operands that vary over different axes, those that vary over
fewer are taken for one value on each device there. That is no computation, but a step that derivatives have to know:
the cotangent of the one value is the sum of the devices' (`Vary`). `explicit` writes these steps down, so that all
rules of derivatives are those of their primitives alone.

Only axes that a shard_map checks (`check_vma`) count: those of kind "manual" in the context.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TypeAlias, final

from treadle_ir.core.dtypes import is_inexact
from treadle_ir.core.equality import has_programs
from treadle_ir.core.families import InlineCall
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.core.values import Atom, Value
from treadle_ir.primitives.call import (
    Call,
    Checkpoint,
    CustomVjpLinear,
    CustomVjpStaged,
    FlatBackward,
    Given,
)
from treadle_ir.primitives.collective import AllGather, AllReduce, Collective, Vary
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.primitives.metadata import XlaMetadata
from treadle_ir.primitives.shard_map import ShardMap, axes_of
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.settings.context import Context, current_context
from treadle_ir.tracing.array import Operand, Operands
from treadle_ir.tracing.memo import derived
from treadle_ir.tracing.staging import StagedTracer, StagingTrace
from treadle_ir.tracing.trace import bind
from treadle_ir.tracing.tracer import Tracer

Axes: TypeAlias = frozenset[Hashable]
NO_AXES: Axes = frozenset()


def checked_axes_here(context: Context | None = None) -> Axes:
    """The axes of the shard_maps around the running code, or in a context, that check what varies."""
    axes = (context or current_context()).axes
    return frozenset([name for name, _, kind in axes if kind == "manual"])


@final
@frozen(eq=False)
class Explicit:
    """A program with its `Vary` steps, and what its results vary over."""

    program: Program
    results: tuple[Axes, ...]
    captured: tuple[Operand, ...] = ()


@final
@frozen(eq=False)
class Step:
    """An operation: itself (its nested programs made explicit), what operands have to vary over, what results do."""

    primitive: Primitive
    operands: tuple[Axes, ...]
    results: tuple[Axes, ...]


def explicit(
    program: Program,
    parameters: Sequence[Axes],
    axes: Axes,
    wanted: Sequence[Axes] | None = None,
) -> Explicit:
    """The program with a `Vary` wherever a value begins to vary over more axes.

    Args:
        program: any program.
        parameters: what each parameter varies over.
        axes: the axes that count.
        wanted: what each result has to vary over, at least.
    """
    given, ends = tuple(parameters), None if wanted is None else tuple(wanted)
    # Loops and branches ask for the same of what is in them again and again.
    return derived(
        program, ("explicit", given, axes, ends), lambda: _explicit(program, given, axes, ends)
    )


def _explicit(
    program: Program,
    parameters: tuple[Axes, ...],
    axes: Axes,
    wanted: tuple[Axes, ...] | None,
) -> Explicit:
    varies: dict[Value, Axes] = dict(zip(program.parameters, parameters, strict=True))
    equations: list[Equation] = []
    made: dict[tuple[Value, Axes], Value] = {}  # one step for all that need it

    def widened(atom: Atom, to: Axes) -> Atom:
        if not isinstance(atom, Value) or not _has_cotangent(atom.type):
            return atom
        more = to - varies[atom]
        if not more:
            return atom
        key = atom, more
        if key not in made:
            value = made[key] = Value(atom.type)
            step = Vary(tuple(sorted(more, key=str)))
            equations.append(Equation(step, (atom,), (value,), step.effects()))
            varies[value] = varies[atom] | more
        return made[key]

    for equation in program.equations:
        sets = [varies[x] if isinstance(x, Value) else NO_AXES for x in equation.operands]
        step = step_of(equation.primitive, sets, equation, axes)
        operands = tuple(
            [widened(x, to) for x, to in zip(equation.operands, step.operands, strict=True)]
        )
        primitive, effects = step.primitive, equation.effects
        if primitive is not equation.primitive:  # a step within it has effects, too
            effects = primitive.effects(*[x.type for x in operands])
        equations.append(Equation(primitive, operands, equation.results, effects, equation.source))
        varies.update(zip(equation.results, step.results, strict=True))
    ends = [varies[x] if isinstance(x, Value) else NO_AXES for x in program.results]
    if wanted is not None:
        ends = [one | two for one, two in zip(ends, wanted, strict=True)]
    results = tuple([widened(x, to) for x, to in zip(program.results, ends, strict=True)])
    return Explicit(Program(program.parameters, tuple(equations), results), tuple(ends))


def _has_cotangent(type: Type) -> bool:
    return isinstance(type, ArrayType) and is_inexact(type.dtype)


def step_of(primitive: Primitive, sets: Sequence[Axes], equation: Equation, axes: Axes) -> Step:
    """What an operation does to what its operands vary over."""
    every = NO_AXES.union(*sets)
    count = len(equation.results)
    if isinstance(primitive, Collective):
        named = frozenset(primitive.axis_names) & axes
        wide = every | named
        if isinstance(primitive, Vary):
            left_out = [
                name for name in primitive.axis_names if name in every
            ]  # it varies there already
            begun = tuple([name for name in primitive.axis_names if name not in left_out])
            return Step(Vary(begun), tuple(sets), (wide,))
        shared = isinstance(primitive, AllReduce | AllGather) and primitive.invariant
        left = wide - named if shared else wide
        return Step(primitive, (wide,) * len(sets), (left,) * count)
    if isinstance(primitive, CustomVjpLinear):
        settled = replace(primitive, backward=_settled(primitive, sets, axes))
        reduced = primitive.reduced or (NO_AXES,) * count
        begun = primitive.begun or (NO_AXES,) * count
        ends = [every - less | more & axes for less, more in zip(reduced, begun, strict=True)]
        return Step(settled, tuple(sets), tuple(ends))
    if not has_programs(primitive):
        return Step(primitive, (every,) * len(sets), (every,) * count)
    if isinstance(primitive, Call | Checkpoint | XlaMetadata):
        inner = explicit(primitive.program, sets, axes)
        return Step(replace(primitive, program=inner.program), tuple(sets), inner.results)
    if isinstance(primitive, CustomVjpStaged):  # cotangents that differ are added up by `_settled`
        return Step(primitive, tuple(sets), explicit(primitive.program, sets, axes).results)
    if isinstance(primitive, InlineCall):  # with a rule of its own, which takes operands alike
        inner = explicit(primitive.program, (every,) * len(sets), axes)
        return Step(primitive, (every,) * len(sets), inner.results)
    if isinstance(primitive, Case):
        return _case(primitive, sets, axes)
    if isinstance(primitive, Scan):
        return _scan(primitive, sets, axes)
    if isinstance(primitive, While):
        return _while(primitive, sets, axes)
    if isinstance(primitive, ShardMap):
        return _shard_map(primitive, sets, axes)
    return Step(primitive, (every,) * len(sets), (every,) * count)


def _settled(primitive: CustomVjpLinear, sets: Sequence[Axes], axes: Axes) -> FlatBackward:
    """A user's backward function, whose cotangents of one value are added up over the devices if it has not done so."""
    backward, every = primitive.backward, NO_AXES.union(*sets)
    wanted = sets[primitive.residuals :]

    def settled(residuals: Operands, cotangents: Given) -> Given:
        outgoing: list[Operand | None] = []
        for ct, to in zip(backward(residuals, cotangents), wanted, strict=True):
            more = NO_AXES if ct is None else (varies_over(ct, axes) & every) - to
            if ct is not None and more:
                names = tuple(sorted(more, key=str))
                (ct,) = bind(AllReduce("add", names, invariant=True), ct)
            outgoing.append(ct)
        return outgoing

    return settled


def _case(primitive: Case, sets: Sequence[Axes], axes: Axes) -> Step:
    branches = [explicit(branch, sets[1:], axes) for branch in primitive.branches]
    both = [
        sets[0].union(*each) for each in zip(*[branch.results for branch in branches], strict=True)
    ]
    alike = tuple([explicit(b, sets[1:], axes, both).program for b in primitive.branches])
    return Step(replace(primitive, branches=alike), tuple(sets), tuple(both))


def _scan(primitive: Scan, sets: Sequence[Axes], axes: Axes) -> Step:
    first, last = primitive.constants, primitive.constants + primitive.carries
    carries = [*sets[first:last]]
    while True:
        given = (*sets[:first], *carries, *sets[last:])
        found = explicit(primitive.body, given, axes)
        after = [one | two for one, two in zip(carries, found.results, strict=False)]
        if after == carries:
            break
        carries = after
    wanted = (*carries, *found.results[len(carries) :])
    body = explicit(primitive.body, given, axes, wanted).program
    return Step(replace(primitive, body=body), given, wanted)


def _while(primitive: While, sets: Sequence[Axes], axes: Axes) -> Step:
    of_cond, last = primitive.cond_constants, primitive.cond_constants + primitive.body_constants
    carries = [*sets[last:]]
    while True:
        (goes_on,) = explicit(primitive.cond, (*sets[:of_cond], *carries), axes).results
        given = (*sets[of_cond:last], *carries)
        found = explicit(primitive.body, given, axes).results
        after = [goes_on | one | two for one, two in zip(carries, found, strict=True)]
        if after == carries:
            break
        carries = after
    body = explicit(primitive.body, given, axes, carries).program
    return Step(replace(primitive, body=body), (*sets[:last], *carries), tuple(carries))


def _shard_map(primitive: ShardMap, sets: Sequence[Axes], axes: Axes) -> Step:
    made = explicit_body(primitive, sets, axes)
    own = frozenset(primitive.manual_axes)
    return Step(
        replace(primitive, body=made.program),
        tuple(sets),
        tuple([each - own for each in made.results]),
    )


def explicit_body(
    primitive: ShardMap,
    outer: Sequence[Axes] | None = None,
    axes: Axes = NO_AXES,
    demanded: bool = True,
) -> Explicit:
    """The body of a shard_map with its steps; `outer` is what the operands vary over, of the axes around it.

    With `demanded`, results vary over the axes along which they are put together, at least.
    """
    around = outer or (NO_AXES,) * len(primitive.in_layouts)
    if not primitive.checked:
        return explicit(primitive.body, around, axes)
    own = frozenset(primitive.manual_axes)
    given = [
        axes_of(layout) | more for layout, more in zip(primitive.in_layouts, around, strict=True)
    ]
    wanted = [axes_of(layout) for layout in primitive.out_layouts]
    return explicit(primitive.body, given, axes | own, wanted if demanded else None)


def varies_over(operand: object, axes: Axes) -> Axes:
    """Over which of some axes an operand varies, at a place within the function that is being staged.

    What is said of the arguments of a staged function is known; where nothing is said, they vary over all.
    """
    while isinstance(operand, Tracer):
        if type(operand) is StagedTracer:
            trace = operand.owner
            assert isinstance(trace, StagingTrace)
            own = checked_axes_here(trace.context)  # it may be outside of some of them
            _look_at_new(trace, own)
            return trace.varies.get(operand.value, own) & axes
        operand = operand.behind()
    return NO_AXES


def _look_at_new(trace: StagingTrace, axes: Axes) -> None:
    """Find out what results vary over, of the equations that were written down since the last time."""
    known = trace.varies
    outside: dict[Value, object] | None = None

    def of(atom: Atom) -> Axes:
        nonlocal outside
        if not isinstance(atom, Value):
            return NO_AXES
        found = known.get(atom)
        if found is None:  # a parameter of which nothing was said, or something from outside
            outside = trace.outside() if outside is None else outside
            found = varies_over(outside[atom], axes) if atom in outside else axes
            known[atom] = found
        return found

    for equation in trace.equations[trace.looked_at :]:
        step = step_of(equation.primitive, [of(x) for x in equation.operands], equation, axes)
        known.update(zip(equation.results, step.results, strict=True))
    trace.looked_at = len(trace.equations)


def varying_of(operands: Sequence[object]) -> tuple[Axes, ...] | None:
    """Over which axes operands vary here; None where no shard_map is around that checks it."""
    axes = checked_axes_here()
    return tuple([varies_over(x, axes) for x in operands]) if axes else None


def explicit_here(program: Program, operands: Sequence[object]) -> Program:
    """A program with the steps that it needs on these operands; itself where no shard_map is around that checks it."""
    varies = varying_of(operands)
    return program if varies is None else explicit(program, varies, checked_axes_here()).program

"""Varying manual axes: over which axes of a `shard_map` a value differs between devices, and casts to vary over more.

A parameter of a `shard_map`'s body varies over the axes that divide it, and the result of an operation over the axes of
its operands; a sum over an axis is invariant there. Where operands of one operation vary over different axes, `PVary`
casts those that vary over fewer. That computes nothing, but its transpose is a sum over devices. The trace that an
operation is bound in inserts the casts: see `operand_axes`. Only axes of kind "manual" in the context count, whose
`shard_map` checks what varies (`check_vma`). See decisions/0161-varying-axes-in-types.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import or_

from treadle_ir.core.dataflow import forward
from treadle_ir.core.dtypes import is_inexact
from treadle_ir.core.equality import has_programs
from treadle_ir.core.families import InlineCall
from treadle_ir.core.flows import OPERANDS, Flows, Origin
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.types import INVARIANT, ArrayType, Type, Varying
from treadle_ir.core.values import Atom, Value
from treadle_ir.primitives.call import (
    Call,
    Checkpoint,
    CustomVjpCall,
    CustomVjpLinear,
    CustomVjpStaged,
)
from treadle_ir.primitives.collective import AllGather, AllReduce, Collective, PVary
from treadle_ir.primitives.metadata import XlaMetadata
from treadle_ir.primitives.shard_map import ShardMap, axes_of
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.memo import derived

# Programs whose parameters vary as the operands do; a rule of its own takes operands that vary alike.
_CALLS = (Call, Checkpoint, XlaMetadata, CustomVjpStaged)


# Operations without programs whose operands need not vary over the same axes, or not only over their own.
_NOT_ALIKE = (Collective, CustomVjpLinear)


def with_varying(type: Type, varying: Varying) -> Type:
    """Return a type with these varying axes; only arrays vary."""
    return type.with_varying(varying) if isinstance(type, ArrayType) else type


def missing_axes(type: Type, wanted: Varying) -> Varying:
    """Return the axes of `wanted` that an operand of a type has to be cast to vary over.

    Only what has cotangents is cast: of integers, it makes no difference.
    """
    if wanted == type.varying or not isinstance(type, ArrayType) or not is_inexact(type.dtype):
        return INVARIANT
    return wanted - type.varying


def cast_to(axes: Varying) -> PVary:
    """Return the operation that casts its operand to vary over more axes."""
    return PVary(tuple(sorted(axes)))


def operand_axes(
    primitive: Primitive, operands: Sequence[Type], axes: Varying
) -> Sequence[Varying]:
    """Return the axes that each operand of an operation has to vary over, so that they go together.

    Args:
        primitive: any operation; the programs that it holds are `fitted` to the operands.
        operands: the types of the operands.
        axes: the axes in force that are checked.
    """
    sets = [type.varying for type in operands]
    if isinstance(primitive, PVary | CustomVjpLinear | CustomVjpCall | ShardMap):
        return sets
    flows = primitive.flows()
    if flows is not None:
        for region, entry in zip(flows.regions, flows.entry, strict=True):
            for i, varying in zip(entry, _varying(region), strict=True):
                sets[i] = varying
        return sets
    every = INVARIANT.union(*sets)
    if isinstance(primitive, Collective):
        every |= axes.intersection(primitive.axis_names)
    return [every] * len(sets)


def varying_results(
    primitive: Primitive, operands: Sequence[Type], results: Sequence[Type], axes: Varying
) -> tuple[Type, ...]:
    """Return the result types of an operation with the axes that they vary over.

    Args:
        primitive: any operation; the programs that it holds are `fitted` to the operands.
        operands: the types of the operands, which vary over `operand_axes`.
        results: the types of the results, with any varying axes.
        axes: the axes in force that are checked.
    """
    varying = _result_axes(primitive, operands, axes)
    if varying is None:
        every = INVARIANT.union(*[type.varying for type in operands])
        if isinstance(primitive, Collective):
            named = axes.intersection(primitive.axis_names)
            shared = isinstance(primitive, AllReduce | AllGather) and primitive.invariant
            every = every - named if shared else every | named
        varying = [every] * len(results)
    return tuple([with_varying(type, each) for type, each in zip(results, varying, strict=True)])


def _result_axes(
    primitive: Primitive, operands: Sequence[Type], axes: Varying
) -> Sequence[Varying] | None:
    """Return what results vary over if the operation itself specifies it; None if it follows from the operands."""
    if isinstance(primitive, CustomVjpLinear):
        return [type.varying for type in primitive.types]
    if isinstance(primitive, ShardMap):
        own = frozenset(primitive.manual_axes)
        return [each - own for each in _returned(primitive.body)]
    flows = primitive.flows()
    if flows is None:
        return None
    found = {
        Origin(region, place): varying
        for region, program in enumerate(flows.regions)
        for place, varying in enumerate(_returned(program))
    }
    # A carry is what enters the loop, too, and branches depend on the index; a literal has not been cast.
    for region, sources in zip(flows.regions, flows.backedges, strict=False):
        for source, varying in zip(sources, _varying(region), strict=True):
            if source is not None:
                found[source] |= varying
    index = INVARIANT
    if flows.exclusive and flows.predicate is not None:
        index = operands[flows.predicate.place].varying
    return [
        index.union(*[found[each] for each in origins if each.region != OPERANDS])
        for origins in flows.exits
    ]


def _varying(program: Program) -> list[Varying]:
    return [type.varying for type in program.parameter_types]


def _returned(program: Program) -> list[Varying]:
    return [type.varying for type in program.result_types]


def fitted(primitive: Primitive, operands: Sequence[Type], axes: Varying) -> Primitive:
    """Return an operation with the programs that it holds for operands that vary as these types say.

    A `PVary` keeps the axes that its operand does not vary over yet.
    """
    sets = [type.varying for type in operands]
    if isinstance(primitive, PVary):
        names = tuple([name for name in primitive.axis_names if name not in sets[0]])
        return primitive if names == primitive.axis_names else PVary(names)
    if isinstance(primitive, ShardMap):
        return fitted_shard_map(primitive, sets, axes)
    flows = primitive.flows()
    if flows is None:
        return primitive
    if isinstance(primitive, InlineCall) and not isinstance(primitive, _CALLS):
        sets = [INVARIANT.union(*sets)] * len(sets)
    if flows.exclusive and flows.predicate is not None:
        # Where devices choose by themselves, a branch must not hold a cast: its transpose is a sum over all of them.
        index = sets[flows.predicate.place]
        sets = [index | each for each in sets]
    regions = _regions(flows, sets, axes)
    return primitive if regions == flows.regions else primitive.with_regions(regions)


def _regions(flows: Flows, sets: Sequence[Varying], axes: Varying) -> tuple[Program, ...]:
    """Return the regions of an operation for operands that vary over `sets`: carries vary as after any iteration."""
    found = forward(
        flows,
        sets,
        lambda region, given: _returned(program_varying(region, given, axes)),
        or_,
        control=True,
    )
    # A region has to return for a carry what varies as the carry does, and branches return alike.
    wanted = [[*each] for each in found.returned]
    for parameters, sources in zip(found.parameters, flows.backedges, strict=False):
        for parameter, source in zip(parameters, sources, strict=True):
            if source is not None:
                wanted[source.region][source.place] |= parameter
    for origins, end in zip(flows.exits if flows.exclusive else (), found.ends, strict=False):
        for region, place in origins:
            wanted[region][place] |= end
    return tuple(
        [
            program_varying(region, given, axes, None if tuple(to) == returned else to)
            for region, given, returned, to in zip(
                flows.regions, found.parameters, found.returned, wanted, strict=True
            )
        ]
    )


def fitted_shard_map(
    primitive: ShardMap, outer: Sequence[Varying] = (), axes: Varying = INVARIANT
) -> ShardMap:
    """Return a `shard_map` whose body takes and returns values that vary as its shardings say.

    A parameter varies over the axes that divide the operand. A result is cast to vary over the axes along which the
    shards are assembled.

    Args:
        primitive: a `shard_map`.
        outer: what each operand varies over, of the axes around the `shard_map`.
        axes: the axes around it that are checked.
    """
    given = list(outer) or [INVARIANT] * len(primitive.in_layouts)
    wanted = None
    if primitive.checked:
        axes = axes.union(primitive.manual_axes)
        given = [
            axes_of(each) | more for each, more in zip(primitive.in_layouts, given, strict=True)
        ]
        wanted = [axes_of(each) for each in primitive.out_layouts]
    body = program_varying(primitive.body, given, axes, wanted)
    return primitive if body is primitive.body else replace(primitive, body=body)


@frozen(eq=False)
class _Answer:
    """A program that `derived` remembers; it captures nothing."""

    program: Program
    captured: tuple[()] = ()


def program_varying(
    program: Program,
    parameters: Sequence[Varying],
    axes: Varying,
    wanted: Sequence[Varying] | None = None,
) -> Program:
    """Return a program for parameters that vary over other axes; itself if its parameters vary so already.

    Args:
        program: any program.
        parameters: what each parameter varies over.
        axes: the axes in force that are checked.
        wanted: what each result has to vary over, at least; by default, what follows from the parameters.
    """
    given = tuple(parameters)
    if given == tuple(_varying(program)) and (
        wanted is None
        or not any(
            [
                isinstance(atom, Value) and missing_axes(atom.type, to)
                for atom, to in zip(program.results, wanted, strict=True)
            ]
        )
    ):
        return program
    ends = None if wanted is None else tuple(wanted)
    return derived(
        program,
        ("varying", given, axes, ends),
        lambda: _Answer(_program_varying(program, given, axes, ends)),
    ).program


def _program_varying(
    program: Program,
    parameters: Sequence[Varying],
    axes: Varying,
    wanted: Sequence[Varying] | None,
) -> Program:
    instead: dict[Value, Value] = {
        old: Value(with_varying(old.type, varying))
        for old, varying in zip(program.parameters, parameters, strict=True)
    }
    casts = Casts()
    for equation in program.equations:
        given: Sequence[Atom] = [
            instead[x] if isinstance(x, Value) else x for x in equation.operands
        ]
        primitive, operands = casts.together(equation.primitive, given, axes)
        types = [x.type for x in operands]
        before = [result.type for result in equation.results]
        results = tuple(map(Value, varying_results(primitive, types, before, axes)))
        instead.update(zip(equation.results, results, strict=True))
        effects = equation.effects
        if primitive is not equation.primitive:
            effects = primitive.effects(*types)
        casts.equations.append(
            Equation(primitive, tuple(operands), results, effects, equation.source)
        )
    ends: list[Atom] = [instead[x] if isinstance(x, Value) else x for x in program.results]
    if wanted is not None:
        ends = [casts.cast(atom, to) for atom, to in zip(ends, wanted, strict=True)]
    return Program(
        tuple([instead[x] for x in program.parameters]), tuple(casts.equations), tuple(ends)
    )


class Casts:
    """Equations of a program that is being written, and the casts among them: a value is cast once.

    Args:
        equations: the list that casts are appended to; a new one by default.
    """

    __slots__ = ("_made", "equations")

    def __init__(self, equations: list[Equation] | None = None) -> None:
        self.equations: list[Equation] = [] if equations is None else equations
        self._made: dict[tuple[Value, Varying], Value] = {}

    def together(
        self, primitive: Primitive, atoms: Sequence[Atom], axes: Varying
    ) -> tuple[Primitive, list[Atom]]:
        """Return an operation and its operands, cast so that they go together."""
        if has_programs(primitive) or isinstance(primitive, _NOT_ALIKE):
            types = [atom.type for atom in atoms]
            primitive = fitted(primitive, types, axes)
            wanted = operand_axes(primitive, types, axes)
            return primitive, [self.cast(x, to) for x, to in zip(atoms, wanted, strict=True)]
        # As nearly always. What follows is `operand_axes` of such an operation, which is asked for each equation.
        every = first = atoms[0].type.varying if atoms else INVARIANT
        for atom in atoms:
            if atom.type.varying != first:
                every = every | atom.type.varying
        return primitive, [x if x.type.varying == every else self.cast(x, every) for x in atoms]

    def cast(self, atom: Atom, wanted: Varying) -> Atom:
        """Return an atom, cast to vary over these axes at least; a literal has no cotangent."""
        if type(atom) is not Value:
            return atom
        made = self._made.get((atom, wanted))
        if made is not None:
            return made
        more = missing_axes(atom.type, wanted)
        if not more:
            return atom
        made = self._made.get((atom, more))
        if made is None:
            made = Value(with_varying(atom.type, atom.type.varying | more))
            step = cast_to(more)
            self.equations.append(Equation(step, (atom,), (made,), step.effects(atom.type)))
            self._made[atom, more] = made
        self._made[atom, wanted] = made
        return made

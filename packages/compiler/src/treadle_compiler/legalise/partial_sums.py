"""Materialise partial sums: compute terms on each device, and add the terms where an operation needs the sum.

A partial sum over axes of a mesh is an array of which each device along the axes has a term. XLA has such arrays, but
believes whatever a program says about the results of operations on them. So nothing is left to it: what is linear in
partial sums is a `map_terms`, in which the axes are manual, as in shard_map. Where a partial sum is used otherwise, a
`sharding_constraint` adds it up.

Which values are partial sums follows from the shardings of parameters and from constraints: results of operations that
are linear in partial sums are partial sums, as `treadle_ir.sharding` has it for types.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any, ClassVar, Final, TypeAlias, final

import numpy as np

from treadle_compiler.kept import kept
from treadle_compiler.legalise.features import Features, programs_in
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
from treadle_compiler.partitioning import Partitioning
from treadle_ir import (
    AbstractMesh,
    ArrayType,
    Atom,
    Equation,
    Literal,
    Primitive,
    Program,
    Type,
    Value,
    register,
)
from treadle_ir.analysis import Solution, forward_steps
from treadle_ir.core import (
    OPERANDS,
    PURE,
    ControlFlow,
    DimShardings,
    Flows,
    InlineCall,
    OverMesh,
    PartialSums,
    partial_sums_of,
    with_partial_sums,
)
from treadle_ir.errors import NOWHERE, Source
from treadle_ir.primitives.compare import Compare, Select
from treadle_ir.primitives.contract import DotGeneral
from treadle_ir.primitives.convert import Convert
from treadle_ir.primitives.creation import Iota
from treadle_ir.primitives.elementwise import Add, Negate, Subtract
from treadle_ir.primitives.reduce import ReduceAdd
from treadle_ir.primitives.shape import BroadcastInDim, Reshape, Transpose
from treadle_ir.primitives.sharding import ShardingConstraint
from treadle_ir.process import frozen
from treadle_ir.rewrite import with_primitive
from treadle_ir.sharding import partial_operands

Axes: TypeAlias = frozenset[str]
Mark: TypeAlias = DimShardings | None
"""The dimension shardings of a partial sum, None for a dimension whose sharding is unknown; None for other values."""

NONE: Final[Axes] = frozenset()
_I32: Final = np.dtype(np.int32)
_BOOL: Final = np.dtype(np.bool_)


@register
@final
@frozen
class MapTerms(OverMesh):
    """A program that each device along some axes runs on its terms or parts of the operands; results are partial sums.

    Attributes:
        body: takes terms, parts and replicated arrays, and returns terms of the results.
        mesh: the axes of the mesh.
        axes: the axes over which the results are partial sums.
        in_dims: the dimension shardings of the operands.
        terms: for each operand whether it is a partial sum over `axes`.
    """

    takes_keys: ClassVar[bool] = True
    computes: ClassVar[bool] = False
    name: ClassVar[str] = "map_terms"
    body: Program
    mesh: AbstractMesh
    axes: tuple[str, ...]
    in_dims: tuple[DimShardings, ...]
    terms: tuple[bool, ...]
    device_ids: tuple[int, ...] = ()

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the types of the body's results: a term has the shape of the sum."""
        return self.body.result_types

    def programs(self) -> Mapping[str, Program]:
        """Return the body."""
        return {"body": self.body}

    def in_shardings(self) -> list[DimShardings]:
        """Return the dimension shardings of the operands, with the axes over which they are partial sums."""
        sums = PartialSums(frozenset(self.axes))
        return [
            with_partial_sums(dims, sums) if is_term else dims
            for dims, is_term in zip(self.in_dims, self.terms, strict=True)
        ]

    def out_shardings(self) -> list[DimShardings]:
        """Return the dimension shardings of the results, with the axes over which they are partial sums."""
        return [_open(type, frozenset(self.axes)) for type in self.body.result_types]


def applies(features: Features, partitioning: Partitioning | None) -> bool:
    """Return whether a value of a program over several devices may be a partial sum."""
    return partitioning is not None and (
        ShardingConstraint in features.primitives or _has_partial_ends(partitioning)
    )


def materialise_partial_sums(program: Program, partitioning: Partitioning) -> Program:
    """Compute partial sums term by term, and add them up where an operation or a result needs the sum.

    Args:
        program: what to rewrite; it is returned if it has no partial sums.
        partitioning: the shardings of its parameters and results.
    """
    if not _has_partial_ends(partitioning) and not _has_partial_constraints(program):
        return program
    starts = tuple([x if partial_sums_of(x).unreduced else None for x in partitioning.parameters])
    wanted = tuple([partial_sums_of(x).unreduced for x in partitioning.results])
    rewrite = partial(_materialised, partitioning.mesh)
    return specialise(Request(program, starts, wanted), rewrite)


def _has_partial_ends(partitioning: Partitioning) -> bool:
    ends = (*partitioning.parameters, *partitioning.results)
    return any([partial_sums_of(each).unreduced for each in ends])


def _has_partial_constraints(program: Program) -> bool:
    return any(
        isinstance(equation.primitive, ShardingConstraint) and equation.primitive.unreduced
        for each in programs_in(program)
        for equation in each.equations
    )


# ---- which values are partial sums


def axes_of(mark: Mark) -> Axes:
    """Return the axes of the mesh over which a value is a partial sum."""
    return partial_sums_of(mark).unreduced


def _open(type: Type, axes: Axes) -> DimShardings:
    """Return dimension shardings that leave all to the compiler, of a partial sum over some axes."""
    assert isinstance(type, ArrayType)
    return with_partial_sums((None,) * type.ndim, PartialSums(axes))


def _closed(mark: DimShardings) -> DimShardings:
    """Return dimension shardings that leave nothing to XLA, which else forgets that an array is a partial sum."""
    return with_partial_sums([names or () for names in mark], partial_sums_of(mark))


def _join(one: Mark, two: Mark) -> Mark:
    return one if axes_of(one) == axes_of(two) else None


def linear_in(primitive: Primitive, marks: Sequence[Mark]) -> tuple[Axes, Sequence[int]]:
    """Return the axes over which results are partial sums, and the places of the operands that have to be for that.

    There are none if the operation is not linear in the operands that are partial sums.
    """
    found = {axes_of(mark) for mark in marks} - {NONE}
    if len(found) != 1:
        return NONE, ()
    given = [i for i, mark in enumerate(marks) if mark is not None]
    operands = partial_operands(primitive, given, len(marks))
    return (NONE, ()) if operands is None else (found.pop(), operands)


def _summed_axes(primitive: Primitive) -> list[int] | None:
    """Return for each operand of a product or a sum the first axis that is summed over."""
    if isinstance(primitive, DotGeneral) and primitive.contracting[0]:
        return [axes[0] for axes in primitive.contracting]
    if isinstance(primitive, ReduceAdd) and primitive.axes:
        return [primitive.axes[0]]
    return None


def requested_unreduced(program: Program) -> dict[Value, Axes]:
    """Return the values that all uses request as partial sums over axes, be it rearranged or added to others.

    Products and sums are computed so: then devices need not exchange anything.
    """
    return kept(program, "requested unreduced", lambda: _requested_unreduced(program))


def _requested_unreduced(program: Program) -> dict[Value, Axes]:
    others: Counter[Value] = Counter()  # uses of each value that do not request it so
    for equation in program.equations:
        others.update([x for x in equation.operands if isinstance(x, Value)])
    others.update([x for x in program.results if isinstance(x, Value)])
    requested: dict[Value, Axes] = {}
    for equation in reversed(program.equations):
        primitive = equation.primitive
        axes = NONE
        if isinstance(primitive, ShardingConstraint):
            axes = frozenset(primitive.unreduced)
        elif isinstance(primitive, _FORWARDING) and not others[equation.results[0]]:
            axes = requested.get(equation.results[0], NONE)
        for operand in equation.operands if axes else ():
            if isinstance(operand, Value) and requested.setdefault(operand, axes) == axes:
                others[operand] -= 1
    return {value: axes for value, axes in requested.items() if not others[value]}


_FORWARDING: Final = (Add, Convert, Negate, Reshape, Subtract, Transpose)


# ---- the rewrite


_Steps: TypeAlias = Generator[Request[Mark, Axes], Any, None]


def _materialised(mesh: AbstractMesh, request: Request[Mark, Axes]) -> Steps[Mark, Axes]:
    program = request.program
    requested = requested_unreduced(program)
    made = _Materialising(mesh, dict(zip(program.parameters, request.parameters, strict=True)))
    for equation in program.equations:
        primitive = equation.primitive
        flows = primitive.flows()
        if isinstance(primitive, ShardingConstraint):
            made.constraint(equation, primitive)
        elif flows is not None and isinstance(primitive, ControlFlow):
            yield from made.control_flow(equation, flows)
        elif isinstance(primitive, InlineCall) and is_transparent(primitive):
            yield from made.call(equation, primitive)
        else:
            inner = yield from specialise_nested(equation, _without_partial_sums)
            results = equation.results
            made.operation(inner, requested.get(results[0], NONE) if results else NONE)
    ends = program.results
    if request.results is not None:
        pairs = zip(ends, request.results, strict=True)
        ends = tuple([made.partial_over(x, axes, NOWHERE) for x, axes in pairs])
    marks = tuple(map(made.mark, ends))
    equations = tuple(made.equations)
    if ends == program.results and are_unchanged(equations, program.equations):
        return Specialised(program, marks)
    return Specialised(Program(program.parameters, equations, ends), marks)


def _without_partial_sums(program: Program) -> Request[Mark, Axes]:
    """Return the request for a program whose parameters and results are not partial sums."""
    return Request(program, (None,) * len(program.parameters), (NONE,) * len(program.results))


class _Materialising:
    """The equations of a program that is being rewritten, and which of its values are partial sums.

    Args:
        mesh: the axes of the mesh.
        marks: what is known of the program's parameters.
    """

    def __init__(self, mesh: AbstractMesh, marks: dict[Value, Mark]) -> None:
        self.equations: list[Equation] = []
        self._mesh: Final = mesh
        self._marks: Final = marks

    def mark(self, atom: Atom) -> Mark:
        """Return the dimension shardings of a partial sum; None for another value."""
        return self._marks[atom] if isinstance(atom, Value) else None

    def add(self, equation: Equation, marks: Sequence[Mark] | None = None) -> None:
        """Add an equation; without `marks`, its results are not partial sums."""
        self.equations.append(equation)
        found = [None] * len(equation.results) if marks is None else marks
        self._marks.update(zip(equation.results, found, strict=True))

    def constrained(self, atom: Atom, dims: DimShardings, source: Source) -> Value:
        """Return a value with a constraint that gives XLA its dimension shardings."""
        result = Value(atom.type)
        constraint = ShardingConstraint.of(self._mesh, dims)
        mark = dims if axes_of(dims) else None
        self.add(Equation(constraint, (atom,), (result,), PURE, source), [mark])
        return result

    def added_up(self, atom: Atom, source: Source) -> Atom:
        """Return a value, added up if it is a partial sum."""
        if self.mark(atom) is None:
            return atom
        return self.constrained(atom, _open(atom.type, NONE), source)

    def partial_over(self, atom: Atom, axes: Axes, source: Source) -> Atom:
        """Return a value as a partial sum over some axes; added up if there are none."""
        if axes_of(self.mark(atom)) == axes:
            return atom
        whole = self.added_up(atom, source)
        return self._as_term(whole, axes, source) if axes else whole

    def _as_term(self, atom: Atom, axes: Axes, source: Source) -> Atom:
        """Return an array as a partial sum: the first device along the axes has it, the others zeros."""
        type = atom.type
        assert isinstance(type, ArrayType)
        names = self._ordered(axes)
        count = prod([self._mesh.shape[name] for name in names])
        places, result = Value(ArrayType((count,), _I32)), Value(type)
        self.add(Equation(Iota((count,), _I32, 0), (), (places,), PURE, source))
        body = MapTerms(
            _on_first_device(type), self._mesh, names, (_open(type, NONE), (names,)), (False, False)
        )
        self.add(Equation(body, (atom, places), (result,), PURE, source), [_open(type, axes)])
        return result

    def _ordered(self, axes: Axes) -> tuple[str, ...]:
        return tuple([name for name in self._mesh.axis_names if name in axes])

    def constraint(self, equation: Equation, constraint: ShardingConstraint) -> None:
        """Add a constraint; with unreduced axes it takes a partial sum."""
        axes = frozenset(constraint.unreduced)
        if not axes:
            self.add(equation)
            return
        (x,) = equation.operands
        given = self.partial_over(x, axes, equation.source)
        self.add(with_operands(equation, (given,)), [constraint.dims])

    def call(self, equation: Equation, call: InlineCall) -> _Steps:
        """Add a call of the program for what its operands are."""
        marks = tuple(map(self.mark, equation.operands))
        answer: Specialised[Mark] = yield Request(call.program, marks)
        # Parameters and results of a function are not partial sums.
        in_place = any([each is not None for each in (*marks, *answer.results)])
        changed = call_of(call, answer.program, in_place=in_place)
        self.add(with_primitive(equation, changed), answer.results)

    def control_flow(self, equation: Equation, flows: Flows) -> _Steps:
        """Add a loop or a branch. What each region returns as it takes it stays a partial sum; else it is added up."""
        marks = [self.mark(x) for x in equation.operands]
        starts = [
            None if flows.is_sliced(i) or flows.predicate == (OPERANDS, i) else mark
            for i, mark in enumerate(marks)
        ]
        found = yield from _fixed_point(flows, starts)
        ends = _ends(flows, found)
        programs = []
        for region, parameters, wanted in zip(
            flows.regions, found.parameters, _wanted(flows, found, ends), strict=True
        ):
            answer: Specialised[Mark] = yield Request(region, parameters, wanted)
            programs.append(answer.program)
        states = dict(enumerate(starts))  # an operand that a loop carries is what the carry is
        for entry, parameters in zip(flows.entry, found.parameters, strict=True):
            for i, state in zip(entry, parameters, strict=True):
                states[i] = _join(states[i], state)
        source = equation.source
        operands = []
        for i, x in enumerate(equation.operands):
            state = states[i]
            operands.append(
                self.added_up(x, source)
                if state is None
                else self.constrained(x, _closed(state), source)
            )
        results = [
            x if end is None else Value(x.type)
            for x, end in zip(equation.results, ends, strict=True)
        ]
        changed = with_regions(equation.primitive, flows.regions, programs)
        loop = with_operands(with_primitive(equation, changed), tuple(operands))
        if any([end is not None for end in ends]):
            loop = loop._replace(results=tuple(results))
        self.add(loop)
        for x, result, end in zip(results, equation.results, ends, strict=True):
            if end is not None:
                dims = _closed(end)
                constraint = ShardingConstraint.of(self._mesh, dims)
                self.add(Equation(constraint, (x,), (result,), PURE, source), [dims])

    def operation(self, equation: Equation, requested: Axes) -> None:
        """Add any other operation, term by term if it is linear in partial sums.

        Args:
            equation: the equation.
            requested: the axes over which its result is requested as a partial sum.
        """
        primitive, operands, source = equation.primitive, equation.operands, equation.source
        marks = [self.mark(x) for x in operands]
        if all([mark is None for mark in marks]):
            summed = _summed_axes(primitive) if requested else None
            if summed is None or not self._divided(equation, requested, summed):
                self.add(equation)
            return
        axes, linear = linear_in(primitive, marks)
        if not axes:
            self.add(with_operands(equation, tuple([self.added_up(x, source) for x in operands])))
            return
        given = list(operands)
        for i in linear:
            x = given[i]
            if marks[i] is None and not (isinstance(x, Literal) and x.value == 0):
                given[i] = self._as_term(x, axes, source)
        dims = [_open(x.type, NONE) for x in given]
        types = [x.type for x in given]
        self._term_by_term(with_operands(equation, tuple(given)), axes, dims, types)

    def _divided(self, equation: Equation, axes: Axes, summed: Sequence[int]) -> bool:
        """Add a product or a sum, each term of which is over a part of the axis that is summed over, if it divides."""
        names = self._ordered(axes)
        count = prod([self._mesh.shape[name] for name in names])
        dims: list[DimShardings] = []
        types: list[Type] = []
        for x, axis in zip(equation.operands, summed, strict=True):
            type = x.type
            assert isinstance(type, ArrayType)
            if type.shape[axis] % count:
                return False
            shape = [size // count if i == axis else size for i, size in enumerate(type.shape)]
            dims.append(tuple([names if i == axis else () for i in range(type.ndim)]))
            types.append(type.with_shape(tuple(shape)))
        self._term_by_term(equation, axes, dims, types)
        return True

    def _term_by_term(
        self, equation: Equation, axes: Axes, dims: Sequence[DimShardings], types: Sequence[Type]
    ) -> None:
        """Add an equation as a `map_terms`.

        Args:
            equation: its operands are partial sums, or divided, or replicated.
            axes: the axes over which its results are partial sums.
            dims: the dimension shardings of the operands.
            types: the types of their terms and parts.
        """
        operands = equation.operands
        parameters, results = (
            tuple(map(Value, types)),
            tuple([Value(x.type) for x in equation.results]),
        )
        inner = equation._replace(operands=parameters, results=results)
        mapped = MapTerms(
            Program(parameters, (inner,), results),
            self._mesh,
            self._ordered(axes),
            tuple(dims),
            tuple([self.mark(x) is not None for x in operands]),
        )
        outer = equation._replace(primitive=mapped)
        self.add(outer, [_open(x.type, axes) for x in results])


def _on_first_device(type: ArrayType) -> Program:
    """Return a program of an array and the index of a device: the array on the first device, zeros on others."""
    x, place = Value(type), Value(ArrayType((1,), _I32))
    index, first = Value(ArrayType((), _I32)), Value(ArrayType((), _BOOL))
    zero: Atom = Literal(type.dtype.type(0), ArrayType((), type.dtype))
    equations = [
        Equation(Reshape(()), (place,), (index,), PURE),
        Equation(Compare("eq"), (index, Literal(np.int32(0), ArrayType((), _I32))), (first,), PURE),
    ]
    if type.ndim:
        zeros = Value(ArrayType(type.shape, type.dtype))
        equations.append(Equation(BroadcastInDim(type.shape, ()), (zero,), (zeros,), PURE))
        zero = zeros
    result = Value(type)
    equations.append(Equation(Select(), (first, x, zero), (result,), PURE))
    return Program((x, place), tuple(equations), (result,))


# ---- loops and branches


def _fixed_point(
    flows: Flows, starts: Sequence[Mark]
) -> Generator[Request[Mark, Axes], Any, Solution[Mark]]:
    """Return which values of a loop or a branch are partial sums, as the specialised regions say."""
    steps = forward_steps(flows, starts, _join)
    try:
        region, parameters = next(steps)
        while True:
            answer: Specialised[Mark] = yield Request(region, parameters)
            region, parameters = steps.send(answer.results)
    except StopIteration as stop:
        solution: Solution[Mark] = stop.value
        return solution


def _ends(flows: Flows, found: Solution[Mark]) -> list[Mark]:
    """Return which results are partial sums: of a loop, those whose carry is one; stacked results never are."""
    carried = {
        origin: state
        for origins, states in zip(flows.backedges, found.parameters, strict=False)
        for origin, state in zip(origins, states, strict=True)
    }
    last = len(flows.exits) if flows.stacked is None else flows.stacked
    pairs = zip(flows.exits, found.ends, strict=True)
    ends = [carried.get(origins[-1], end) for origins, end in pairs]
    return [*ends[:last], *[None] * (len(ends) - last)]


def _wanted(flows: Flows, found: Solution[Mark], ends: Sequence[Mark]) -> list[tuple[Axes, ...]]:
    """Return for each region the axes over which its results have to be partial sums."""
    wanted = [[NONE] * len(region.results) for region in flows.regions]
    for sources, states in zip(flows.backedges, found.parameters, strict=False):
        for source, state in zip(sources, states, strict=True):
            if source is not None:
                wanted[source.region][source.place] = axes_of(state)
    for origins, end in zip(flows.exits, ends, strict=True):
        for region, place in origins:
            if region != OPERANDS:
                wanted[region][place] = axes_of(end)
    return list(map(tuple, wanted))

"""Arrays that are sums over axes of a mesh, of which devices have terms: what is linear in one is done term by term.

XLA knows of such arrays, but of what may be done with them it believes whatever it is told. So nothing is left to it:
operations on terms, and what makes terms, stand in regions in which the axes are the program's own, as those of
shard_map do. A value carries the axes over which it is a sum (`HloValue.unreduced`); where one is used otherwise, it is
added up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import TYPE_CHECKING, Final, TypeAlias, final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import HloValue, LoweringContext
from treadle_compiler.partitioning import (
    ManualScope,
    Partitioning,
    axes_text,
    per_value_text,
    sharding_text,
)
from treadle_ir import (
    ADDS_WHOLE,
    AbstractMesh,
    ArrayType,
    InlineCall,
    Layout,
    Primitive,
    Program,
    Sums,
    Type,
    Value,
    frozen,
    linear_terms,
    sums_of,
    with_sums,
)
from treadle_ir.primitives.contract import DotGeneral
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.primitives.convert import Convert
from treadle_ir.primitives.elementwise.arithmetic import Add, Negate, Subtract
from treadle_ir.primitives.reduce import ReduceAdd
from treadle_ir.primitives.shape import Reshape, Transpose
from treadle_ir.primitives.sharding import ShardingConstraint

if TYPE_CHECKING:
    from treadle_compiler.writer import ModuleWriter

Axes: TypeAlias = frozenset[str]
Lower: TypeAlias = Callable[[Sequence[HloValue]], Sequence[HloValue]]
NONE: Final[Axes] = frozenset()
_I32: Final = np.dtype(np.int32)


def speaks_of_sums(program: Program, partitioning: Partitioning | None) -> bool:
    """Whether a value of a program over several devices may be a sum that is not added up."""
    if partitioning is None:
        return False
    ends = [layout for layout in partitioning.results if layout is not None]
    if any([sums_of(layout).unreduced for layout in (*partitioning.parameters, *ends)]):
        return True
    return any(
        isinstance(equation.primitive, ShardingConstraint) and equation.primitive.unreduced
        for each in (program, *program.nested())
        for equation in each.equations
    )


# --- which values are sums ------------------------------------------------------------------------------

Mark: TypeAlias = Layout | None
"""How a value lies that is a sum; None of others, and for an axis of which that is not known."""


def axes_of(mark: Mark) -> Axes:
    """The axes of the mesh over which a value is a sum."""
    return sums_of(mark).unreduced


def _open(type: Type, axes: Axes) -> Layout:
    """The layout of a sum, or of another array, of whose division nothing is known."""
    assert isinstance(type, ArrayType)
    return with_sums((None,) * type.ndim, Sums(axes))  # type: ignore[no-any-return]


def _own_axes(primitive: Primitive, marks: Sequence[Mark]) -> Axes:
    """The axes over which the results of an operation are sums, if it is linear in the operands that are."""
    found = {axes_of(mark) for mark in marks} - {NONE}
    if len(found) != 1:
        return NONE
    summed = [i for i, mark in enumerate(marks) if mark is not None]
    terms = linear_terms(primitive, summed, len(marks))
    alike = [*terms] == summed or (isinstance(primitive, ADDS_WHOLE) and {*summed} <= {*terms})
    return found.pop() if alike else NONE


def asked_of(program: Program) -> dict[Value, Axes]:
    """The values that are asked for as sums over axes, be it rearranged or added to others, by all who use them.

    Products and sums are made so: then devices need not exchange anything.
    """
    uses: Counter[Value] = Counter()  # of each value those that do not ask for it so
    for equation in program.equations:
        uses.update([x for x in equation.operands if isinstance(x, Value)])
    uses.update([x for x in program.results if isinstance(x, Value)])
    asked: dict[Value, Axes] = {}
    for equation in reversed(program.equations):
        primitive = equation.primitive
        axes = NONE
        if isinstance(primitive, ShardingConstraint):
            axes = frozenset(primitive.unreduced)
        elif isinstance(primitive, _HAND_ON) and not uses[equation.results[0]]:
            axes = asked.get(equation.results[0], NONE)
        for operand in equation.operands if axes else ():
            if isinstance(operand, Value) and asked.setdefault(operand, axes) == axes:
                uses[operand] -= 1
    return {value: axes for value, axes in asked.items() if not uses[value]}


_HAND_ON: Final = (Add, Convert, Negate, Reshape, Subtract, Transpose)


def _ends(program: Program, starts: Sequence[Mark]) -> list[Mark]:
    """Which results of a program are sums, of parameters that are."""
    known = dict(zip(program.parameters, starts, strict=True))
    asked = asked_of(program)
    for equation in program.equations:
        primitive = equation.primitive
        given = [known.get(x) if isinstance(x, Value) else None for x in equation.operands]
        if isinstance(primitive, ShardingConstraint):
            found: Sequence[Mark] = [primitive.lies if primitive.unreduced else None]
        elif isinstance(primitive, InlineCall):
            found = _ends(primitive.program, given)
        elif isinstance(primitive, Case | Scan | While):
            found = _through(primitive, given).results
        else:
            axes = _own_axes(primitive, given)
            if all([mark is None for mark in given]) and _summed_axes(primitive):
                axes = asked.get(equation.results[0], NONE)
            found = [_open(x.type, axes) if axes else None for x in equation.results]
        known.update(zip(equation.results, found, strict=True))
    return [known.get(x) if isinstance(x, Value) else None for x in program.results]


@final
@frozen
class _Through:
    """What is a sum among the operands and results of a loop or a branch, and of its programs."""

    operands: Sequence[Mark]
    results: Sequence[Mark]
    programs: Sequence[tuple[Program, Sequence[Mark], Sequence[Axes]]]


def _through(primitive: Case | Scan | While, marks: Sequence[Mark]) -> _Through:
    """What stays a sum: a result that all branches return so, and a carry that the body returns as it takes it."""
    if isinstance(primitive, Case):
        starts = marks[1:]
        every = [_ends(branch, starts) for branch in primitive.branches]
        alike = [
            each[0] if len({*map(axes_of, each)}) == 1 else None
            for each in zip(*every, strict=True)
        ]
        ends = [axes_of(each) for each in alike]
        programs = [(branch, starts, ends) for branch in primitive.branches]
        return _Through([None, *starts], alike, programs)
    of_cond, last, carries = 0, 0, len(marks)
    if isinstance(primitive, Scan):
        last, carries = primitive.constants, primitive.carries
    else:
        of_cond = primitive.cond_constants
        last = of_cond + primitive.body_constants
    held = [*marks[last : last + carries]]
    scanned: list[Mark] = [None] * (len(marks) - last - len(held))
    while True:
        starts = [*marks[of_cond:last], *held, *scanned]
        after = _ends(primitive.body, starts)
        kept = [a if axes_of(a) == axes_of(b) else None for a, b in zip(held, after, strict=False)]
        if kept == held:
            break
        held = kept
    results = [*held, *[None] * (len(after) - len(held))]
    every_program: list[tuple[Program, Sequence[Mark], Sequence[Axes]]] = [
        (primitive.body, starts, [axes_of(each) for each in results])
    ]
    if isinstance(primitive, While):
        every_program.append((primitive.cond, [*marks[:of_cond], *held], [NONE]))
    return _Through([*marks[:last], *held, *scanned], results, every_program)


# --- regions ------------------------------------------------------------------------------------------


def _mesh(context: LoweringContext) -> AbstractMesh:
    partitioning = context.module.partitioning
    assert partitioning is not None, "there are sums over several devices only"
    return partitioning.mesh


@contextmanager
def _resulting(context: LoweringContext, *types: Type) -> Iterator[None]:
    """Where what is emitted has results of these types."""
    outer = context.result_types
    context.result_types = types
    try:
        yield
    finally:
        context.result_types = outer


def _region(
    context: LoweringContext,
    axes: Axes,
    operands: Sequence[HloValue],
    layouts: Sequence[Layout],
    parts: Sequence[Type],
    lower: Lower,
) -> list[HloValue]:
    """What `lower` makes, in a region over some axes, of parts of operands: the terms of sums."""
    module, mesh = context.module, _mesh(context)
    manual = tuple([each for each in mesh.axis_names if each in axes])
    types, name, outer = context.result_types, module.mesh_name(mesh), module.manual
    results = [_open(type, axes) for type in types]

    def body(parameters: Sequence[HloValue]) -> Sequence[HloValue]:
        for parameter, operand in zip(parameters, operands, strict=True):
            parameter.literal = operand.literal
        return lower(parameters)

    module.manual = ManualScope(mesh, (*(() if outer is None else outer.axes), *manual))
    try:
        text = context.region(parts, body, end="sdy.return")
    finally:
        module.manual = outer
    attributes = {
        "in_shardings": per_value_text(name, layouts, True),
        "out_shardings": per_value_text(name, results, True),
        "manual_axes": axes_text(manual),
    }
    made = context.emit("sdy.manual_computation", operands, types, attributes, [text])
    for value, layout in zip(made, results, strict=True):
        value.lies = layout
    return made


def as_sum(context: LoweringContext, x: HloValue, axes: Axes) -> HloValue:
    """An array as a sum: the first device along the axes has it, the others zeros."""
    mesh = _mesh(context)
    names = tuple([each for each in mesh.axis_names if each in axes])
    places = emit.iota(context, (prod([mesh.shape[each] for each in names]),), _I32, 0)

    def first(parts: Sequence[HloValue]) -> Sequence[HloValue]:
        part, place = parts
        zero = emit.scalar(context, 0, _I32)
        here = emit.compare(context, emit.reshape(context, place, ()), zero, "eq")
        return [emit.select(context, here, part, emit.like(context, part, 0))]

    with _resulting(context, x.type):
        layouts = [_open(x.type, NONE), (names,)]
        parts = [x.type, ArrayType((1,), _I32)]
        (made,) = _region(context, axes, [x, places], layouts, parts, first)
    return made


def added_up(context: LoweringContext, x: HloValue) -> HloValue:
    """An array that is added up, if it is a sum."""
    return x if x.lies is None else _told(context, x, _open(x.type, NONE))


def _told(context: LoweringContext, x: HloValue, layout: Layout) -> HloValue:
    """A value of which XLA is told how it lies."""
    text = sharding_text(context.module.mesh_name(_mesh(context)), layout)
    told = context.one("sdy.sharding_constraint", [x], x.type, {"sharding": text})
    told.lies = layout if axes_of(layout) else None
    return told


def _known(layout: Layout) -> Layout:
    """A layout that leaves nothing to XLA, which forgets that an array is a sum where something is left to it."""
    return with_sums([names or () for names in layout], sums_of(layout))  # type: ignore[no-any-return]


def as_wanted(context: LoweringContext, x: HloValue, axes: Axes) -> HloValue:
    """An array as a sum over these axes; added up, where there are none."""
    if axes_of(x.lies) == axes:
        return x
    whole = added_up(context, x)
    return as_sum(context, whole, axes) if axes else whole


# --- operations ---------------------------------------------------------------------------------------


def lower_with_sums(
    writer: ModuleWriter,
    context: LoweringContext,
    primitive: Primitive,
    inputs: Sequence[HloValue],
    asked: Axes,
    lower: Lower,
) -> Sequence[HloValue]:
    """The results of an operation, whose operands may be sums, or whose result is asked for as one.

    `lower` emits it for operands that are none.
    """
    marks = [x.lies for x in inputs]
    if isinstance(primitive, ShardingConstraint | InlineCall):
        return lower(inputs)
    if isinstance(primitive, Case | Scan | While):
        return _lower_programs(writer, context, primitive, inputs, lower)
    if all([mark is None for mark in marks]):
        summed = _summed_axes(primitive) if asked else None
        return _parted(context, asked, inputs, summed, lower) if summed else lower(inputs)
    axes = _own_axes(primitive, marks)
    if not axes:
        return lower([added_up(context, x) for x in inputs])
    given = [*inputs]
    for i in linear_terms(primitive, [], len(inputs)):
        if given[i].lies is None and given[i].literal != 0:
            given[i] = as_sum(context, given[i], axes)
    layouts = [_open(x.type, axes_of(x.lies)) for x in given]
    return _region(context, axes, given, layouts, [x.type for x in given], lower)


def _lower_programs(
    writer: ModuleWriter,
    context: LoweringContext,
    primitive: Case | Scan | While,
    inputs: Sequence[HloValue],
    lower: Lower,
) -> Sequence[HloValue]:
    """The results of a loop or a branch; what does not stay a sum is added up before."""
    through = _through(primitive, [x.lies for x in inputs])
    pairs = zip(inputs, through.operands, strict=True)
    given = [
        added_up(context, x) if mark is None else _told(context, x, _known(mark))
        for x, mark in pairs
    ]
    with writer.with_sums(through.programs):
        results = lower(given)
    ends = zip(results, through.results, strict=True)
    return [x if mark is None else _told(context, x, _known(mark)) for x, mark in ends]


def _summed_axes(primitive: Primitive) -> list[int] | None:
    """For each operand of a product or a sum the first axis that is summed over."""
    if isinstance(primitive, DotGeneral) and primitive.contracting[0]:
        return [axes[0] for axes in primitive.contracting]
    if isinstance(primitive, ReduceAdd) and primitive.axes:
        return [primitive.axes[0]]
    return None


def _parted(
    context: LoweringContext,
    asked: Axes,
    inputs: Sequence[HloValue],
    summed: Sequence[int],
    lower: Lower,
) -> Sequence[HloValue]:
    """A product or a sum, each term of which is over a part of the axis that is summed over."""
    mesh = _mesh(context)
    names = tuple([each for each in mesh.axis_names if each in asked])
    count = prod([mesh.shape[each] for each in names])
    if inputs[0].shape[summed[0]] % count:
        return lower(inputs)
    layouts, parts = [], []
    for x, axis in zip(inputs, summed, strict=True):
        layouts.append(tuple([names if i == axis else () for i in range(len(x.shape))]))
        shape = [size // count if i == axis else size for i, size in enumerate(x.shape)]
        parts.append(emit.array_type(x).with_shape(tuple(shape)))
    return _region(context, asked, inputs, layouts, parts, lower)

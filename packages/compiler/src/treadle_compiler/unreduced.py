"""Arrays that are sums over axes of a mesh, of which devices have terms: what is linear in one is done term by term.

XLA has such arrays, but believes whatever a program says about the results of operations on them. So nothing is left to
it: operations on terms, and operations that make terms, stand in regions in which the axes are manual, as in shard_map.
A value that is a sum has its layout (`HloValue.layout`); where it is used otherwise, it is added up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from math import prod
from typing import Final, TypeAlias

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.partitioning import ManualScope, axes_text, per_value_text, sharding_text
from treadle_compiler.sums import (
    NONE,
    Axes,
    Mark,
    axes_of,
    linear_in,
    open_layout,
    summed_axes,
    through,
)
from treadle_compiler.value import HloValue
from treadle_ir import AbstractMesh, ArrayType, Primitive, Program, Type, Value
from treadle_ir.core import (
    DimShardings,
    InlineCall,
    partial_sums_of,
    with_partial_sums as layout_with_sums,
)
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.primitives.sharding import ShardingConstraint

Lower: TypeAlias = Callable[[Sequence[HloValue]], Sequence[HloValue]]
_I32: Final = np.dtype(np.int32)


# --- regions ------------------------------------------------------------------------------------------


def _mesh(context: LoweringContext) -> AbstractMesh:
    partitioning = context.module.partitioning
    assert partitioning is not None, "there are sums over several devices only"
    return partitioning.mesh


@contextmanager
def _resulting(context: LoweringContext, *types: Type) -> Iterator[None]:
    """Emit operations in the block whose results have these types."""
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
    layouts: Sequence[DimShardings],
    parts: Sequence[Type],
    lower: Lower,
) -> list[HloValue]:
    """Return what `lower` makes, in a region over some axes, of parts of operands: the terms of sums."""
    mesh = _mesh(context)
    manual = tuple([each for each in mesh.axis_names if each in axes])
    types, name, outer = context.result_types, context.module.mesh_name(mesh), context.manual
    results = [open_layout(type, axes) for type in types]

    def body(parameters: Sequence[HloValue]) -> Sequence[HloValue]:
        for parameter, operand in zip(parameters, operands, strict=True):
            parameter.literal = operand.literal
        return lower(parameters)

    context.manual = ManualScope(mesh, (*(() if outer is None else outer.axes), *manual))
    try:
        text = context.region(parts, body, end="sdy.return")
    finally:
        context.manual = outer
    attributes = {
        "in_shardings": per_value_text(name, layouts, True),
        "out_shardings": per_value_text(name, results, True),
        "manual_axes": axes_text(manual),
    }
    made = context.emit("sdy.manual_computation", operands, types, attributes, [text])
    for value, layout in zip(made, results, strict=True):
        value.layout = layout
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
        layouts = [open_layout(x.type, NONE), (names,)]
        parts = [x.type, ArrayType((1,), _I32)]
        (made,) = _region(context, axes, [x, places], layouts, parts, first)
    return made


def added_up(context: LoweringContext, x: HloValue) -> HloValue:
    """An array that is added up, if it is a sum."""
    return (
        x if x.layout is None else _with_sharding_annotation(context, x, open_layout(x.type, NONE))
    )


def _with_sharding_annotation(
    context: LoweringContext, x: HloValue, layout: DimShardings
) -> HloValue:
    """Return a value with a constraint that gives XLA its layout."""
    text = sharding_text(context.module.mesh_name(_mesh(context)), layout)
    annotated = context.one("sdy.sharding_constraint", [x], x.type, {"sharding": text})
    annotated.layout = layout if axes_of(layout) else None
    return annotated


def _known(layout: DimShardings) -> DimShardings:
    """A layout that leaves nothing to XLA, which forgets that an array is a sum where something is left to it."""
    return layout_with_sums([names or () for names in layout], partial_sums_of(layout))


def as_wanted(context: LoweringContext, x: HloValue, axes: Axes) -> HloValue:
    """An array as a sum over these axes; added up, where there are none."""
    if axes_of(x.layout) == axes:
        return x
    whole = added_up(context, x)
    return as_sum(context, whole, axes) if axes else whole


# --- programs -----------------------------------------------------------------------------------------


@contextmanager
def with_sums(
    context: LoweringContext, programs: Sequence[tuple[Program, Sequence[Mark], Sequence[Axes]]]
) -> Iterator[None]:
    """Record, while a loop or a branch is written, which parameters and results of its programs are partial sums."""
    before = context.sums
    context.sums = before | {id(program): (starts, ends) for program, starts, ends in programs}
    try:
        yield
    finally:
        context.sums = before


def starts_of(
    context: LoweringContext, program: Program, operands: Mapping[Value, HloValue]
) -> dict[Value, HloValue]:
    """Return the parameters of such a program with their layouts."""
    starts, _ = context.sums.get(id(program), ((), ()))
    found = {}
    for parameter, layout in zip(program.parameters, starts, strict=False):
        found[parameter] = x = copy(operands[parameter])
        x.layout = layout
    return found


def ends_as_wanted(
    context: LoweringContext, program: Program, results: Sequence[HloValue]
) -> list[HloValue]:
    """Return the results of such a program as partial sums over the axes that it returns."""
    _, ends = context.sums.get(id(program), ((), ()))
    changed = [as_wanted(context, x, axes) for x, axes in zip(results, ends, strict=False)]
    return [*changed, *results[len(changed) :]]


# --- operations ---------------------------------------------------------------------------------------


def lower_with_sums(
    context: LoweringContext,
    primitive: Primitive,
    inputs: Sequence[HloValue],
    asked: Axes,
    lower: Lower,
) -> Sequence[HloValue]:
    """The results of an operation, whose operands may be sums, or whose result is asked for as one.

    `lower` emits it for operands that are none.
    """
    marks = [x.layout for x in inputs]
    if isinstance(primitive, ShardingConstraint | InlineCall):
        return lower(inputs)
    if isinstance(primitive, Case | Scan | While):
        return _lower_programs(context, primitive, inputs, lower)
    if all([mark is None for mark in marks]):
        summed = summed_axes(primitive) if asked else None
        return _parted(context, asked, inputs, summed, lower) if summed else lower(inputs)
    axes, operands = linear_in(primitive, marks)
    if not axes:
        return lower([added_up(context, x) for x in inputs])
    given = [*inputs]
    for i in operands:
        if given[i].layout is None and given[i].literal != 0:
            given[i] = as_sum(context, given[i], axes)
    layouts = [open_layout(x.type, axes_of(x.layout)) for x in given]
    return _region(context, axes, given, layouts, [x.type for x in given], lower)


def _lower_programs(
    context: LoweringContext,
    primitive: Case | Scan | While,
    inputs: Sequence[HloValue],
    lower: Lower,
) -> Sequence[HloValue]:
    """The results of a loop or a branch; what does not stay a sum is added up before."""
    sums = through(primitive, [x.layout for x in inputs])
    pairs = zip(inputs, sums.operands, strict=True)
    given = [
        added_up(context, x)
        if mark is None
        else _with_sharding_annotation(context, x, _known(mark))
        for x, mark in pairs
    ]
    with with_sums(context, sums.programs):
        results = lower(given)
    ends = zip(results, sums.results, strict=True)
    return [
        x if mark is None else _with_sharding_annotation(context, x, _known(mark))
        for x, mark in ends
    ]


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

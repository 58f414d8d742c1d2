"""Derivatives of shard_map: shard_maps of the derivatives of the body.

Where the shard_map checks varying axes, they are part of the types of its body (`treadle_ir.sharding.varying`), and the
cotangent of a value that is the same on all devices is summed over them by the rule of `PVary`. Without the check every
device has a value of its own; the cotangent of a result that all of them return is divided among them, and the
cotangents of one operand are added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from treadle_autodiff.programs import jvp_program, linearize_program, transpose_program
from treadle_autodiff.registry import (
    Cotangents,
    Duals,
    Linearization,
    LinearOperands,
    jvp_rule,
    linearize_rule,
    transpose_rule,
)
from treadle_autodiff.rules.call import with_zeros
from treadle_autodiff.tangents import Linear, Tangents, Zero
from treadle_ir import (
    Array,
    ArrayType,
    Operand,
    Operands,
    Program,
    bind,
    ops,
    stage,
    type_of,
    types_of,
)
from treadle_ir.core import DimShardings
from treadle_ir.primitives.collective import AllReduce
from treadle_ir.primitives.shard_map import ShardMap, axes_of
from treadle_ir.sharding import fitted_shard_map
from treadle_ir.tracing import checked_manual_axes, interpret_unchecked as interpret


def _whole(types: Sequence[Operand]) -> tuple[DimShardings, ...]:
    return tuple([((),) * type_of(x).ndim for x in types])


@jvp_rule(ShardMap)
def shard_map_jvp(primitive: ShardMap, primals: Operands, tangents: Tangents, /) -> Duals:
    """Build the jvp program; tangents are sharded as their primals."""
    nonzero = [not isinstance(tangent, Zero) for tangent in tangents]
    primitive = _typed(primitive, primals)
    with primitive.inside():
        jvp = jvp_program(primitive.body, nonzero)
    given = [tangent for tangent in tangents if not isinstance(tangent, Zero)]
    layouts = primitive.in_layouts
    ends = primitive.out_layouts
    pushed = replace(
        primitive,
        body=jvp.program,
        in_layouts=(*_whole(jvp.captured), *layouts, *_those(layouts, nonzero)),
        out_layouts=(*ends, *_those(ends, jvp.nonzero)),
    )
    outputs = _bound(pushed, *jvp.captured, *primals, *given)
    types = [type_of(x) for x in outputs[: len(ends)]]
    return outputs[: len(ends)], with_zeros(outputs[len(ends) :], jvp.nonzero, types)


def _those(layouts: Sequence[DimShardings], flags: Sequence[bool]) -> list[DimShardings]:
    return [layout for layout, flag in zip(layouts, flags, strict=True) if flag]


@linearize_rule(ShardMap)
def shard_map_linearize(
    primitive: ShardMap, primals: Operands, nonzero: Sequence[bool], /
) -> Linearization:
    """Return results and residuals, stacked along all axes over which they vary, and the shard_map of tangents."""
    primitive = _typed(primitive, primals)
    layouts, ends = primitive.in_layouts, primitive.out_layouts
    with primitive.inside():
        split = linearize_program(primitive.body, nonzero, forwards=False)
    count = len(ends)
    captured = _whole(split.captured)
    kept = [_residual(primitive, type) for type in split.known.result_types[count:]]
    known = replace(
        primitive,
        body=_stacked(primitive, split.known, count),
        in_layouts=(*captured, *layouts),
        out_layouts=(*ends, *kept),
    )
    outputs = _bound(known, *split.captured, *primals)
    results, residuals = outputs[:count], outputs[count:]
    types = [type_of(x) for x in results]

    def linear(tangents: Tangents) -> Tangents:
        if not any(split.nonzero):
            return with_zeros((), split.nonzero, types)
        given = [tangent for tangent in tangents if not isinstance(tangent, Zero)]
        pushed = replace(
            primitive,
            body=_unstacked(primitive, split.linear, split.residuals),
            in_layouts=(*kept, *_those(layouts, nonzero)),
            out_layouts=tuple(_those(ends, split.nonzero)),
        )
        return with_zeros(_bound(pushed, *residuals, *given), split.nonzero, types)

    return results, linear


def _typed(primitive: ShardMap, operands: Operands) -> ShardMap:
    """Return a shard_map whose body has the types of its operands' parts."""
    return fitted_shard_map(
        primitive, [type.varying for type in types_of(operands)], checked_manual_axes()
    )


def _bound(primitive: ShardMap, *operands: Operand) -> Sequence[Array]:
    """Bind a shard_map that was made of another."""
    return bind(_typed(primitive, operands), *operands)


def _residual(primitive: ShardMap, type: object) -> DimShardings:
    """Return the layout of a residual with a leading axis, which the axes that it varies over divide."""
    assert isinstance(type, ArrayType)
    names = primitive.manual_axes
    if primitive.checked:
        names = tuple([name for name in names if name in type.varying])
    return names, *((),) * type.ndim


def _stacked(primitive: ShardMap, program: Program, first: int) -> Program:
    """The program with a leading axis of size 1 for the results from `first` on."""

    def function(*operands: Operand) -> Operands:
        results = interpret(program, *operands)
        more = [ops.reshape(x, shape=(1, *type_of(x).shape)) for x in results[first:]]
        return [*results[:first], *more]

    with primitive.inside():
        return stage(function, *program.parameter_types).program


def _unstacked(primitive: ShardMap, program: Program, count: int) -> Program:
    """The program with a leading axis of size 1 for the first parameters."""
    types = [
        type.with_shape((1, *type.shape)) if index < count and isinstance(type, ArrayType) else type
        for index, type in enumerate(program.parameter_types)
    ]

    def function(*operands: Operand) -> Operands:
        residuals = [ops.reshape(x, shape=type_of(x).shape[1:]) for x in operands[:count]]
        return interpret(program, *residuals, *operands[count:])

    with primitive.inside():
        return stage(function, *types).program


@transpose_rule(ShardMap)
def shard_map_transpose(
    primitive: ShardMap, cotangents: Tangents, operands: LinearOperands, /
) -> Cotangents:
    """The transposed body: cotangents come as the results lie, and leave as the operands do."""
    linear = [isinstance(operand, Linear) for operand in operands]
    nonzero = [not isinstance(cotangent, Zero) for cotangent in cotangents]
    layouts, ends = primitive.in_layouts, primitive.out_layouts
    given = [x.type.varying if isinstance(x, Linear) else type_of(x).varying for x in operands]
    primitive = fitted_shard_map(primitive, given, checked_manual_axes())
    with primitive.inside():
        transposed = transpose_program(primitive.body, linear, nonzero)
    body = transposed.program
    known = [operand for operand in operands if not isinstance(operand, Linear)]
    incoming = [cotangent for cotangent in cotangents if not isinstance(cotangent, Zero)]
    outward = _those(_those(layouts, linear), transposed.nonzero)
    inward = (
        *_whole(transposed.captured),
        *_those(layouts, [not flag for flag in linear]),
        *_those(ends, nonzero),
    )
    if not primitive.checked:
        body = _shared(primitive, body, inward[len(inward) - len(incoming) :], outward)
    pulled = replace(primitive, body=body, in_layouts=inward, out_layouts=tuple(outward))
    outputs = iter(_bound(pulled, *transposed.captured, *known, *incoming))
    flags = iter(transposed.nonzero)
    return [
        (next(outputs) if next(flags) else Zero(operand.type.tangent()))
        if isinstance(operand, Linear)
        else None
        for operand in operands
    ]


def _shared(
    primitive: ShardMap,
    body: Program,
    given: Sequence[DimShardings],
    outward: Sequence[DimShardings],
) -> Program:
    """The transposed body where each device has a value of its own: cotangents divided, and added up."""
    first = len(body.parameters) - len(given)

    def others(layout: DimShardings) -> tuple[str, ...]:
        cut = axes_of(layout)
        return tuple([name for name in primitive.manual_axes if name not in cut])

    def function(*operands: Operand) -> Operands:
        incoming: list[Operand] = []
        for ct, layout in zip(operands[first:], given, strict=True):
            count = prod([primitive.mesh.shape[name] for name in others(layout)])
            incoming.append(ops.divide(ct, type_of(ct).dtype.type(count)) if count > 1 else ct)
        outgoing = interpret(body, *operands[:first], *incoming)
        return [
            bind(AllReduce("add", others(layout)), ct)[0] if others(layout) else ct
            for ct, layout in zip(outgoing, outward, strict=True)
        ]

    with primitive.inside():
        return stage(function, *body.parameter_types).program

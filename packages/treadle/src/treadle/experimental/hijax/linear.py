"""Reverse mode of operations: forward rules run now, backward rules when the linear program is transposed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from treadle.core import AbstractValue
from treadle.experimental.hijax.accumulate import NullAccum, ValAccum
from treadle.experimental.hijax.application import (
    HiApplication,
    fixed_of,
    inlined,
    is_zero,
    kept_by,
    parts,
    pushed_by_jvp,
    taken,
    taken_all,
    tangent_aval,
    tangent_types,
    types_of_parts,
    value_of,
)
from treadle.experimental.hijax.derived import pulled
from treadle.experimental.hijax.prim import HiPrim
from treadle.experimental.hijax.types import HiType, built, lowered
from treadle.interpreters.zeros import Zero
from treadle_autodiff import (
    Linear,
    LinearFunction,
    Tangent,
    Zero as _Zero,
    linearize_rule,
    materialise,
    transpose_rule,
)
from treadle_batching import Axis, Dim, batch_flat, batch_rule
from treadle_compiler import HloValue, LoweringContext, lowering_rule
from treadle_ir import Array, Operand, Operands, Type, bind
from treadle_ir.calling import as_array, flatten_arrays
from treadle_ir.core import Extension
from treadle_ir.process import frozen
from treadle_ir.tree import PyTreeDef, tree_unflatten

Tree: TypeAlias = Any  # Any: what rules of libraries take and return


@linearize_rule(HiApplication)
def application_linearize(
    primitive: HiApplication, primals: Operands, nonzero: Sequence[bool], /
) -> tuple[Operands, LinearFunction]:
    """Apply `vjp_fwd` and `vjp_bwd`; where there are none, `lin` and `linearized`, or `jvp`."""
    of = primitive.of
    arguments = primitive.arguments(primals)
    given = tuple(
        [
            any(flags[fixed_of(aval) :]) and bool(tangent_types(aval))
            for aval, flags in zip(of.in_flat, parts(of.in_flat, nonzero), strict=True)
        ]
    )
    flags = tree_unflatten(of.in_tree, given)
    back, ahead, forward = of.has_rule("vjp_fwd"), of.has_rule("lin"), of.has_rule("jvp")
    if ahead and not back:
        output, kept = kept_by(of, "lin", flags, arguments)
        return primitive.results(output), lambda tangents: taken_all(
            of, of.linearized(kept, *primitive.tangents(tangents))
        )
    if back or not forward:
        output, kept = kept_by(of, "vjp_fwd", flags, arguments)
    else:
        output, kept = of(*arguments), None
    # What tangents are pushed with, if somebody does: `linearize` and `jacfwd` do.
    pushing = kept_by(of, "lin", flags, arguments)[1] if ahead else arguments if forward else None
    residuals, structure = flatten_arrays((kept, pushing), f"{of}: residual ")
    linear = HiLinear(of, structure, given)

    def pushed(tangents: Sequence[Tangent]) -> list[Tangent]:
        incoming: list[Operand] = []
        for aval, flag, mine in zip(of.in_flat, given, parts(of.in_flat, tangents), strict=True):
            if flag:
                incoming += [materialise(tangent) for tangent in mine[fixed_of(aval) :]]
        outgoing = [*bind(linear, *residuals, *incoming)]
        flat: list[Tangent] = []
        for aval in of.out_flat:
            zeros = [_Zero(type.tangent()) for type in types_of_parts(aval)]
            count = len(tangent_types(aval))
            flat += zeros[: len(zeros) - count]
            flat += outgoing[:count]
            del outgoing[:count]
        return flat

    return primitive.results(output), pushed


@frozen
class HiLinear(Extension):
    """The derivative of an operation: from what was kept, and tangents, to tangents of the result.

    It is there to be transposed, by the backward rule.
    """

    name = "hi_linear"
    of: HiPrim
    residuals: PyTreeDef  # a pair: for the way back, and to push tangents
    given: tuple[bool, ...]  # which arguments are differentiated

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the tangents of the result."""
        return tuple([type for aval in self.of.out_flat for type in tangent_types(aval)])

    def kept(self, operands: Sequence[Any]) -> tuple[Tree, Tree]:
        """Return the residuals."""
        count = self.residuals.num_leaves
        pair: tuple[Tree, Tree] = self.residuals.unflatten(list(map(as_array, operands[:count])))
        return pair

    def call(self, operands: Operands) -> list[Array]:
        """Apply `linearized`, or `jvp`."""
        of = self.of
        _, pushing = self.kept(operands)
        rest = iter(operands[self.residuals.num_leaves :])
        incoming = []
        for aval, flag in zip(of.in_flat, self.given, strict=True):
            mine = [as_array(next(rest)) for _ in tangent_types(aval)] if flag else []
            of_aval = tangent_aval(aval)
            incoming.append(built(of_aval, mine) if flag else Zero(of_aval))
        tangents = tree_unflatten(of.in_tree, incoming)
        if of.has_rule("jvp") and not of.has_rule("lin"):
            outward = pushed_by_jvp(of, pushing, tangents)
        else:
            outward = of.linearized(pushing, *tangents)
        found: list[Array] = []
        for aval, leaf in zip(of.out_flat, of.out_tree.flatten_up_to(outward), strict=True):
            flat = taken(of, aval, leaf)
            found += [
                as_array(materialise(x)) for x in flat[len(flat) - len(tangent_types(aval)) :]
            ]
        return found


@transpose_rule(HiLinear)
def linear_transpose(
    primitive: HiLinear, cotangents: Sequence[Tangent], operands: Sequence[Operand | Linear], /
) -> Sequence[Tangent | None]:
    """Apply `vjp_bwd`, or the transpose of `jvp`."""
    of = primitive.of
    kept, pushing = primitive.kept(operands)
    incoming = iter(cotangents)
    cts = []
    for aval in of.out_flat:
        mine = [next(incoming) for _ in tangent_types(aval)]
        zero = all(isinstance(each, _Zero) for each in mine)
        of_aval = ct_aval(aval)
        cts.append(
            Zero(of_aval) if zero else built(of_aval, [as_array(materialise(x)) for x in mine])
        )
    ct = tree_unflatten(of.out_tree, cts)
    accums = [
        (ValAccum if flag else NullAccum)(ct_aval(aval))
        for aval, flag in zip(of.in_flat, primitive.given, strict=True)
    ]
    trees = tree_unflatten(of.in_tree, accums)
    if of.has_rule("vjp_fwd"):
        of.vjp_bwd(kept, ct, *trees)
    else:
        of.give(pulled(of, lambda *tangents: pushed_by_jvp(of, pushing, tangents), ct), trees)
    found: list[Tangent | None] = [None] * primitive.residuals.num_leaves
    for aval, flag, accum in zip(of.in_flat, primitive.given, accums, strict=True):
        if flag:
            found += cotangents_of(of, aval, accum.freeze())
    return found


def ct_aval(aval: AbstractValue) -> Any:  # Any: a type
    """Return the type of cotangents of such a value."""
    return aval.to_ct_aval() if isinstance(aval, HiType) else tangent_aval(aval)


def cotangents_of(of: HiPrim, aval: AbstractValue, ct: Tree) -> list[Tangent]:
    """Return the cotangents of the arrays of a value, of its own."""
    types = tangent_types(aval)
    if is_zero(ct):
        return [_Zero(type) for type in types]
    found = lowered(ct_aval(aval), ct)
    return [of.array_of(type, x, "a cotangent") for type, x in zip(types, found, strict=True)]


@transpose_rule(HiApplication)
def application_transpose(
    primitive: HiApplication,
    cotangents: Sequence[Tangent],
    operands: Sequence[Operand | Linear],
    /,
) -> Sequence[Tangent | None]:
    """Apply `transpose`, which receives accumulators instead of the arguments that it is linear in."""
    of = primitive.of
    accums: list[ValAccum | None] = []
    given = []
    for aval, mine in zip(of.in_flat, parts(of.in_flat, operands), strict=True):
        accum = ValAccum(aval) if any(isinstance(each, Linear) for each in mine) else None
        accums.append(accum)
        given.append(value_of(aval, list(map(as_array, mine))) if accum is None else accum)
    cts = [
        Zero(aval)
        if all(isinstance(each, _Zero) for each in mine)
        else value_of(aval, [as_array(materialise(each)) for each in mine])
        for aval, mine in zip(of.out_flat, parts(of.out_flat, cotangents), strict=True)
    ]
    of.transpose(tree_unflatten(of.out_tree, cts), *tree_unflatten(of.in_tree, given))
    found: list[Tangent | None] = []
    for aval, accum, mine in zip(of.in_flat, accums, parts(of.in_flat, operands), strict=True):
        if accum is None:
            found += [None] * len(mine)
            continue
        ct = accum.freeze()
        flat: list[Tangent] = (
            [_Zero(type) for type in types_of_parts(aval)] if is_zero(ct) else of.parts(aval, ct)
        )
        found += [x if isinstance(o, Linear) else None for x, o in zip(flat, mine, strict=True)]
    return found


@batch_rule(HiLinear)
def linear_batch(
    primitive: HiLinear, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """Batch the operation on one batch element."""
    return batch_flat(lambda *xs: primitive.call(xs), axis, operands, dims, primitive.name)


@lowering_rule(HiLinear)
def linear_lowering(
    context: LoweringContext, primitive: HiLinear, /, *operands: HloValue
) -> Sequence[HloValue]:
    """Lower the operation as the body of its `linearized`."""
    return inlined(context, primitive, str(primitive.of), operands)

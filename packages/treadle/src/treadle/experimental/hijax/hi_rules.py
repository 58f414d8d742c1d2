"""Rules of operations on values that may change: the methods of `HiPrimitive`s, or what follows from what they do."""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Any, TypeAlias, final

from treadle.core import AbstractValue
from treadle.experimental.hijax.application import inlined, nothing, shown, taken, value_of
from treadle.experimental.hijax.hi_primitive import HiCall, HiPrimitive, arrays_of, split
from treadle.experimental.hijax.mutable import AvalQDD, as_tracer
from treadle.experimental.hijax.prim import each_of, pair_of
from treadle.interpreters.zeros import UndefinedPrimal, Zero
from treadle_autodiff import (
    Linear,
    Tangent,
    Zero as _Zero,
    custom_jvp,
    jvp_rule,
    linear_transpose,
    materialise,
    transpose_rule,
)
from treadle_batching import Axis, Dim, batch_flat, batch_rule
from treadle_compiler import HloValue, LoweringContext, lowering_rule
from treadle_ir import Array, Operand, Operands, UnsupportedError, bind, type_of
from treadle_ir.calling import as_array
from treadle_ir.core import dtypes

Tree: TypeAlias = Any  # Any: what rules of libraries take and return


@final
class _Dual:
    """An argument and its tangent, as `jvp` sees them."""

    def __init__(
        self, known: AbstractValue, arrays: Sequence[Array], tangents: Sequence[Tangent]
    ) -> None:
        self.arrays = arrays
        if isinstance(known, AvalQDD):
            pushed = [as_array(materialise(each)) for each in tangents]
            self.zeros = [
                x for x, each in zip(pushed, tangents, strict=True) if isinstance(each, _Zero)
            ]
            self.primal: Tree = as_tracer(known, arrays)
            self.tangent: Tree = as_tracer(known.to_tangent_aval(), pushed)
        else:
            self.primal, self.tangent = value_of(known, arrays), shown(known, tangents)

    def after(self) -> tuple[Sequence[Array], list[Tangent]]:
        """Return the arrays of an argument that may have changed, and their tangents."""
        untouched = {id(x) for x in self.zeros}
        pushed = [
            _Zero(type_of(x).tangent()) if id(x) in untouched else x
            for x in self.tangent.cell.load().arrays
        ]
        return self.primal.cell.load().arrays, pushed


@jvp_rule(HiCall)
def call_jvp(
    primitive: HiCall, primals: Operands, tangents: Sequence[Tangent], /
) -> tuple[Operands, Sequence[Tangent]]:
    """Apply `jvp`. The tangent of an argument that changes is changed, too, and exists even if it is zero."""
    of, counts = primitive.of, primitive.counts
    if nothing(tangents):
        plain = bind(primitive, *primals)
        return plain, [_Zero(x.type.tangent()) for x in plain]
    duals = [
        _Dual(known, list(map(as_array, mine)), along)
        for known, mine, along in zip(
            primitive.ins, split(primals, counts), split(tangents, counts), strict=True
        )
    ]
    found = of.jvp(
        tuple([dual.primal for dual in duals]),
        tuple([dual.tangent for dual in duals]),
        **primitive.params.values,
    )
    output, outward = pair_of(of.name, "jvp", found)
    states: list[Sequence[Array]] = []
    results: list[Sequence[Array]] = []
    pushed: list[Tangent] = []
    for known, now, dual in zip(primitive.ins, primitive.changed, duals, strict=True):
        if isinstance(known, AvalQDD):
            arrays, along = dual.after()
            if now is not None:
                states.append(arrays)
                pushed += along
            elif not all(map(is_, arrays, dual.arrays)):
                raise UnsupportedError(
                    f"the `jvp` of `{of.name}` changes an argument that the operation does not change",
                    fix="tell of an effect in `abstract_eval`",
                )
    for aval, x, tangent in zip(
        primitive.outs,
        primitive.several("jvp", output),
        primitive.several("jvp", outward),
        strict=True,
    ):
        results.append(arrays_of(aval, x))
        if not isinstance(aval, AvalQDD):
            pushed += taken(of.name, aval, tangent)
        elif isinstance(tangent, Zero):
            pushed += [_Zero(type_of(each).tangent()) for each in results[-1]]
        else:
            pushed += arrays_of(aval.to_tangent_aval(), tangent)
    return primitive.declared(states, results), pushed


@transpose_rule(HiCall)
def call_transpose(
    primitive: HiCall, cotangents: Sequence[Tangent], operands: Sequence[Operand | Linear], /
) -> Sequence[Tangent | None]:
    """Apply `transpose`; for an operation on values that change, transpose its body."""
    of = primitive.of
    if primitive.changes or type(of).transpose is HiPrimitive.transpose:
        return _transposed(primitive, cotangents, operands)
    incoming = [
        Zero(aval)
        if all(isinstance(each, _Zero) for each in mine)
        else value_of(aval, [as_array(materialise(each)) for each in mine])
        for aval, mine in zip(primitive.outs, split(cotangents, primitive.sizes), strict=True)
    ]
    parts = split(operands, primitive.counts)
    args = [
        UndefinedPrimal(aval)
        if any(isinstance(each, Linear) for each in mine)
        else value_of(aval, list(map(as_array, mine)))
        for aval, mine in zip(primitive.ins, parts, strict=True)
    ]
    ct = incoming if of.multiple_results else incoming[0]
    cts = of.transpose(ct, *args, **primitive.params.values)
    found: list[Tangent | None] = []
    given = each_of(of.name, "transpose", "cotangents", cts)
    for aval, mine, x in zip(primitive.ins, parts, given, strict=True):
        found += [
            each if isinstance(operand, Linear) else None
            for each, operand in zip(taken(of.name, aval, x, "a cotangent"), mine, strict=True)
        ]
    return found


def _transposed(
    primitive: HiCall, cotangents: Sequence[Tangent], operands: Sequence[Operand | Linear]
) -> list[Tangent | None]:
    """Return the transpose of what an operation does, which is linear."""
    zeros: list[Tangent | None] = [
        _Zero(x.type) if isinstance(x, Linear) else None for x in operands
    ]
    whole = [as_array(materialise(_Zero(x.type)) if isinstance(x, Linear) else x) for x in operands]
    wanted = [
        i
        for i, x in enumerate(operands)
        if isinstance(x, Linear) and not dtypes.is_float0(type_of(whole[i]).dtype)
    ]

    def linear(*given: Array) -> list[Array]:
        operands = [*whole]
        for i, x in zip(wanted, given, strict=True):
            operands[i] = x
        return primitive.call(operands)

    pull = linear_transpose(linear, *[type_of(whole[i]) for i in wanted])
    for i, ct in zip(wanted, pull([as_array(materialise(ct)) for ct in cotangents]), strict=True):
        zeros[i] = ct
    return zeros


@batch_rule(HiCall)
def call_batch(
    primitive: HiCall, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """Batch the operation on one batch element; its derivative is the unbatched one."""
    of = primitive.of

    def one(*xs: Operand) -> list[Array]:
        return primitive.call(xs)

    if type(of).jvp is HiPrimitive.jvp:
        return batch_flat(one, axis, operands, dims, of.name)

    def pushed(primals: Operands, tangents: Operands) -> tuple[Operands, list[Operand]]:
        results, outward = call_jvp(primitive, primals, tangents)
        return results, list(map(materialise, outward))

    with_rule = custom_jvp(one)
    with_rule.defjvp(pushed)
    return batch_flat(with_rule, axis, operands, dims, of.name)


@lowering_rule(HiCall)
def call_lowering(
    context: LoweringContext, primitive: HiCall, /, *operands: HloValue
) -> Sequence[HloValue]:
    """Lower the operation as its body."""
    return inlined(context, primitive, primitive.of.name, operands)

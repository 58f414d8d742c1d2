"""Lowering of condensed forms."""

from __future__ import annotations

from treadle_compiler.context import LoweringContext
from treadle_compiler.lowering.linear_algebra.calls import (
    Routine,
    call_routine,
    flag,
    info_type,
    lapack,
    letter,
    or_nan,
    zeros,
)
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType
from treadle_ir.primitives.linear_algebra import Hessenberg, Tridiagonal


@lowering_rule(Hessenberg)
def hessenberg_lowering(context: LoweringContext, primitive: Hessenberg, a: HloValue) -> HloValues:
    """One call; a matrix of one row is its own form."""
    form, taus = context.result_types
    assert isinstance(form, ArrayType)
    assert isinstance(taus, ArrayType)
    if taus.size == 0:
        return [a, zeros(context, taus)]
    attributes = {"low": "1 : i32", "high": f"{a.shape[-1]} : i32"}
    routines = {"cpu": lapack("gehrd", a, attributes)}
    results = form.strong(), taus.strong(), info_type(a)
    *found, info = call_routine(
        context, primitive, routines, (a,), results, vectors=(2,), in_place=[(0, 0)]
    )
    return or_nan(context, info, found)


@lowering_rule(Tridiagonal)
def tridiagonal_lowering(
    context: LoweringContext, primitive: Tridiagonal, a: HloValue
) -> HloValues:
    """One call."""
    types = []
    for type in context.result_types:
        assert isinstance(type, ArrayType)
        types.append(type.strong())
    if 0 in a.shape:
        return [zeros(context, type) for type in types]
    uplo = letter("L" if primitive.lower else "U")
    routines = {
        "cpu": lapack("sytrd", a, {"uplo": uplo}),
        "cuda": Routine("cusolver_sytrd_ffi", {"lower": flag(primitive.lower)}),
    }
    results = *types, info_type(a)
    *found, info = call_routine(
        context, primitive, routines, (a,), results, vectors=(2, 3, 4), in_place=[(0, 0)]
    )
    return or_nan(context, info, found)

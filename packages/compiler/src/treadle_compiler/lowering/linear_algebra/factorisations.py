"""Lowering of Cholesky, LU, QR and products of Householder reflections."""

from __future__ import annotations

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.lowering.linear_algebra.calls import (
    I32,
    Routine,
    call_routine,
    columns,
    flag,
    hybrid,
    identities,
    info_type,
    keep,
    lapack,
    letter,
    rows,
    triangle,
    where_matrix,
    zeros,
)
from treadle_compiler.lowering.linear_algebra.pivots import permutation_of
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType, Primitive
from treadle_ir.primitives.linear_algebra import (
    Cholesky,
    HouseholderMultiply,
    HouseholderProduct,
    Lu,
    Qr,
    QrReflections,
)


def _everywhere(name: str, a: HloValue) -> dict[str, Routine]:
    """A routine that LAPACK and cuSOLVER have alike, without attributes."""
    return {"cpu": lapack(name, a), "cuda": Routine(f"cusolver_{name}_ffi", {})}


@lowering_rule(Cholesky)
def cholesky_lowering(context: LoweringContext, primitive: Cholesky, a: HloValue) -> HloValues:
    """LAPACK's and cuSOLVER's, which are several times as fast as XLA's own; that elsewhere."""
    if 0 in a.shape:
        return [a]
    type = emit.array_type(a).strong()
    lower = triangle(context, a, lower=True)
    routines = {
        "cpu": lapack("potrf", a, {"uplo": letter("L")}),
        "cuda": Routine("cusolver_potrf_ffi", {"lower": "true"}),
    }
    if context.platform not in routines:
        factor = context.one("stablehlo.cholesky", (a,), type, {"lower": "true"})
        return [keep(context, lower, factor)]
    results = type, info_type(a)
    factor, info = call_routine(context, primitive, routines, (a,), results, in_place=[(0, 0)])
    done = emit.compare(context, info, emit.like(context, info, 0), "eq")
    factor = where_matrix(context, done, factor, emit.like(context, factor, np.nan))
    return [keep(context, lower, factor)]


@lowering_rule(Lu)
def lu_lowering(context: LoweringContext, primitive: Lu, a: HloValue) -> HloValues:
    """LAPACK's pivots count from 1. A singular matrix is factorised too."""
    factors, pivots, permutation = (_strong(type) for type in context.result_types)
    if 0 in a.shape:
        axis = len(permutation.shape) - 1
        return [a, zeros(context, pivots), emit.iota(context, permutation.shape, I32, axis)]
    results = factors, pivots, info_type(a)
    lu, counted, info = call_routine(
        context, primitive, _everywhere("getrf", a), (a,), results, vectors=(2,), in_place=[(0, 0)]
    )
    zero_based = emit.binary(context, "subtract", counted, emit.like(context, counted, 1))
    refused = emit.compare(context, info, emit.like(context, info, 0), "lt")
    lu = where_matrix(context, refused, emit.like(context, lu, np.nan), lu)
    return [lu, zero_based, permutation_of(context, zero_based, a.shape[-2])]


def _strong(type: object) -> ArrayType:
    assert isinstance(type, ArrayType)
    return type.strong()


@lowering_rule(Qr)
def qr_lowering(context: LoweringContext, primitive: Qr, a: HloValue) -> HloValues:
    """Reflections, and their product."""
    q_type, r_type, *order_type = (_strong(type) for type in context.result_types)
    n = a.shape[-1]
    batch, k = a.shape[:-2], min(a.shape[-2:])
    if 0 in a.shape:
        order = [emit.iota(context, each.shape, I32, len(batch)) for each in order_type]
        return [identities(context, q_type), zeros(context, r_type), *order]
    type, taus_type = emit.array_type(a).strong(), ArrayType((*batch, k), a.dtype)
    order = []
    if primitive.pivoting:
        routines = {"cpu": lapack("geqp3", a), "cuda": hybrid("geqp3")}
        free = zeros(context, order_type[0])  # no column is tied to its place
        results = type, order_type[0], taus_type
        form, counted, taus = call_routine(
            context,
            primitive,
            routines,
            (a, free),
            results,
            vectors=(1, 3, 4),
            in_place=[(0, 0), (1, 1)],
        )
        order = [emit.binary(context, "subtract", counted, emit.like(context, counted, 1))]
    else:
        form, taus = _reflections(context, primitive, a, type, taus_type)
    q = columns(context, form, min(n, q_type.shape[-1]))
    if q_type.shape[-1] > n:
        rank = len(a.shape)
        zero = emit.scalar(context, 0, a.dtype)
        q = emit.pad(context, q, zero, rank - 1, 0, q_type.shape[-1] - n)
    q = _product(context, primitive, q, taus)
    r = rows(context, form, r_type.shape[-2])
    return [q, keep(context, triangle(context, r, lower=False), r), *order]


def _reflections(
    context: LoweringContext, primitive: Primitive, a: HloValue, form: ArrayType, taus: ArrayType
) -> list[HloValue]:
    return call_routine(
        context,
        primitive,
        _everywhere("geqrf", a),
        (a,),
        (form, taus),
        vectors=(2,),
        in_place=[(0, 0)],
    )


@lowering_rule(QrReflections)
def qr_reflections_lowering(
    context: LoweringContext, primitive: QrReflections, a: HloValue
) -> HloValues:
    """One call."""
    form, taus = (_strong(type) for type in context.result_types)
    if 0 in a.shape:
        return [a, zeros(context, taus)]
    return _reflections(context, primitive, a, form, taus)


def _product(
    context: LoweringContext, primitive: Primitive, a: HloValue, taus: HloValue
) -> HloValue:
    type = emit.array_type(a).strong()
    return call_routine(
        context,
        primitive,
        _everywhere("orgqr", a),
        (a, taus),
        (type,),
        vectors=(1,),
        in_place=[(0, 0)],
    )[0]


@lowering_rule(HouseholderProduct)
def householder_product_lowering(
    context: LoweringContext, primitive: HouseholderProduct, a: HloValue, taus: HloValue
) -> HloValues:
    """One call; no reflections make the identity."""
    if 0 in a.shape or 0 in taus.shape:
        return [identities(context, emit.array_type(a))]
    return [_product(context, primitive, a, taus)]


@lowering_rule(HouseholderMultiply)
def householder_multiply_lowering(
    context: LoweringContext,
    primitive: HouseholderMultiply,
    a: HloValue,
    taus: HloValue,
    c: HloValue,
) -> HloValues:
    """One call; no reflections change nothing."""
    if 0 in c.shape or 0 in taus.shape:
        return [c]
    attributes = {"left": flag(primitive.left), "transpose": flag(primitive.adjoint)}
    routines = {
        "cpu": lapack("ormqr", a, attributes),
        "cuda": Routine("cusolver_ormqr_ffi", attributes),
    }
    a = columns(context, a, taus.shape[-1])
    type = emit.array_type(c).strong()
    return call_routine(
        context, primitive, routines, (a, taus, c), (type,), vectors=(1,), in_place=[(0, 2)]
    )

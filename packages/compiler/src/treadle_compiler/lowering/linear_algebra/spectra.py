"""Lowering of eigenvalues, singular values and Schur's form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treadle_compiler import emit
from treadle_compiler.context import HloValue, LoweringContext
from treadle_compiler.lowering.linear_algebra.calls import (
    Routine,
    call_routine,
    flag,
    identities,
    info_type,
    letter,
    or_nan,
    swapped,
    zeros,
)
from treadle_compiler.registry import lowering_rule
from treadle_ir import ArrayType, MissingRuleError, dtypes
from treadle_ir.primitives.linear_algebra import Eig, Eigh, Schur, Svd

_JACOBI: Final = "2 : ui8"
_DIVIDE_AND_CONQUER: Final = "1 : ui8"
_MOST_JACOBI: Final = 32  # rows: up to here cuSOLVER's Jacobi method is the faster one


def _types(context: LoweringContext) -> list[ArrayType]:
    found = []
    for type in context.result_types:
        assert isinstance(type, ArrayType)
        found.append(type.strong())
    return found


@lowering_rule(Eigh)
def eigh_lowering(context: LoweringContext, primitive: Eigh, a: HloValue) -> Sequence[HloValue]:
    """One call; the vectors take the matrix's place, which the routine also needs where there are none."""
    types = _types(context)
    if 0 in a.shape:
        return [zeros(context, type) for type in types]
    method = _JACOBI if a.shape[-1] <= _MOST_JACOBI else _DIVIDE_AND_CONQUER
    uplo = letter("L" if primitive.lower else "U")
    mode = letter("V" if primitive.compute_vectors else "N")
    routines = {
        "cpu": Routine("syevd", {"mode": mode, "uplo": uplo}),
        "cuda": Routine("solver_syevd", {"algorithm": method, "lower": flag(primitive.lower)}),
    }
    results = emit.array_type(a).strong(), types[-1], info_type(a)
    vectors, values, info = call_routine(
        context, primitive, routines, (a,), results, vectors=(2,), in_place=[(0, 0)]
    )
    found = (vectors, values) if primitive.compute_vectors else (values,)
    return or_nan(context, info, found)


@lowering_rule(Svd)
def svd_lowering(context: LoweringContext, primitive: Svd, a: HloValue) -> Sequence[HloValue]:
    """One call, on CUDA of a matrix that has no more columns than rows."""
    types = _types(context)
    *batch, m, n = a.shape
    k = min(m, n)
    if 0 in a.shape:
        if not primitive.compute_uv:
            return [zeros(context, types[0])]
        u_type, s_type, vh_type = types
        return [identities(context, u_type), zeros(context, s_type), identities(context, vh_type)]
    s_type = types[1] if primitive.compute_uv else types[0]
    if context.platform != "cpu":
        return _by_cusolver(context, primitive, a, s_type)
    if primitive.algorithm in ("jacobi", "polar"):
        raise MissingRuleError(
            f"svd: the algorithm {primitive.algorithm} is not there on the CPU",
            fix="use algorithm `default`, `qr` or `divide_and_conquer`",
        )
    mode, rows, columns = "N", 0, 0
    if primitive.compute_uv:
        mode, rows, columns = ("A", m, n) if primitive.full_matrices else ("S", k, k)
    else:  # the call has these results in any case, and looks at their shapes
        rows, columns = k, k
    name = "gesvd" if primitive.algorithm == "qr" else "gesdd"
    routines = {"cpu": Routine(name, {"mode": letter(mode)})}
    results = (
        emit.array_type(a).strong(),
        s_type,
        ArrayType((*batch, m, rows), a.dtype),
        ArrayType((*batch, columns, n), a.dtype),
        info_type(a),
    )
    _, s, u, vh, info = call_routine(
        context, primitive, routines, (a,), results, vectors=(2,), in_place=[(0, 0)]
    )
    if not primitive.compute_uv:
        return or_nan(context, info, (s,))
    return or_nan(context, info, (u, s, vh))


def _by_cusolver(
    context: LoweringContext, primitive: Svd, a: HloValue, s_type: ArrayType
) -> Sequence[HloValue]:
    *batch, m, n = a.shape
    wide = m < n
    if wide:  # A = U S Vᴴ  <=>  Aᵀ = (Vᴴ)ᵀ S Uᵀ
        a, m, n = swapped(context, a), n, m
    full = primitive.full_matrices and primitive.compute_uv
    columns = m if full else n
    attributes = {
        "full_matrices": flag(full),
        "compute_uv": flag(primitive.compute_uv),
        "transposed": "false",
    }
    routines = {"cuda": Routine("solver_gesvd", attributes)}
    results = (
        emit.array_type(a).strong(),
        s_type,
        ArrayType((*batch, m, columns), a.dtype),
        ArrayType((*batch, n, n), a.dtype),
        info_type(a),
    )
    _, s, u, vh, info = call_routine(
        context, primitive, routines, (a,), results, vectors=(2,), in_place=[(0, 0)]
    )
    if not primitive.compute_uv:
        return or_nan(context, info, (s,))
    if wide:
        u, vh = swapped(context, vh), swapped(context, u)
    return or_nan(context, info, (u, s, vh))


@lowering_rule(Eig)
def eig_lowering(context: LoweringContext, primitive: Eig, a: HloValue) -> Sequence[HloValue]:
    """One call; of a real matrix it returns real and imaginary parts of eigenvalues."""
    values_type, *vector_types = _types(context)
    if 0 in a.shape:
        return [zeros(context, type) for type in (values_type, *vector_types)]
    wanted = {"left": primitive.compute_left, "right": primitive.compute_right}
    attributes = {f"compute_{side}": letter("V" if each else "N") for side, each in wanted.items()}
    routines = {"cpu": Routine("geev", attributes)}
    vectors = ArrayType(a.shape, values_type.dtype)
    if dtypes.is_complex(a.dtype):
        results = values_type, vectors, vectors, info_type(a)
        values, left, right, info = call_routine(
            context, primitive, routines, (a,), results, vectors=(1,)
        )
    else:
        part = ArrayType(values_type.shape, a.dtype)
        results_of_real = part, part, vectors, vectors, info_type(a)
        real, imag, left, right, info = call_routine(
            context, primitive, routines, (a,), results_of_real, vectors=(1, 2)
        )
        values = context.one("stablehlo.complex", (real, imag), values_type)
    chosen = [x for x, each in zip((left, right), wanted.values(), strict=True) if each]
    return or_nan(context, info, (values, *chosen))


@lowering_rule(Schur)
def schur_lowering(context: LoweringContext, primitive: Schur, a: HloValue) -> Sequence[HloValue]:
    """One call, without an order of the eigenvalues."""
    types = _types(context)
    if 0 in a.shape:
        return [zeros(context, type) for type in types]
    attributes = {
        "mode": letter("V" if primitive.compute_vectors else "N"),
        "sort": letter("N"),
    }
    routines = {"cpu": Routine("gees", attributes)}
    values = ArrayType(a.shape[:-1], a.dtype)
    parts = (values,) if dtypes.is_complex(a.dtype) else (values, values)
    results = types[0], types[0], *parts, info_type(a), info_type(a)
    form, z, *rest = call_routine(
        context,
        primitive,
        routines,
        (a,),
        results,
        vectors=tuple(range(3, 3 + len(parts))),
        in_place=[(0, 0)],
    )
    return or_nan(context, rest[-1], (form, z)[: len(types)])

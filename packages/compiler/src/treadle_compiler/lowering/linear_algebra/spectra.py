"""Lowering of eigenvalues, singular values and Schur's form."""

from __future__ import annotations

from typing import Final

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.lowering.linear_algebra.calls import (
    Routine,
    call_routine,
    columns,
    conjugate,
    finite,
    flag,
    hybrid,
    identities,
    info_type,
    keep,
    lapack,
    letter,
    or_nan,
    swapped,
    triangle,
    where_matrix,
    zeros,
)
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType
from treadle_ir.core import dtypes
from treadle_ir.primitives.linear_algebra import Eig, Eigh, Schur, Svd

_CHOSEN_BY_SIZE: Final = "0 : ui8"  # Jacobi's method for small matrices and many of them
# rows or columns that are left to Jacobi's method, unless another is asked for
_MOST_JACOBI: Final = 1024
# `geev` leaves elements as they are up to 4 times this, and down to a fourth of 1 through this, by their bytes
_MOST_UNDIVIDED: Final = {4: 2.0**38, 8: 2.0**457}
_MOST_BATCHED: Final = 32  # rows or columns; there cuSOLVER computes all singular vectors


def _types(context: LoweringContext) -> list[ArrayType]:
    found = []
    for type in context.result_types:
        assert isinstance(type, ArrayType)
        found.append(type.strong())
    return found


@lowering_rule(Eigh)
def eigh_lowering(context: LoweringContext, primitive: Eigh, a: HloValue) -> HloValues:
    """One call; the vectors take the matrix's place, which the routine also needs where there are none."""
    types = _types(context)
    if 0 in a.shape:
        return [zeros(context, type) for type in types]
    uplo = letter("L" if primitive.lower else "U")
    mode = letter("V" if primitive.compute_vectors else "N")
    routines = {
        "cpu": lapack("syevd", a, {"mode": mode, "uplo": uplo}),
        "cuda": Routine(
            "cusolver_syevd_ffi", {"algorithm": _CHOSEN_BY_SIZE, "lower": flag(primitive.lower)}
        ),
    }
    results = emit.array_type(a).strong(), types[-1], info_type(a)
    vectors, values, info = call_routine(
        context, primitive, routines, (a,), results, vectors=(2,), in_place=[(0, 0)]
    )
    found = (vectors, values) if primitive.compute_vectors else (values,)
    read = keep(context, triangle(context, a, lower=primitive.lower), a)
    return or_nan(context, info, found, finite(context, read))


@lowering_rule(Svd)
def svd_lowering(context: LoweringContext, primitive: Svd, a: HloValue) -> HloValues:
    """One call."""
    types = _types(context)
    *batch, m, n = a.shape
    k = min(m, n)
    if 0 in a.shape:
        if not primitive.compute_uv:
            return [zeros(context, types[0])]
        u_type, s_type, vh_type = types
        return [identities(context, u_type), zeros(context, s_type), identities(context, vh_type)]
    s_type = types[1] if primitive.compute_uv else types[0]
    primitive.check_platform(context.platform)
    if context.platform != "cpu":
        return _by_cusolver(context, primitive, a, s_type)
    mode, u_columns, vh_rows = "N", 0, 0
    if primitive.compute_uv:
        mode, u_columns, vh_rows = ("A", m, n) if primitive.full_matrices else ("S", k, k)
    else:  # the call has these results in any case, and looks at their shapes
        u_columns, vh_rows = k, k
    name = "gesvd" if primitive.algorithm == "qr" else "gesdd"
    routines = {"cpu": lapack(name, a, {"mode": letter(mode)})}
    results = (
        emit.array_type(a).strong(),
        s_type,
        ArrayType((*batch, m, u_columns), a.dtype),
        ArrayType((*batch, vh_rows, n), a.dtype),
        info_type(a),
    )
    sound = finite(context, a)  # of what is not, these routines may not end
    a = where_matrix(context, sound, a, emit.like(context, a, 0))
    _, s, u, vh, info = call_routine(
        context, primitive, routines, (a,), results, vectors=(2,), in_place=[(0, 0)]
    )
    found = (u, s, vh) if primitive.compute_uv else (s,)
    return or_nan(context, info, found, sound)


def _by_cusolver(
    context: LoweringContext, primitive: Svd, a: HloValue, s_type: ArrayType
) -> HloValues:
    algorithm = primitive.algorithm
    if algorithm == "default":
        algorithm = "jacobi" if max(a.shape[-2:]) <= _MOST_JACOBI else "qr"
    if algorithm == "qr":
        s, u, vh, info = _by_bidiagonals(context, primitive, a, s_type)
    else:
        s, u, vh, info = _by_rotations(context, primitive, a, s_type, algorithm)
    found = (u, s, vh) if primitive.compute_uv else (s,)
    return or_nan(context, info, found, finite(context, a))


def _by_bidiagonals(
    context: LoweringContext, primitive: Svd, a: HloValue, s_type: ArrayType
) -> HloValues:
    """A call for matrices that have no more columns than rows; of others, for their transposes."""
    *batch, m, n = a.shape
    wide = m < n
    if wide:  # A = U S Vᴴ  <=>  Aᵀ = (Vᴴ)ᵀ S Uᵀ
        a, m, n = swapped(context, a), n, m
    full = primitive.full_matrices and primitive.compute_uv
    attributes = {
        "full_matrices": flag(full),
        "compute_uv": flag(primitive.compute_uv),
        "transposed": "false",
    }
    results = (
        emit.array_type(a).strong(),
        s_type,
        ArrayType((*batch, m, m if full else n), a.dtype),
        ArrayType((*batch, n, n), a.dtype),
        info_type(a),
    )
    routines = {"cuda": Routine("cusolver_gesvd_ffi", attributes)}
    _, s, u, vh, info = call_routine(
        context, primitive, routines, (a,), results, vectors=(2,), in_place=[(0, 0)]
    )
    if wide:
        u, vh = swapped(context, vh), swapped(context, u)
    return s, u, vh, info


def _by_rotations(
    context: LoweringContext, primitive: Svd, a: HloValue, s_type: ArrayType, algorithm: str
) -> HloValues:
    """Write Jacobi's method, or a polar decomposition: calls that return V."""
    *batch, m, n = a.shape
    k = min(m, n)
    jacobi = algorithm == "jacobi"
    full = primitive.full_matrices or (jacobi and k <= _MOST_BATCHED)
    attributes = {"full_matrices": flag(full), "compute_uv": flag(primitive.compute_uv)}
    results = (
        emit.array_type(a).strong(),
        s_type,
        ArrayType((*batch, m, m if full else k), a.dtype),
        ArrayType((*batch, n, n if full else k), a.dtype),
        info_type(a),
    )
    routines = {"cuda": Routine(f"cusolver_gesvd{'j' if jacobi else 'p'}_ffi", attributes)}
    _, s, u, v, info = call_routine(
        context, primitive, routines, (a,), results, vectors=(2,), in_place=[(0, 0)]
    )
    if not primitive.full_matrices:
        u, v = columns(context, u, k), columns(context, v, k)
    return s, u, swapped(context, conjugate(context, v)), info


@lowering_rule(Eig)
def eig_lowering(context: LoweringContext, primitive: Eig, a: HloValue) -> HloValues:
    """One call; of a real matrix it returns real and imaginary parts of eigenvalues."""
    values_type, *vector_types = _types(context)
    if 0 in a.shape:
        return [zeros(context, type) for type in (values_type, *vector_types)]
    factor = _factor(context, a)
    a = _by_part(context, "divide", a, factor)
    wanted = {"left": primitive.compute_left, "right": primitive.compute_right}
    attributes = {f"compute_{side}": letter("V" if each else "N") for side, each in wanted.items()}
    kind = "comp" if dtypes.is_complex(a.dtype) else "real"
    sides = {side: flag(each) for side, each in wanted.items()}
    routines = {"cpu": lapack("geev", a, attributes), "cuda": hybrid(f"eig_{kind}", sides)}
    vectors = ArrayType(a.shape, values_type.dtype)
    if dtypes.is_complex(a.dtype):
        results = values_type, vectors, vectors, info_type(a)
        values, left, right, info = call_routine(
            context, primitive, routines, (a,), results, vectors=(1,)
        )
        values = _by_part(context, "multiply", values, factor)
    else:
        part = ArrayType(values_type.shape, a.dtype)
        results_of_real = part, part, vectors, vectors, info_type(a)
        real, imag, left, right, info = call_routine(
            context, primitive, routines, (a,), results_of_real, vectors=(1, 2)
        )
        real, imag = (_by_part(context, "multiply", x, factor) for x in (real, imag))
        values = context.one("stablehlo.complex", (real, imag), values_type)
    chosen = [x for x, each in zip((left, right), wanted.values(), strict=True) if each]
    return or_nan(context, info, (values, *chosen))


def _factor(context: LoweringContext, a: HloValue) -> HloValue:
    """Return what to divide matrices by, so that LAPACK does not: 1, but for very large or very small elements.

    `geev` divides these itself, and some builds of it then forget to multiply the eigenvalues: SciPy 1.17's is one. A
    power of two changes no digit. Not finite where the matrix is not.
    """
    parts = emit.parts(context, a) if dtypes.is_complex(a.dtype) else (a,)
    sizes = [emit.unary(context, "abs", x) for x in parts]
    size = sizes[0] if len(sizes) == 1 else emit.binary(context, "maximum", *sizes)
    rank = len(a.shape)
    size = emit.reduce(context, "maximum", size, 0, (rank - 2, rank - 1))
    most = _MOST_UNDIVIDED[size.dtype.itemsize]
    one, zero, large, small = (emit.like(context, size, x) for x in (1, 0, most, 1 / most))
    is_large = emit.compare(context, size, large, "gt")
    is_small = emit.compare(context, size, small, "lt")
    is_small = emit.binary(context, "and", is_small, emit.compare(context, size, zero, "gt"))
    reduced = emit.binary(context, "multiply", size, emit.select(context, is_large, small, large))
    bits = 8 if size.dtype.itemsize == 4 else 11
    exact = {"exponent_bits": f"{bits} : i32", "mantissa_bits": "0 : i32"}
    power = context.one("stablehlo.reduce_precision", (reduced,), emit.array_type(size), exact)
    return emit.select(context, emit.binary(context, "or", is_large, is_small), power, one)


def _by_part(context: LoweringContext, op: str, x: HloValue, factor: HloValue) -> HloValue:
    """Matrices or vectors, complex or real, multiplied or divided by a real number each."""
    spread = emit.broadcast(context, factor, x.shape, range(len(factor.shape)))
    if not dtypes.is_complex(x.dtype):
        return emit.binary(context, op, x, spread)
    real, imag = (emit.binary(context, op, part, spread) for part in emit.parts(context, x))
    return context.one("stablehlo.complex", (real, imag), emit.array_type(x))


@lowering_rule(Schur)
def schur_lowering(context: LoweringContext, primitive: Schur, a: HloValue) -> HloValues:
    """One call, without an order of the eigenvalues."""
    types = _types(context)
    if 0 in a.shape:
        return [zeros(context, type) for type in types]
    attributes = {
        "mode": letter("V" if primitive.compute_vectors else "N"),
        "sort": letter("N"),
    }
    routines = {"cpu": lapack("gees", a, attributes)}
    values = ArrayType(a.shape[:-1], a.dtype)
    parts = (values,) if dtypes.is_complex(a.dtype) else (values, values)
    results = types[0], types[0], *parts, info_type(a), info_type(a)
    sound = finite(context, a)
    form, z, *rest = call_routine(
        context,
        primitive,
        routines,
        (a,),
        results,
        vectors=tuple(range(3, 3 + len(parts))),
        in_place=[(0, 0)],
    )
    return or_nan(context, rest[-1], (form, z)[: len(types)], sound)

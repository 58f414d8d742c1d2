"""Lowering of triangular and tridiagonal systems."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.lowering.linear_algebra.calls import (
    Routine,
    call_routine,
    conjugate,
    flag,
    info_type,
    lapack,
    letter,
    or_nan,
    swapped,
    zeros,
)
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValue, HloValues
from treadle_ir.core import dtypes
from treadle_ir.primitives.linear_algebra import TriangularSolve, TridiagonalSolve

_F32: Final = np.dtype(np.float32)
_FEWEST_ROWS: Final = 3  # of cuSPARSE's systems


@lowering_rule(TriangularSolve)
def triangular_solve_lowering(
    context: LoweringContext, primitive: TriangularSolve, a: HloValue, b: HloValue
) -> HloValues:
    """XLA's own on accelerators; on the CPU BLAS's, which is faster at any size."""
    dtype = b.dtype
    if 0 in b.shape:
        return [zeros(context, emit.array_type(b))]
    if dtype.itemsize < 4:  # rounded once, at the end
        a, b = emit.convert(context, a, _F32), emit.convert(context, b, _F32)
    conjugates = primitive.conjugate_a and dtypes.is_complex(dtype)
    if context.platform == "cpu":
        x = _by_blas(context, primitive, a, b, conjugates)
    else:
        x = _by_xla(context, primitive, a, b, conjugates)
    return [emit.convert(context, x, dtype)]


def _by_blas(
    context: LoweringContext, primitive: TriangularSolve, a: HloValue, b: HloValue, conjugates: bool
) -> HloValue:
    """The transposed system: rows in memory, as arrays mostly lie, are columns of it, and nothing is copied."""
    operation = "N"
    if primitive.transpose_a:
        operation = "C" if conjugates else "T"
    elif conjugates:
        a = conjugate(context, a)
    attributes = {
        "side": letter("R" if primitive.left_side else "L"),
        "uplo": letter("U" if primitive.lower else "L"),
        "trans_x": letter(operation),
        "diag": letter("U" if primitive.unit_diagonal else "N"),
    }
    routines = {"cpu": lapack("trsm", a, attributes)}
    a, b = swapped(context, a), swapped(context, b)
    type = emit.array_type(b).strong()
    (x,) = call_routine(context, primitive, routines, (a, b), (type,), in_place=[(0, 1)])
    return swapped(context, x)


def _by_xla(
    context: LoweringContext, primitive: TriangularSolve, a: HloValue, b: HloValue, conjugates: bool
) -> HloValue:
    operation = "NO_TRANSPOSE"
    if primitive.transpose_a:
        operation = "ADJOINT" if conjugates else "TRANSPOSE"
    elif conjugates:
        a = conjugate(context, a)
    attributes = {
        "left_side": flag(primitive.left_side),
        "lower": flag(primitive.lower),
        "transpose_a": f"#stablehlo<transpose {operation}>",
        "unit_diagonal": flag(primitive.unit_diagonal),
    }
    type = emit.array_type(b).strong()
    return context.one("stablehlo.triangular_solve", (a, b), type, attributes)


@lowering_rule(TridiagonalSolve)
def tridiagonal_solve_lowering(
    context: LoweringContext, primitive: TridiagonalSolve, *operands: HloValue
) -> HloValues:
    """A call of LAPACK or of cuSPARSE; without perturbation, where a pivot is zero, NaN."""
    _, diagonal, _, b = operands
    if 0 in b.shape:
        return [zeros(context, emit.array_type(b))]
    type, row = emit.array_type(b).strong(), emit.array_type(diagonal).strong()
    if primitive.perturb_singular:
        return [_perturbed(context, primitive, operands)]
    if context.platform == "cuda":
        return [_by_cusparse(context, primitive, operands)]
    routines = {"cpu": lapack("gtsv", b)}
    results = row, row, row, type, info_type(b)
    *_, x, info = call_routine(
        context,
        primitive,
        routines,
        operands,
        results,
        vectors=(0, 1, 2, 4, 5, 6),
        in_place=[(0, 0), (1, 1), (2, 2), (3, 3)],
    )
    return or_nan(context, info, (x,))


def _by_cusparse(
    context: LoweringContext, primitive: TridiagonalSolve, operands: HloValues
) -> HloValue:
    """A call that takes three rows at least; those that are added are the identity's, and solve to 0."""
    axis = len(operands[-1].shape) - 2
    n = operands[-1].shape[axis]
    added = max(0, _FEWEST_ROWS - n)
    if added:
        operands = [
            emit.pad(context, x, emit.scalar(context, value, x.dtype), axis, 0, added)
            for x, value in zip(operands, (0, 1, 0, 0), strict=True)
        ]
    routines = {"cuda": Routine("cusparse_gtsv2_ffi", {})}
    type = emit.array_type(operands[-1]).strong()
    (x,) = call_routine(
        context, primitive, routines, operands, (type,), vectors=(0, 1, 2), in_place=[(0, 3)]
    )
    return emit.slice(context, x, axis, 0, n) if added else x


def _perturbed(
    context: LoweringContext, primitive: TridiagonalSolve, operands: HloValues
) -> HloValue:
    """A call that jaxlib names alike for all element types."""
    type = emit.array_type(operands[-1]).strong()
    routines = {
        "cpu": Routine("tridiagonal_solve_perturbed_ffi", {}),
        "cuda": Routine("cu_tridiagonal_solve_perturbed", {}),
    }
    return call_routine(context, primitive, routines, operands, (type,), vectors=(0, 1, 2))[0]

"""Derivatives of systems of equations: the derivative of a solution solves the same system.

Source: M. Giles, "An extended collection of matrix derivative results for forward and reverse mode algorithmic
differentiation", 2008, 2.3.1.
"""

from __future__ import annotations

from dataclasses import replace

from treadle_autodiff.registry import (
    Cotangents,
    Duals,
    LinearOperands,
    jvp_rule,
    not_linear,
    transpose_rule,
)
from treadle_autodiff.tangents import Linear, Tangents, Zero, add, materialise
from treadle_ir import Operand, Operands, bind, ops, type_of
from treadle_ir.calling import matrices
from treadle_ir.primitives.linear_algebra import TriangularSolve, TridiagonalSolve


@jvp_rule(TriangularSolve)
def triangular_solve_jvp(
    primitive: TriangularSolve, primals: Operands, tangents: Tangents
) -> Duals:
    """`op(a) dx = db - op(da) x`, of da the triangle that is read."""
    a, b = primals
    da, db = tangents
    (x,) = bind(primitive, a, b)
    if not isinstance(da, Zero):
        read = matrices.lower if primitive.lower else matrices.upper
        da = read(da, strictly=primitive.unit_diagonal)
        if primitive.transpose_a:
            da = matrices.transposed(da)
        if primitive.conjugate_a:
            da = matrices.conjugated(da)
        product = matrices.matmul(da, x) if primitive.left_side else matrices.matmul(x, da)
        db = add(db, ops.negate(product))
    return [x], [Zero(type_of(x).tangent()) if isinstance(db, Zero) else bind(primitive, a, db)[0]]


@transpose_rule(TriangularSolve)
def triangular_solve_transpose(
    primitive: TriangularSolve, cotangents: Tangents, operands: LinearOperands
) -> Cotangents:
    """The cotangent of b solves the system with the matrices.transposed matrix."""
    a, _ = operands
    if isinstance(a, Linear):
        raise not_linear(primitive)
    other = replace(primitive, transpose_a=not primitive.transpose_a)
    return [None, bind(other, a, materialise(cotangents[0]))[0]]


def _moved(x: Operand, axis: int, step: int) -> Operand:
    """Elements one place on along an axis (`step` 1), or back (-1), with a zero in the place that is left."""
    shape = type_of(x).shape
    n = shape[axis]
    if n == 0:
        return x
    first, last = (0, n - 1) if step > 0 else (1, n)
    part = ops.slice(
        x,
        start=tuple([first if i == axis else 0 for i in range(len(shape))]),
        limit=tuple([last if i == axis else size for i, size in enumerate(shape)]),
        strides=(1,) * len(shape),
    )
    none = (0,) * len(shape)
    one = tuple([int(i == axis) for i in range(len(shape))])
    low, high = (one, none) if step > 0 else (none, one)
    return ops.pad(part, matrices.zero(x), low=low, high=high, interior=none)


@jvp_rule(TridiagonalSolve)
def tridiagonal_solve_jvp(
    primitive: TridiagonalSolve, primals: Operands, tangents: Tangents
) -> Duals:
    """`a dx = db - da x`, with the three diagonals of da."""
    *diagonals, b = primals
    *changes, db = tangents
    (x,) = bind(primitive, *diagonals, b)
    rows = type_of(x).ndim - 2
    shifted = _moved(x, rows, 1), x, _moved(x, rows, -1)
    for change, neighbours in zip(changes, shifted, strict=True):
        if not isinstance(change, Zero):
            db = add(db, ops.negate(ops.multiply(matrices.down(change, x), neighbours)))
    return [x], [
        Zero(type_of(x).tangent()) if isinstance(db, Zero) else bind(primitive, *diagonals, db)[0]
    ]


@transpose_rule(TridiagonalSolve)
def tridiagonal_solve_transpose(
    primitive: TridiagonalSolve, cotangents: Tangents, operands: LinearOperands
) -> Cotangents:
    """The cotangent of b solves the system with the matrices.transposed matrix, whose diagonals have changed places."""
    below, diagonal, above, _ = operands
    if isinstance(below, Linear) or isinstance(diagonal, Linear) or isinstance(above, Linear):
        raise not_linear(primitive)
    last = type_of(diagonal).ndim - 1
    (ct,) = bind(
        primitive,
        _moved(above, last, 1),
        diagonal,
        _moved(below, last, -1),
        materialise(cotangents[0]),
    )
    return [None, None, None, ct]

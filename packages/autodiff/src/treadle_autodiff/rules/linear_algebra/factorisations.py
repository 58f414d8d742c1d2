"""Derivatives of Cholesky, LU and QR.

Each multiplies the tangent of the matrix by inverses of the factors from both sides, and takes the result apart into
what belongs to one factor's derivative and what to the other's.
"""

from __future__ import annotations

from treadle_autodiff.registry import Duals, Flat, jvp_rule, jvp_rules, locally_constant
from treadle_autodiff.tangents import Tangents, Zero
from treadle_ir import Operand, Operands, bind, ops, type_of
from treadle_ir.calling import matrices
from treadle_ir.primitives.linear_algebra import (
    Cholesky,
    HouseholderMultiply,
    HouseholderProduct,
    Lu,
    LuPivotsToPermutation,
    Qr,
    QrReflections,
)

locally_constant(LuPivotsToPermutation, Flat.INTEGER)
for _reflections in (QrReflections, HouseholderProduct, HouseholderMultiply):
    jvp_rules.absent(
        _reflections,
        because="reflections come from factorisations, which have derivatives of their own: differentiate `qr`",
    )


@jvp_rule(Cholesky)
def cholesky_jvp(primitive: Cholesky, primals: Operands, tangents: Tangents) -> Duals:
    """`dL = L low(L⁻¹ dA L⁻ᴴ)`, where `low` is the lower triangle with half of the diagonal.

    Source: I. Murray, "Differentiation of the Cholesky decomposition", 2016, equation 8.
    """
    (da,) = tangents
    assert not isinstance(da, Zero)
    (factor,) = bind(primitive, *primals)
    x = ops.triangular_solve(factor, matrices.hermitian(da, from_lower=True), lower=True)
    x = ops.triangular_solve(
        factor, x, left_side=False, lower=True, transpose_a=True, conjugate_a=True
    )
    half = ops.multiply(x, type_of(x).dtype.type(0.5))
    return [factor], [
        matrices.matmul(factor, matrices.on_diagonal(half, matrices.lower(x, strictly=True)))
    ]


@jvp_rule(Lu)
def lu_jvp(primitive: Lu, primals: Operands, tangents: Tangents) -> Duals:
    """With `X = L⁻¹ P dA U⁻¹`: dL = L times X's strict lower triangle, dU = X's upper triangle times U.

    Factors that are not square are completed by rows and columns of the identity, which drop out. Pivots stay.

    Source: S. Axen, "Differentiating the LU decomposition", 2021.
    """
    (da,) = tangents
    assert not isinstance(da, Zero)
    factors, pivots, permutation = bind(primitive, *primals)
    m, n = type_of(factors).shape[-2:]
    k = min(m, n)
    # Right of column k the triangular solver would read U, not the identity's zeros: they are below the diagonal.
    left = matrices.padded(matrices.block(factors, slice(m), slice(k)), m, m)
    right = matrices.padded(matrices.block(factors, slice(k), slice(n)), n, n)
    right = matrices.on_diagonal(_with_ones(right, k), right)
    x = matrices.rows_taken(da, permutation)
    x = ops.triangular_solve(left, x, lower=True, unit_diagonal=True)
    x = ops.triangular_solve(right, x, left_side=False, lower=False)
    unit = matrices.on_diagonal(_ones(left), matrices.lower(left, strictly=True))
    d_lower = matrices.matmul(
        unit, matrices.block(matrices.lower(x, strictly=True), slice(m), slice(k))
    )
    d_upper = matrices.matmul(
        matrices.block(matrices.upper(x), slice(k), slice(n)), matrices.upper(right)
    )
    change = ops.add(matrices.padded(d_lower, m, n), matrices.padded(d_upper, m, n))
    types = type_of(pivots).tangent(), type_of(permutation).tangent()
    return [factors, pivots, permutation], [change, *map(Zero, types)]


def _ones(x: Operand) -> Operand:
    type = type_of(x)
    return ops.broadcast_in_dim(type.dtype.type(1), shape=type.shape, dimensions=())


def _with_ones(x: Operand, first: int) -> Operand:
    """Matrices with ones in the place of all rows from one on."""
    type = type_of(x)
    if first == type.shape[-2]:
        return x
    row = ops.iota(shape=type.shape, dimension=type.ndim - 2, dtype=matrices.I32)
    return ops.select(
        ops.compare(row, matrices.I32.type(first), direction="lt"), x, type.dtype.type(1)
    )


@jvp_rule(Qr)
def qr_jvp(primitive: Qr, primals: Operands, tangents: Tangents) -> Duals:
    """With `X = dA R⁻¹` and `C = Qᴴ X`: `dQ = X - Q C + Q W` and `dR = (C - W) R`.

    W is skew-Hermitian, and C - W upper triangular with a real diagonal: so R keeps its shape and its real diagonal.
    Columns of a wide matrix beyond the square part have `dR₂ = Qᴴ dA₂ - W R₂`. The columns that complete Q move only
    within the space of the others. The matrix has full rank; with pivoting the permutation stays.

    Source: M. Seeger et al., "Auto-differentiating linear algebra", 2017; for complex matrices S. Walter and
    L. Lehmann, "Algorithmic differentiation of linear algebra functions", 2010.
    """
    (da,) = tangents
    assert not isinstance(da, Zero)
    q, r, *permutation = bind(primitive, *primals)
    if permutation:
        da = matrices.transposed(matrices.rows_taken(matrices.transposed(da), permutation[0]))
    m, n = type_of(da).shape[-2:]
    k = min(m, n)
    square, thin = matrices.block(r, slice(k), slice(k)), matrices.block(q, slice(m), slice(k))
    x = matrices.block(da, slice(m), slice(k))
    x = ops.triangular_solve(square, x, left_side=False, lower=False)
    c = matrices.matmul(matrices.adjoint(thin), x)
    low = matrices.lower(c, strictly=True)
    skew = ops.add(
        ops.subtract(low, matrices.adjoint(low)),
        matrices.on_diagonal(matrices.only_imaginary(c), matrices.zero(c)),
    )
    dr = matrices.matmul(matrices.upper(ops.subtract(c, skew)), square)
    dq = matrices.matmul(thin, skew)
    if m > k:
        dq = ops.add(dq, ops.subtract(x, matrices.matmul(thin, c)))
    if n > k:
        remaining = ops.subtract(
            matrices.matmul(matrices.adjoint(thin), matrices.block(da, slice(m), slice(k, n))),
            matrices.matmul(skew, matrices.block(r, slice(k), slice(k, n))),
        )
        dr = matrices.side_by_side(dr, remaining)
    if type_of(q).shape[-1] > k:
        rest = matrices.block(q, slice(m), slice(k, m))
        dq = matrices.side_by_side(
            dq, ops.negate(matrices.matmul(thin, matrices.matmul(matrices.adjoint(x), rest)))
        )
    none = [Zero(type_of(each).tangent()) for each in permutation]
    return [q, r, *permutation], [dq, matrices.padded(dr, *type_of(r).shape[-2:]), *none]

"""Derivatives of eigenvalues and singular values, and of their vectors.

Vectors of equal values are not unique and have no derivative: differences of values stand in denominators, and what
comes out is infinite or NaN. Values alone have derivatives also there, in the sense that the sum of equal ones has.
"""

from __future__ import annotations

from dataclasses import replace

from treadle_autodiff.registry import Duals, jvp_rule, jvp_rules
from treadle_autodiff.tangents import Tangents, Zero
from treadle_ir import Operand, Operands, bind, ops, type_of
from treadle_ir.calling import matrices
from treadle_ir.core import dtypes
from treadle_ir.primitives.linear_algebra import Eig, Eigh, Schur, Svd

jvp_rules.absent(
    Schur,
    because="Schur's form has no derivative rule: use `eigh`, or eigenvalues of `eig`",
)


def _over_differences(values: Operand, x: Operand) -> Operand:
    """`x[i, j] / (values[j] - values[i])`, and zero on the diagonal."""
    apart = ops.subtract(matrices.across(values, x), matrices.down(values, x))
    one = type_of(apart).dtype.type(1)
    row = ops.iota(shape=type_of(x).shape, dimension=type_of(x).ndim - 2, dtype=matrices.I32)
    column = ops.iota(shape=type_of(x).shape, dimension=type_of(x).ndim - 1, dtype=matrices.I32)
    safe = ops.select(ops.compare(row, column, direction="eq"), one, apart)
    return ops.divide(matrices.off_diagonal(x), safe)


def _column_products(x: Operand, y: Operand) -> Operand:
    """The diagonal of `Xᴴ Y`: sums over elements, without the product of all with all."""
    products = ops.multiply(matrices.conjugated(x), y)
    return ops.reduce_add(products, axes=(type_of(products).ndim - 2,))


@jvp_rule(Eigh)
def eigh_jvp(primitive: Eigh, primals: Operands, tangents: Tangents) -> Duals:
    """With `P = Vᴴ dA V`: dw is P's diagonal, and `dV = V (F * P)` with `F[i, j] = 1 / (w[j] - w[i])` for i != j.

    Of complex vectors the phases are those for which `Vᴴ dV` has a diagonal of zeros.

    Source: M. Giles, "An extended collection of matrix derivative results", 2008, 3.1.
    """
    (da,) = tangents
    assert not isinstance(da, Zero)
    results = bind(primitive, *primals)
    da = matrices.hermitian(da, from_lower=primitive.lower)
    if not primitive.compute_vectors:
        vectors, _ = bind(replace(primitive, compute_vectors=True), *primals)
        return results, [matrices.real(_column_products(vectors, matrices.matmul(da, vectors)))]
    vectors, values = results
    p = matrices.matmul(matrices.adjoint(vectors), matrices.matmul(da, vectors))
    return [vectors, values], [
        matrices.matmul(vectors, _over_differences(values, p)),
        matrices.real(matrices.diagonal(p)),
    ]


@jvp_rule(Svd)
def svd_jvp(primitive: Svd, primals: Operands, tangents: Tangents) -> Duals:
    """With `P = Uᴴ dA V`: ds is the real part of P's diagonal, and U and V turn.

    `dU = U (F * (P S + S Pᴴ))` and `dV = V (F * (S P + Pᴴ S))` with `F[i, j] = 1 / (s[j]² - s[i]²)` for i != j. Where U
    or V has more rows than columns, it also moves out of its space: by `(1 - U Uᴴ) dA V S⁻¹`, and V likewise; columns
    that complete it move only within the space of the others. The phases of complex vectors are those for which
    `Vᴴ dV` has a diagonal of zeros. Singular values are distinct, and not zero where the matrix is not square.

    Source: J. Townsend, "Differentiating the singular value decomposition", 2016.
    """
    (da,) = tangents
    assert not isinstance(da, Zero)
    results = bind(primitive, *primals)
    if not primitive.compute_uv:
        u, _, vh = bind(replace(primitive, compute_uv=True, full_matrices=False), *primals)
        ds = matrices.real(_column_products(u, matrices.matmul(da, matrices.adjoint(vh))))
        return results, [ds]
    u, s, vh = results
    m, n = type_of(da).shape[-2:]
    k = min(m, n)
    u1, v = (
        matrices.block(u, slice(m), slice(k)),
        matrices.adjoint(matrices.block(vh, slice(k), slice(n))),
    )
    av, au = matrices.matmul(da, v), matrices.matmul(matrices.adjoint(da), u1)
    p = matrices.matmul(matrices.adjoint(u1), av)
    s1, p1 = _in_units_of_the_greatest(s, p)
    ps = ops.multiply(p1, matrices.across(s1, p1))
    sp = ops.multiply(matrices.down(s1, p1), p1)
    squares = ops.multiply(s1, s1)
    inner_u = _over_differences(squares, ops.add(ps, matrices.adjoint(ps)))
    inner_v = _over_differences(squares, ops.add(sp, matrices.adjoint(sp)))
    if dtypes.is_complex(type_of(p).dtype):
        turned = ops.divide(
            matrices.only_imaginary(matrices.on_diagonal(p, matrices.zero(p))),
            matrices.across(s, p),
        )
        inner_u = ops.add(inner_u, turned)
    du: Operand = matrices.matmul(u1, inner_u)
    dv: Operand = matrices.matmul(v, inner_v)
    if m > k:
        du = ops.add(du, _outside(u1, ops.divide(av, matrices.across(s, av))))
    if n > k:
        dv = ops.add(dv, _outside(v, ops.divide(au, matrices.across(s, au))))
    ds = matrices.real(matrices.diagonal(p))
    if type_of(u).shape[-1] > k:
        du = _completed(u, du, k)
    if type_of(vh).shape[-2] > k:
        dv = _completed(matrices.adjoint(vh), dv, k)
    return results, [du, ds, matrices.adjoint(dv)]


def _in_units_of_the_greatest(s: Operand, p: Operand) -> tuple[Operand, Operand]:
    """Singular values and P divided by the greatest of the values, such that no square overflows or vanishes.

    The turns stay what they are, to any order: the unit cancels from them.
    """
    axis = type_of(s).ndim - 1
    if not type_of(s).shape[axis]:
        return s, p
    greatest = ops.reduce_maximum(ops.stop_gradient(s), axes=(axis,))
    some = ops.compare(greatest, matrices.zero(s), direction="gt")
    unit = ops.broadcast_in_dim(
        ops.select(some, greatest, type_of(s).dtype.type(1)),
        shape=type_of(s).shape,
        dimensions=tuple(range(axis)),
    )
    return ops.divide(s, unit), ops.divide(p, matrices.across(unit, p))


def _outside(basis: Operand, x: Operand) -> Operand:
    """Return the components of the columns of x outside the space of a basis."""
    return ops.subtract(x, matrices.matmul(basis, matrices.matmul(matrices.adjoint(basis), x)))


def _completed(basis: Operand, change: Operand, k: int) -> Operand:
    """Return the change of k columns of a square basis, with the change of the others that keeps it orthonormal."""
    size = type_of(basis).shape[-2]
    first, rest = (
        matrices.block(basis, slice(size), slice(k)),
        matrices.block(basis, slice(size), slice(k, size)),
    )
    return matrices.side_by_side(
        change, ops.negate(matrices.matmul(first, matrices.matmul(matrices.adjoint(change), rest)))
    )


@jvp_rule(Eig)
def eig_jvp(primitive: Eig, primals: Operands, tangents: Tangents) -> Duals:
    """With `P = V⁻¹ dA V`: dw is P's diagonal, and `dV = V (F * P)` with `F[i, j] = 1 / (w[j] - w[i])` for i != j.

    That is the change up to multiples of each vector: of them those are taken for which the norm stays 1 and the
    component of greatest modulus stays real. Left vectors are right ones of the adjoint matrix. Eigenvalues are
    distinct.

    Source: M. Giles, "An extended collection of matrix derivative results", 2008, 3.1; for the norm J. Magnus, "On
    differentiating eigenvalues and eigenvectors", Econometric Theory 1 (1985).
    """
    (da,) = tangents
    assert not isinstance(da, Zero)
    values, *vectors = results = bind(primitive, *primals)
    da = ops.convert(da, dtype=type_of(values).dtype)
    changes: list[Operand] = []
    sides = [primitive.compute_left, primitive.compute_right]
    remaining = iter(vectors)
    dw: Operand | None = None
    for is_left, wanted in zip((True, False), sides, strict=True):
        if wanted:
            own = next(remaining)
            p = _in_basis(own, matrices.adjoint(da) if is_left else da)
            w = matrices.conjugated(values) if is_left else values
            dw = matrices.conjugated(matrices.diagonal(p)) if is_left else matrices.diagonal(p)
            changes.append(_normalised(own, matrices.matmul(own, _over_differences(w, p))))
    if dw is None:
        _, right = bind(Eig(compute_left=False, compute_right=True), *primals)
        dw = matrices.diagonal(_in_basis(right, da))
    return results, [dw, *changes]


def _in_basis(vectors: Operand, x: Operand) -> Operand:
    return matrices.solved(vectors, matrices.matmul(x, vectors))


def _normalised(vectors: Operand, change: Operand) -> Operand:
    """The change less the multiple of each vector for which its norm stays, and its greatest component real."""
    if type_of(vectors).size == 0:
        return change
    rank = type_of(vectors).ndim
    products = ops.multiply(matrices.conjugated(vectors), change)
    growth = matrices.only_real(ops.reduce_add(products, axes=(rank - 2,)))
    sizes = ops.add(ops.square(ops.real(vectors)), ops.square(ops.imag(vectors)))
    greatest = ops.argmax(sizes, axis=rank - 2, dtype=matrices.I32)
    row = ops.iota(shape=type_of(vectors).shape, dimension=rank - 2, dtype=matrices.I32)
    chosen = ops.compare(row, matrices.across(greatest, row), direction="eq")
    turn = ops.reduce_add(ops.select(chosen, products, matrices.zero(products)), axes=(rank - 2,))
    size = ops.reduce_maximum(sizes, axes=(rank - 2,))
    turn = ops.divide(matrices.only_imaginary(turn), ops.convert(size, dtype=type_of(turn).dtype))
    multiple = ops.add(growth, turn)
    return ops.subtract(change, ops.multiply(vectors, matrices.across(multiple, vectors)))

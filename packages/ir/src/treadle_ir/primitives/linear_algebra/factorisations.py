"""Factorisations of a fixed number of steps: Cholesky, LU, QR, and products of Householder reflections."""

from __future__ import annotations

from typing import ClassVar, final

from treadle_ir.core.dtypes import greatest
from treadle_ir.core.families import LinearAlgebra
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import ShapeError
from treadle_ir.primitives.elementwise import check_kind
from treadle_ir.primitives.linear_algebra.matrices import (
    I32,
    check_dtype,
    matrices,
    same_batch,
    same_dtype,
)
from treadle_ir.primitives.shape import array_operand
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind


@register
@final
@frozen
class Cholesky(LinearAlgebra):
    """The lower triangular L with a positive diagonal of which `L Lᴴ` is a Hermitian positive definite matrix.

    Only the lower triangle is read, and the real parts of the diagonal. If the matrix is not positive definite, the
    lower triangle of the result is NaN.

    Constraints:
        (C1) the operand is square, in its last two axes

    Source: LAPACK's `potrf`.
    """

    name: ClassVar[str] = "cholesky"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type."""
        return (matrices(self.name, operands[0], square=True),)  # C1


@register
@final
@frozen
class Lu(LinearAlgebra):
    """`P A = L U` by elimination with partial pivoting: L and U in one matrix, pivots, and P as a permutation.

    L has ones on its diagonal, which are not stored. In step i row i was exchanged with row `pivots[i]`; row i of
    `P A` is row `permutation[i]` of A. A singular matrix has zeros on the diagonal of U. The pivot is the element of
    greatest modulus, for complex numbers |re| + |im|.

    Shapes:
        a: [*batch, m, n]
        results: [*batch, m, n]; [*batch, min(m, n)]; [*batch, m]

    Source: LAPACK's `getrf`.
    """

    name: ClassVar[str] = "lu"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type, and two integer types."""
        a = matrices(self.name, operands[0])
        *batch, m, n = a.shape
        return (
            a,
            ArrayType((*batch, min(m, n)), I32, a.weak),
            ArrayType((*batch, m), I32, a.weak),
        )


@register
@final
@frozen
class LuPivotsToPermutation(LinearAlgebra):
    """The permutation of rows 0, 1, ... that results from exchanging row i with row `pivots[i]`, in order.

    Shapes:
        pivots: [*batch, k]
        result: [*batch, permutation_size]

    Constraints:
        (C1) the operand has at least one axis and integer elements
        (C2) permutation_size >= k

    Pivots outside of the rows count as the last row.
    """

    name: ClassVar[str] = "lu_pivots_to_permutation"
    permutation_size: int

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return an integer type."""
        pivots = array_operand(self.name, operands[0])
        check_kind(self.name, "iu", pivots.dtype)  # C1
        if pivots.ndim == 0:
            raise ShapeError(
                f"{self.name}: the operand is {pivots}, but must have at least one axis"
            )
        if self.permutation_size < pivots.shape[-1]:  # C2
            raise ShapeError(
                f"{self.name}: permutation_size is {self.permutation_size}, but there are {pivots.shape[-1]} pivots"
            )
        if self.permutation_size > int(greatest(pivots.dtype).item()):
            raise ShapeError(
                f"{self.name}: permutation_size is {self.permutation_size}, which {pivots} cannot count"
            )
        return (pivots.with_shape((*pivots.shape[:-1], self.permutation_size)),)


@register
@final
@frozen
class Qr(LinearAlgebra):
    """`A = Q R` with orthonormal columns in Q and an upper triangular R; with `pivoting`, of A with columns permuted.

    R's diagonal is real, with the signs of Householder's reflections. `full_matrices` makes Q square. With
    `pivoting` the third result has the column of A for each column of `Q R`, chosen so that R's diagonal does not
    grow in modulus.

    Shapes:
        a: [*batch, m, n]
        q: [*batch, m, k], r: [*batch, k, n], with k = m if full_matrices, else min(m, n)
        permutation: [*batch, n]

    Source: LAPACK's `geqrf` (`geqp3`) and `orgqr`.
    """

    name: ClassVar[str] = "qr"
    pivoting: bool = False
    full_matrices: bool = True

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return two types of matrices, and with `pivoting` an integer type."""
        a = matrices(self.name, operands[0])
        *batch, m, n = a.shape
        k = m if self.full_matrices else min(m, n)
        factors = a.with_shape((*batch, m, k)), a.with_shape((*batch, k, n))
        return (*factors, ArrayType((*batch, n), I32, a.weak)) if self.pivoting else factors


@register
@final
@frozen
class QrReflections(LinearAlgebra):
    """R of `A = Q R` in the upper triangle, below it the reflections whose product is Q, and their scalar factors.

    `HouseholderProduct` takes these reflections.

    Shapes:
        a: [*batch, m, n]
        results: [*batch, m, n]; [*batch, min(m, n)]

    Source: LAPACK's `geqrf`.
    """

    name: ClassVar[str] = "qr_reflections"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type, and the type of the scalar factors."""
        a = matrices(self.name, operands[0])
        return a, a.with_shape((*a.shape[:-2], min(a.shape[-2:])))


def _reflections(name: str, *operands: Type) -> tuple[ArrayType, ArrayType]:
    a = matrices(name, operands[0])
    taus = array_operand(name, operands[1])
    check_dtype(name, taus)
    same_dtype(name, a, taus)
    same_batch(name, a, taus, own=(2, 1))
    if taus.shape[-1] > min(a.shape[-2:]):
        raise ShapeError(
            f"{name}: there are {taus.shape[-1]} scalar factors {taus} for the reflections in {a}, which has at most "
            f"{min(a.shape[-2:])}"
        )
    return a, taus


@register
@final
@frozen
class HouseholderProduct(LinearAlgebra):
    """The first n columns of the product of reflections `1 - tau v vᴴ`, first to last.

    Column i of the operand has vector i below the diagonal; the vector is 1 on the diagonal and 0 above.

    Shapes:
        a: [*batch, m, n] with m >= n; taus: [*batch, k] with k <= n
        result: as a

    Constraints:
        (C1) m >= n >= k
        (C2) a and taus have one element type and one batch

    Source: LAPACK's `orgqr`, `ungqr`.
    """

    name: ClassVar[str] = "householder_product"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the matrices' type."""
        a, _ = _reflections(self.name, *operands)
        if a.shape[-2] < a.shape[-1]:  # C1
            raise ShapeError(
                f"householder_product: the operand is {a}, which must not have more columns than rows"
            )
        return (a.strong(),)


@register
@final
@frozen
class HouseholderMultiply(LinearAlgebra):
    """`Q c`, or `c Q` unless `left`, with the square product Q of reflections; with Qᴴ instead if `adjoint`.

    Reflections as in `HouseholderProduct`; Q is never made.

    Shapes:
        a: [*batch, r, n]; taus: [*batch, k]; c: [*batch, r, p], or [*batch, p, r] unless `left`
        result: as c

    Constraints:
        (C1) k <= min(r, n)
        (C2) c has r rows, or columns
        (C3) the operands have one element type and one batch

    Source: LAPACK's `ormqr`, `unmqr`.
    """

    name: ClassVar[str] = "householder_multiply"
    left: bool = True
    adjoint: bool = False

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the type of c."""
        a, _ = _reflections(self.name, *operands)  # C1
        c = matrices(self.name, operands[2])
        same_dtype(self.name, a, c)  # C3
        same_batch(self.name, a, c)
        axis = -2 if self.left else -1
        if c.shape[axis] != a.shape[-2]:  # C2
            raise ShapeError(
                f"householder_multiply: axis {axis} of {c} has size {c.shape[axis]}, but the reflections {a} have "
                f"{a.shape[-2]} rows"
            )
        return (c.strong(),)


def cholesky(a: Operand) -> Array:
    """Return the Cholesky factor of Hermitian matrices: see `Cholesky`."""
    return bind(Cholesky(), a)[0]


def lu(a: Operand) -> tuple[Array, Array, Array]:
    """Return L and U in one matrix, pivots and permutation: see `Lu`."""
    factors, pivots, permutation = bind(Lu(), a)
    return factors, pivots, permutation


def lu_pivots_to_permutation(pivots: Operand, *, permutation_size: int) -> Array:
    """Return the permutation that results from exchanges of rows: see `LuPivotsToPermutation`."""
    return bind(LuPivotsToPermutation(permutation_size), pivots)[0]


def qr(a: Operand, *, pivoting: bool = False, full_matrices: bool = True) -> list[Array]:
    """Return Q and R, and with `pivoting` the permutation of columns: see `Qr`."""
    return list(bind(Qr(pivoting, full_matrices), a))


def qr_reflections(a: Operand) -> tuple[Array, Array]:
    """Return R with the reflections that lead to it, and their scalar factors: see `QrReflections`."""
    form, taus = bind(QrReflections(), a)
    return form, taus


def householder_product(a: Operand, taus: Operand) -> Array:
    """Return the product of Householder reflections: see `HouseholderProduct`."""
    return bind(HouseholderProduct(), a, taus)[0]


def householder_multiply(
    a: Operand, taus: Operand, c: Operand, *, left: bool = True, adjoint: bool = False
) -> Array:
    """Return a product of Householder reflections times a matrix: see `HouseholderMultiply`."""
    return bind(HouseholderMultiply(left, adjoint), a, taus, c)[0]

"""Systems of equations with triangular and tridiagonal matrices."""

from __future__ import annotations

from typing import ClassVar, final

from treadle_ir.core.families import LinearAlgebra
from treadle_ir.core.registry import register
from treadle_ir.core.types import Type
from treadle_ir.errors.kinds import ShapeError
from treadle_ir.primitives.linear_algebra.matrices import (
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
class TriangularSolve(LinearAlgebra):
    """The solutions x of `op(a) x = b`, or of `x op(a) = b` unless `left_side`, with a triangular matrix a.

    Only the triangle that `lower` names is read, without its diagonal if `unit_diagonal`, which is then taken to be 1.
    `op` transposes (`transpose_a`), conjugates (`conjugate_a`), or does both or neither. A zero on the diagonal makes
    infinities and NaN.

    Shapes:
        a: [*batch, n, n]
        b: [*batch, n, k], or [*batch, k, n] unless `left_side`
        result: as b

    Constraints:
        (C1) a is square, in its last two axes
        (C2) b has n rows, or columns
        (C3) a and b have one element type and one batch

    Source: StableHLO specification, `triangular_solve`.
    """

    name: ClassVar[str] = "triangular_solve"
    left_side: bool = True
    lower: bool = True
    transpose_a: bool = False
    conjugate_a: bool = False
    unit_diagonal: bool = False

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the type of the right-hand sides."""
        a = matrices(self.name, operands[0], square=True, narrow=True)  # C1
        b = matrices(self.name, operands[1], narrow=True)
        same_dtype(self.name, a, b)  # C3
        same_batch(self.name, a, b)
        axis = -2 if self.left_side else -1
        if b.shape[axis] != a.shape[-1]:  # C2
            raise ShapeError(
                f"triangular_solve: axis {axis} of the right-hand sides {b} has size {b.shape[axis]}, but the "
                f"matrix {a} has {a.shape[-1]} rows"
            )
        return (b if a.weak else b.strong(),)


@register
@final
@frozen
class TridiagonalSolve(LinearAlgebra):
    """The solutions x of `a x = b` with a tridiagonal matrix, given by its three diagonals.

    In row i, `lower[i]` is in column i - 1 and `upper[i]` in column i + 1; lower[0] and upper[n - 1] are
    not read. A pivot that is exactly zero makes NaN; with `perturb_singular` pivots smaller than the rounding error of
    the greatest element are replaced by this error.

    Shapes:
        lower, diagonal, upper: [*batch, n]
        b: [*batch, n, k]
        result: as b

    Constraints:
        (C1) all operands have one element type and one batch
        (C2) the three diagonals have one size, which is the number of rows of b

    Source: LAPACK's `gtsv`: Gaussian elimination with row interchanges.
    """

    name: ClassVar[str] = "tridiagonal_solve"
    perturb_singular: bool = False

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the type of the right-hand sides."""
        b = matrices(self.name, operands[3])
        for operand in operands[:3]:
            diagonal = array_operand(self.name, operand)
            check_dtype(self.name, diagonal)
            same_dtype(self.name, diagonal, b)  # C1
            same_batch(self.name, diagonal, b, own=(1, 2))
            if diagonal.shape[-1] != b.shape[-2]:  # C2
                raise ShapeError(
                    f"tridiagonal_solve: a diagonal is {diagonal}, but the right-hand sides {b} have "
                    f"{b.shape[-2]} rows"
                )
        return (b.strong(),)


def triangular_solve(
    a: Operand,
    b: Operand,
    *,
    left_side: bool = True,
    lower: bool = True,
    transpose_a: bool = False,
    conjugate_a: bool = False,
    unit_diagonal: bool = False,
) -> Array:
    """Return the solutions of equations with a triangular matrix: see `TriangularSolve`."""
    primitive = TriangularSolve(left_side, lower, transpose_a, conjugate_a, unit_diagonal)
    return bind(primitive, a, b)[0]


def tridiagonal_solve(
    lower: Operand,
    diagonal: Operand,
    upper: Operand,
    b: Operand,
    *,
    perturb_singular: bool = False,
) -> Array:
    """Return the solutions of equations with a tridiagonal matrix: see `TridiagonalSolve`."""
    return bind(TridiagonalSolve(perturb_singular), lower, diagonal, upper, b)[0]

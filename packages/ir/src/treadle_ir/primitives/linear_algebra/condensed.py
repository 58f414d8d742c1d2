"""Condensed forms, to which eigenvalue algorithms first reduce a matrix, in a fixed number of steps."""

from __future__ import annotations

from typing import ClassVar, final

from treadle_ir.core.families import LinearAlgebra
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.primitives.linear_algebra.matrices import matrices, real_dtype
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind


@register
@final
@frozen
class Hessenberg(LinearAlgebra):
    """`A = Q H Qᴴ` with H zero below its first subdiagonal: H, and below that the reflections whose product is Q.

    Reflection i has its 1 in row i + 1 of column i, and its other elements below. The second result has their scalar
    factors.

    Shapes:
        a, h: [*batch, n, n]; taus: [*batch, n - 1]

    Constraints:
        (C1) the operand is square, in its last two axes

    Source: LAPACK's `gehrd`.
    """

    name: ClassVar[str] = "hessenberg"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type, and the type of the scalar factors."""
        a = matrices(self.name, operands[0], square=True)  # C1
        return a, a.with_shape((*a.shape[:-2], max(0, a.shape[-1] - 1)))


@register
@final
@frozen
class Tridiagonal(LinearAlgebra):
    """`A = Q T Qᴴ` with a real tridiagonal T, for Hermitian A: the reflections of Q, T's diagonals, scalar factors.

    Only the lower triangle is read, or the upper one unless `lower`. The reflections are stored beyond the first sub-
    or superdiagonal, as in LAPACK, and T's diagonals in the matrix too.

    Shapes:
        a, reflections: [*batch, n, n]
        diagonal: [*batch, n], real; off-diagonal: [*batch, n - 1], real; taus: [*batch, n - 1]

    Constraints:
        (C1) the operand is square, in its last two axes

    Source: LAPACK's `sytrd`, `hetrd`.
    """

    name: ClassVar[str] = "tridiagonal"
    lower: bool = True

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the types of the reflections, diagonal, off-diagonal and scalar factors."""
        a = matrices(self.name, operands[0], square=True)  # C1
        *batch, n, _ = a.shape
        off = (*batch, max(0, n - 1))
        real = real_dtype(a)
        return (
            a,
            ArrayType((*batch, n), real, a.weak),
            ArrayType(off, real, a.weak),
            a.with_shape(off),
        )


def hessenberg(a: Operand) -> tuple[Array, Array]:
    """Return Hessenberg's form with its reflections, and their scalar factors: see `Hessenberg`."""
    form, taus = bind(Hessenberg(), a)
    return form, taus


def tridiagonal(a: Operand, *, lower: bool = True) -> tuple[Array, Array, Array, Array]:
    """Return reflections, diagonal, off-diagonal and scalar factors: see `Tridiagonal`."""
    reflections, diagonal, off, taus = bind(Tridiagonal(lower), a)
    return reflections, diagonal, off, taus

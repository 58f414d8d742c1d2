"""Eigenvalues, singular values and Schur's form, with their vectors: iterations that converge."""

from __future__ import annotations

from typing import ClassVar, Final, Literal, TypeAlias, final, get_args

from treadle_ir.core.families import LinearAlgebra
from treadle_ir.core.primitive import check_word
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import MissingRuleError
from treadle_ir.primitives.linear_algebra.matrices import complex_dtype, matrices, real_dtype
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind

SvdAlgorithm: TypeAlias = Literal["default", "qr", "divide_and_conquer", "jacobi", "polar"]

_ON_CPU: Final[tuple[SvdAlgorithm, ...]] = ("default", "qr", "divide_and_conquer")
_ON_ACCELERATORS: Final[tuple[SvdAlgorithm, ...]] = ("default", "qr", "jacobi", "polar")


@register
@final
@frozen
class Eigh(LinearAlgebra):
    """Eigenvectors, as columns, and eigenvalues, ascending, of Hermitian matrices.

    Without `compute_vectors` the result is the eigenvalues alone. Only the lower triangle is read, or the upper one
    unless `lower`, and the real parts of the diagonal. Vectors have norm 1; their signs or phases are the algorithm's.
    NaN in a matrix makes its results NaN.

    Shapes:
        a: [*batch, n, n]
        vectors: [*batch, n, n], with compute_vectors; values: [*batch, n], real

    Constraints:
        (C1) the operand is square, in its last two axes

    Source: LAPACK's `syevd`, `heevd`.
    """

    name: ClassVar[str] = "eigh"
    lower: bool = True
    compute_vectors: bool = True

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type, and the type of its eigenvalues."""
        a = matrices(self.name, operands[0], square=True)  # C1
        values = ArrayType(a.shape[:-1], real_dtype(a), a.weak)
        return (a, values) if self.compute_vectors else (values,)


@register
@final
@frozen
class Svd(LinearAlgebra):
    """Singular values, descending, and with `compute_uv` before them U and after them Vᴴ, so that `A = U S Vᴴ`.

    Vectors are orthonormal; their signs or phases are the algorithm's. `full_matrices` makes U and Vᴴ square. NaN in a
    matrix makes its results NaN.

    Shapes:
        a: [*batch, m, n], and k = min(m, n)
        u: [*batch, m, m], or [*batch, m, k] unless full_matrices
        s: [*batch, k], real
        vh: [*batch, n, n], or [*batch, k, n] unless full_matrices

    Constraints:
        (C1) there is such an algorithm; `jacobi` and `polar` are for accelerators

    Source: LAPACK's `gesdd`, and `gesvd` for the algorithm `qr`.
    """

    name: ClassVar[str] = "svd"
    full_matrices: bool = True
    compute_uv: bool = True
    algorithm: SvdAlgorithm = "default"

    def __post_init__(self) -> None:
        check_word(self.name, "algorithm", self.algorithm, get_args(SvdAlgorithm))  # C1

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the type of the singular values, alone or between the types of U and Vᴴ."""
        a = matrices(self.name, operands[0])
        *batch, m, n = a.shape
        k = min(m, n)
        values = ArrayType((*batch, k), real_dtype(a), a.weak)
        if not self.compute_uv:
            return (values,)
        rows, columns = (m, n) if self.full_matrices else (k, k)
        return a.with_shape((*batch, m, rows)), values, a.with_shape((*batch, columns, n))

    def check_platform(self, platform: str) -> None:
        """Refuse an algorithm that a platform does not have, as its lowering rules and kernels do.

        Raises:
            MissingRuleError: the platform does not have the algorithm.
        """
        there = _ON_CPU if platform == "cpu" else _ON_ACCELERATORS
        if self.algorithm not in there:
            *others, last = (f"`{each}`" for each in there)
            raise MissingRuleError(
                f"svd: the algorithm {self.algorithm} is not there on platform {platform}",
                fix=f"use algorithm {', '.join(others)} or {last}",
            )


@register
@final
@frozen
class Eig(LinearAlgebra):
    """Eigenvalues of any matrices, in no order, and their left and right eigenvectors as columns.

    A left eigenvector u of the value w has `uᴴ A = w uᴴ`. Vectors have norm 1 and a real component of greatest
    modulus. Eigenvalues of a real matrix that are not real come in conjugate pairs, the one with the positive
    imaginary part first. A matrix that is not finite has NaN.

    Shapes:
        a: [*batch, n, n]
        values: [*batch, n]; vectors: [*batch, n, n], both complex

    Constraints:
        (C1) the operand is square, in its last two axes

    Source: LAPACK's `geev`.
    """

    name: ClassVar[str] = "eig"
    compute_left: bool = True
    compute_right: bool = True

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return complex types."""
        a = matrices(self.name, operands[0], square=True)  # C1
        vectors = ArrayType(a.shape, complex_dtype(a), a.weak)
        values = ArrayType(a.shape[:-1], complex_dtype(a), a.weak)
        return (values, *[vectors] * (self.compute_left + self.compute_right))


@register
@final
@frozen
class Schur(LinearAlgebra):
    """`A = Z T Zᴴ` with a unitary Z and an upper triangular T; of a real matrix, T is real and has 2 by 2 blocks.

    A block has equal elements on its diagonal and belongs to a conjugate pair of eigenvalues. The results are T and,
    with `compute_vectors`, Z. A matrix that is not finite has NaN.

    Shapes:
        a, t, z: [*batch, n, n]

    Constraints:
        (C1) the operand is square, in its last two axes

    Source: LAPACK's `gees`.
    """

    name: ClassVar[str] = "schur"
    compute_vectors: bool = True

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type, once or twice."""
        a = matrices(self.name, operands[0], square=True)  # C1
        return (a, a) if self.compute_vectors else (a,)


def eigh(a: Operand, *, lower: bool = True) -> tuple[Array, Array]:
    """Return eigenvectors and eigenvalues of Hermitian matrices: see `Eigh`."""
    vectors, values = bind(Eigh(lower), a)
    return vectors, values


def eigvalsh(a: Operand, *, lower: bool = True) -> Array:
    """Return eigenvalues of Hermitian matrices, without vectors: see `Eigh`."""
    return bind(Eigh(lower, compute_vectors=False), a)[0]


def svd(
    a: Operand,
    *,
    full_matrices: bool = True,
    compute_uv: bool = True,
    algorithm: SvdAlgorithm = "default",
) -> list[Array]:
    """Return the singular values, alone or between U and Vᴴ: see `Svd`."""
    return list(bind(Svd(full_matrices, compute_uv, algorithm), a))


def eig(a: Operand, *, compute_left: bool = True, compute_right: bool = True) -> list[Array]:
    """Return eigenvalues, then left and right eigenvectors, of any matrices: see `Eig`."""
    return list(bind(Eig(compute_left, compute_right), a))


def schur(a: Operand, *, compute_vectors: bool = True) -> list[Array]:
    """Return Schur's form, and with `compute_vectors` the matrix that leads to it: see `Schur`."""
    return list(bind(Schur(compute_vectors), a))

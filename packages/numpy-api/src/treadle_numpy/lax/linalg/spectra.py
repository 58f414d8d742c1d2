"""Eigenvalues, singular values, Schur's form, and what they are reduced to first."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, Literal, TypeAlias, overload

from treadle_ir import ArgumentError, Array, UnsupportedError, ops
from treadle_ir.errors import flags, integers, shown
from treadle_ir.primitives.linear_algebra import SvdAlgorithm as AlgorithmName
from treadle_numpy.lax.linalg.factorisations import is_square, symmetrized
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.promote import inexact_operand

__all__ = [
    "EigImplementation",
    "EighImplementation",
    "SvdAlgorithm",
    "eig",
    "eigh",
    "hessenberg",
    "schur",
    "svd",
    "tridiagonal",
]


class EigImplementation(enum.Enum):
    """Who computes `eig`: LAPACK, the only one here; `eig` refuses the others.

    Example:
        >>> import numpy as np
        >>> x = np.diag(np.array([2.0, 2.0], np.float32))
        >>> print(eig(x, implementation=EigImplementation.LAPACK)[0].real.round(3))
        [2. 2.]
    """

    CUSOLVER = "cusolver"
    MAGMA = "magma"
    LAPACK = "lapack"


class EighImplementation(enum.Enum):
    """How `eigh` computes: QR, the only one here; `eigh` refuses the others.

    Example:
        >>> import numpy as np
        >>> vectors, values = eigh(np.diag(np.array([2.0, 1.0], np.float32)), implementation=EighImplementation.QR)
        >>> print(values.round(3))
        [1. 2.]
    """

    QR = "qr"
    JACOBI = "jacobi"
    QDWH = "qdwh"


class SvdAlgorithm(enum.Enum):
    """How `svd` computes: JACOBI and POLAR on GPUs alone, DIVIDE_AND_CONQUER on the CPU alone.

    Example:
        >>> import numpy as np
        >>> x = np.diag(np.array([1.0, 2.0], np.float32))
        >>> print(svd(x, compute_uv=False, algorithm=SvdAlgorithm.QR).round(3))
        [2. 1.]
    """

    DEFAULT = "default"
    QR = "QR"
    JACOBI = "Jacobi"
    POLAR = "polar"
    DIVIDE_AND_CONQUER = "divide_and_conquer"


Subset: TypeAlias = tuple[int, int] | None


def _whole(function: str, subset: Subset, size: int) -> None:
    """Refuse a part of the spectrum, which is not supported.

    Raises:
        UnsupportedError: `subset_by_index` is not all of it.
    """
    if subset is None:
        return
    if tuple(integers(function, "subset_by_index", subset)) != (0, size):
        raise UnsupportedError(
            f"{function}: subset_by_index is {shown(subset)}, but only all {size} values can be computed",
            fix="leave it out and slice the results",
        )


def eigh(
    x: ArrayLike,
    *,
    lower: bool = True,
    symmetrize_input: bool = True,
    sort_eigenvalues: bool = True,
    subset_by_index: Subset = None,
    implementation: EighImplementation | None = None,
) -> tuple[Array, Array]:
    """Eigenvectors, as columns, and ascending eigenvalues of Hermitian matrices.

    `symmetrize_input` takes the matrix's Hermitian part; without it only the triangle that `lower` names is read.
    Eigenvalues ascend also without `sort_eigenvalues`. Signs and phases of vectors are the algorithm's. Vectors of
    equal eigenvalues have no derivative (it is infinite or NaN); the eigenvalues have one.

    Raises:
        ShapeError: the last two axes are not square.
        DTypeError: the matrix is bf16 or f16.
        UnsupportedError: `subset_by_index` is a part, or the implementation is not QR.

    Example:
        >>> import numpy as np
        >>> vectors, values = eigh(np.array([[2.0, 0.0], [0.0, 1.0]], np.float32))
        >>> print(values.round(3))
        [1. 2.]
    """
    flags("eigh", lower=lower, symmetrize_input=symmetrize_input, sort_eigenvalues=sort_eigenvalues)
    if implementation is not None and implementation is not EighImplementation.QR:
        raise UnsupportedError(
            f"eigh: implementation is {shown(implementation)}, but only EighImplementation.QR is here",
            fix="leave it out",
        )
    a = array_of(inexact_operand("eigh", x))
    if is_square(a):
        _whole("eigh", subset_by_index, a.shape[-1])
        a = symmetrized(a) if symmetrize_input else a
    return ops.eigh(a, lower=bool(lower))


@overload
def svd(
    x: ArrayLike,
    *,
    full_matrices: bool = ...,
    compute_uv: Literal[True] = ...,
    subset_by_index: Subset = ...,
    algorithm: SvdAlgorithm | None = ...,
) -> tuple[Array, Array, Array]: ...
@overload
def svd(
    x: ArrayLike,
    *,
    full_matrices: bool = ...,
    compute_uv: bool,
    subset_by_index: Subset = ...,
    algorithm: SvdAlgorithm | None = ...,
) -> Array | tuple[Array, Array, Array]: ...
def svd(
    x: ArrayLike,
    *,
    full_matrices: bool = True,
    compute_uv: bool = True,
    subset_by_index: Subset = None,
    algorithm: SvdAlgorithm | None = None,
) -> Array | tuple[Array, Array, Array]:
    """U, the descending singular values s, and Vᴴ of `A = U S Vᴴ`; s alone without `compute_uv`.

    `full_matrices` makes U and Vᴴ square. Signs and phases of vectors are the algorithm's. Vectors of equal singular
    values, and of those that are zero, have no derivative (it is infinite or NaN); the values have one. The columns
    that complete U and V move within the space of the others.

    Raises:
        ShapeError: there are fewer than two axes.
        DTypeError: the matrix is not f32, f64, c64 or c128.
        ArgumentError: `full_matrices` and `subset_by_index` are both given.
        UnsupportedError: `subset_by_index` is a part, or the platform has no such algorithm.

    Example:
        >>> import numpy as np
        >>> print(svd(np.array([[0.0, 2.0], [1.0, 0.0]], np.float32), compute_uv=False).round(3))
        [2. 1.]
    """
    flags("svd", full_matrices=full_matrices, compute_uv=compute_uv)
    name: AlgorithmName = "default"
    if algorithm is not None:
        name = _algorithm(algorithm)
    a = coerce_array("svd", 0, x)
    if subset_by_index is not None:
        if full_matrices and compute_uv:
            raise ArgumentError("svd: full_matrices and subset_by_index cannot both be set")
        _whole("svd", subset_by_index, min(a.shape[-2:], default=0))
    results = ops.svd(
        a, full_matrices=bool(full_matrices), compute_uv=bool(compute_uv), algorithm=name
    )
    if not compute_uv:
        return results[0]
    u, s, vh = results
    return u, s, vh


def _algorithm(algorithm: SvdAlgorithm) -> AlgorithmName:
    names: dict[object, AlgorithmName] = {
        SvdAlgorithm.DEFAULT: "default",
        SvdAlgorithm.QR: "qr",
        SvdAlgorithm.DIVIDE_AND_CONQUER: "divide_and_conquer",
        SvdAlgorithm.JACOBI: "jacobi",
        SvdAlgorithm.POLAR: "polar",
    }
    if not isinstance(algorithm, SvdAlgorithm):
        raise ArgumentError(f"svd: algorithm is {shown(algorithm)}, not one of SvdAlgorithm")
    return names[algorithm]


def eig(
    x: ArrayLike,
    *,
    compute_left_eigenvectors: bool = True,
    compute_right_eigenvectors: bool = True,
    enable_eigvec_derivs: bool = False,
    implementation: EigImplementation | None = None,
    use_magma: bool | None = None,
) -> list[Array]:
    """Eigenvalues of any matrices, and their left and right eigenvectors as columns, complex.

    A left vector u of the value w has `uᴴ A = w uᴴ`. Vectors have norm 1 and a real component of greatest modulus, and
    with that choice they have derivatives where eigenvalues are distinct, whether or not `enable_eigvec_derivs` asks
    for them. The order of eigenvalues is the algorithm's. A GPU leaves the work to the host.

    Raises:
        ShapeError: the last two axes are not square.
        DTypeError: the matrix is not f32, f64, c64 or c128.
        UnsupportedError: the implementation is not LAPACK.

    Example:
        >>> import numpy as np
        >>> values, left, right = eig(np.array([[0.0, 1.0], [-1.0, 0.0]], np.float32))
        >>> print(values.imag.round(3))
        [ 1. -1.]
    """
    flags(
        "eig",
        compute_left_eigenvectors=compute_left_eigenvectors,
        compute_right_eigenvectors=compute_right_eigenvectors,
        enable_eigvec_derivs=enable_eigvec_derivs,
        use_magma=use_magma,
    )
    if (implementation is not None and implementation is not EigImplementation.LAPACK) or use_magma:
        raise UnsupportedError("eig: only the implementation LAPACK is here", fix="leave it out")
    return ops.eig(
        coerce_array("eig", 0, x),
        compute_left=bool(compute_left_eigenvectors),
        compute_right=bool(compute_right_eigenvectors),
    )


def schur(
    x: ArrayLike,
    *,
    compute_schur_vectors: bool = True,
    sort_eig_vals: bool = False,
    select_callable: Callable[..., Any] | None = None,
) -> tuple[Array, ...]:
    """T and Z of `A = Z T Zᴴ`: T is upper triangular, of a real matrix with 2 by 2 blocks; on the CPU only.

    Without `compute_schur_vectors` T alone, in a tuple. It has no derivative.

    Raises:
        ShapeError: the last two axes are not square.
        DTypeError: the matrix is not f32, f64, c64 or c128.
        UnsupportedError: eigenvalues are to be sorted.

    Example:
        >>> import numpy as np
        >>> t, z = schur(np.array([[1.0, 2.0], [0.0, 3.0]], np.float32))
        >>> print(t)
        [[1. 2.]
         [0. 3.]]
    """
    flags("schur", compute_schur_vectors=compute_schur_vectors, sort_eig_vals=sort_eig_vals)
    if sort_eig_vals or select_callable is not None:
        raise UnsupportedError(
            "schur: eigenvalues cannot be sorted",
            fix="leave sort_eig_vals and select_callable out",
        )
    a = coerce_array("schur", 0, x)
    return tuple(ops.schur(a, compute_vectors=bool(compute_schur_vectors)))


def hessenberg(a: ArrayLike) -> tuple[Array, Array]:
    """H of `A = Q H Qᴴ`, with the reflections of Q below its first subdiagonal, and their scalar factors.

    On the CPU only. It has no derivative. Q is the identity in its first row and column, and beyond them the
    `householder_product(h[..., 1:, :-1], taus)`.

    Shapes:
        a: [*batch, n, n]
        results: [*batch, n, n] and [*batch, n - 1]

    Raises:
        ShapeError: the last two axes are not square.
        DTypeError: the matrix is not f32, f64, c64 or c128.

    Example:
        >>> import numpy as np
        >>> h, taus = hessenberg(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32))  # a 2 by 2 matrix is its own H
        >>> print(h.round(3), taus.shape)
        [[1. 2.]
         [3. 4.]] (1,)
    """
    return ops.hessenberg(coerce_array("hessenberg", 0, a))


def tridiagonal(a: ArrayLike, *, lower: bool = True) -> tuple[Array, Array, Array, Array]:
    """T of `A = Q T Qᴴ`, real and tridiagonal, for Hermitian A.

    The results are the reflections of Q, the diagonal, the off-diagonal, and the scalar factors of the reflections.
    Only the triangle that `lower` names is read. It has no derivative.

    Shapes:
        a: [*batch, n, n]
        results: [*batch, n, n], [*batch, n], [*batch, n - 1] and [*batch, n - 1]

    Raises:
        ShapeError: the last two axes are not square.
        DTypeError: the matrix is not f32, f64, c64 or c128.

    Example:
        >>> import numpy as np
        >>> _, diagonal, off, taus = tridiagonal(np.array([[1.0, 2.0], [2.0, 4.0]], np.float32))
        >>> print(diagonal.round(3), abs(off).round(3))
        [1. 4.] [2.]
    """
    flags("tridiagonal", lower=lower)
    return ops.tridiagonal(coerce_array("tridiagonal", 0, a), lower=bool(lower))

"""Eigenvalues and eigenvectors."""

from __future__ import annotations

from treadle_ir import ArgumentError, Array, ops
from treadle_ir.calling import composed
from treadle_ir.errors import flags, names, shown
from treadle_numpy.lax.linalg import in_lapack, spectra
from treadle_numpy.lax.linalg.factorisations import symmetrized
from treadle_numpy.numpy.linalg.operands import square_matrices
from treadle_numpy.numpy.linalg.results import EighResult, EigResult
from treadle_numpy.operands.coerce import ArrayLike

__all__ = ["eig", "eigh", "eigvals", "eigvalsh"]


@composed(loops=True)
def eig(a: ArrayLike) -> EigResult:
    """Eigenvalues and right eigenvectors, as columns, of any matrices; both complex. On the CPU only.

    Unlike NumPy's the results are complex also when all eigenvalues are real. Vectors have norm 1 and a real component
    of greatest modulus; with that choice they have a derivative where eigenvalues are distinct. NaN makes NaN.

    Raises:
        ShapeError: the last two axes are not square.
        DTypeError: the matrix is bf16 or f16.

    Example:
        >>> import numpy as np
        >>> print(eig(np.array([[0.0, 1.0], [-1.0, 0.0]], np.float32)).eigenvalues.imag.round(3))
        [ 1. -1.]
    """
    x = square_matrices("eig", a)
    values, vectors = spectra.eig(x, compute_left_eigenvectors=False)
    return EigResult(values, vectors)


@composed(loops=True)
def eigvals(a: ArrayLike) -> Array:
    """Return the eigenvalues of any matrices; complex. On the CPU only.

    Equal eigenvalues of a matrix that is not normal have no derivative (it is infinite or NaN).

    Raises:
        ShapeError: the last two axes are not square.
        DTypeError: the matrix is bf16 or f16.

    Example:
        >>> import numpy as np
        >>> print(eigvals(np.array([[2.0, 1.0], [0.0, 3.0]], np.float32)).real.round(3))
        [2. 3.]
    """
    x = square_matrices("eigvals", a)
    (values,) = spectra.eig(x, compute_left_eigenvectors=False, compute_right_eigenvectors=False)
    return values


def _is_lower(function: str, triangle: str | None) -> bool:
    names(function, UPLO=triangle)
    if triangle not in (None, "L", "U"):
        raise ArgumentError(
            f"{function}: UPLO must be one of None, 'L', or 'U', got {shown(triangle)}"
        )
    return triangle != "U"


@composed(loops=True)
def eigh(a: ArrayLike, UPLO: str | None = None, symmetrize_input: bool = True) -> EighResult:  # noqa: N803 - NumPy's
    """Compute eigenvalues and eigenvectors of Hermitian matrices.

    Unlike NumPy's it takes the Hermitian part of the matrix, unless `symmetrize_input` is false: then only the lower
    triangle is read, or the upper one if UPLO is "U". Vectors of equal eigenvalues have no derivative (it is infinite
    or NaN); the eigenvalues have one. NaN makes NaN.

    Args:
        a: matrices `[..., n, n]`.
        UPLO: the triangle to read without `symmetrize_input`: "L" (the default) or "U".
        symmetrize_input: whether to take the Hermitian part of the matrices.

    Returns:
        `(eigenvalues, eigenvectors)`: `[..., n]`, real and ascending, and `[..., n, n]`, with eigenvectors as
        columns.

    Raises:
        ShapeError: the last two axes are not square.
        DTypeError: the matrix is bf16 or f16.
        ArgumentError: UPLO is another letter.

    Example:
        >>> import numpy as np
        >>> print(eigh(np.array([[2.0, 1.0], [1.0, 2.0]], np.float32)).eigenvalues.round(3))
        [1. 3.]
    """
    flags("eigh", symmetrize_input=symmetrize_input)
    lower = _is_lower("eigh", UPLO)
    x = square_matrices("eigh", a)
    vectors, values = spectra.eigh(x, lower=lower, symmetrize_input=symmetrize_input)
    return EighResult(values, vectors)


@composed(loops=True, host=in_lapack.eigvalsh)
def eigvalsh(
    a: ArrayLike,
    UPLO: str | None = "L",  # noqa: N803 - NumPy's
    *,
    symmetrize_input: bool = True,
) -> Array:
    """Return the ascending eigenvalues of Hermitian matrices; arguments are as for `eigh`.

    Raises:
        ShapeError: the last two axes are not square.
        DTypeError: the matrix is bf16 or f16.
        ArgumentError: UPLO is another letter.

    Example:
        >>> import numpy as np
        >>> print(eigvalsh(np.array([[2.0, 1.0], [1.0, 2.0]], np.float32)).round(3))
        [1. 3.]
    """
    flags("eigvalsh", symmetrize_input=symmetrize_input)
    lower = _is_lower("eigvalsh", UPLO)
    x = square_matrices("eigvalsh", a)
    return ops.eigvalsh(symmetrized(x) if symmetrize_input else x, lower=lower)

"""The primitives of `jax.lax.linalg` by name, as views; one line each."""

from __future__ import annotations

from typing import Final

from treadle_numpy.lax.views import PrimitiveView as View

TABLE: Final = {
    "cholesky_p": View("cholesky", "linalg:cholesky", "cholesky"),
    "cholesky_update_p": View("cholesky_update", "linalg:cholesky_update"),
    "eig_p": View("eig", "linalg:eig", "eig", several=True),
    "eigh_p": View("eigh", "linalg:eigh", "eigh", several=True),
    "hessenberg_p": View("hessenberg", "linalg:hessenberg", "hessenberg", several=True),
    "householder_product_p": View(
        "householder_product", "linalg:householder_product", "householder_product"
    ),
    "lu_p": View("lu", "linalg:lu", "lu", several=True),
    "lu_pivots_to_permutation_p": View(
        "lu_pivots_to_permutation", "linalg:lu_pivots_to_permutation", "lu_pivots_to_permutation"
    ),
    "ormqr_p": View("ormqr", "linalg:ormqr", "householder_multiply"),
    "qr_p": View("qr", "linalg:qr", "qr", several=True),
    "schur_p": View("schur", "linalg:schur", "schur", several=True),
    "svd_p": View("svd", "linalg:svd", "svd", several=True),
    "symmetric_product_p": View("symmetric_product", "linalg:symmetric_product"),
    "triangular_solve_p": View("triangular_solve", "linalg:triangular_solve", "triangular_solve"),
    "tridiagonal_p": View("tridiagonal", "linalg:tridiagonal", "tridiagonal", several=True),
    "tridiagonal_solve_p": View(
        "tridiagonal_solve", "linalg:tridiagonal_solve", "tridiagonal_solve"
    ),
}

__all__ = list(TABLE)


def __getattr__(name: str) -> View:
    """Return a view by its name."""
    try:
        return TABLE[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None

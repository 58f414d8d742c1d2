"""Linear algebra under the names of `jax.lax.linalg`: factorisations of the matrices in the last two axes.

Leading axes are a batch. Element types are f32, f64, c64 and c128; a matrix that cannot be factorised has NaN.
"""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.lax.linalg import (
        EighImplementation as EighImplementation,
        EigImplementation as EigImplementation,
        SvdAlgorithm as SvdAlgorithm,
        cholesky as cholesky,
        cholesky_p as cholesky_p,
        cholesky_update as cholesky_update,
        cholesky_update_p as cholesky_update_p,
        eig as eig,
        eig_p as eig_p,
        eigh as eigh,
        eigh_p as eigh_p,
        hessenberg as hessenberg,
        hessenberg_p as hessenberg_p,
        householder_product as householder_product,
        householder_product_p as householder_product_p,
        lu as lu,
        lu_p as lu_p,
        lu_pivots_to_permutation as lu_pivots_to_permutation,
        lu_pivots_to_permutation_p as lu_pivots_to_permutation_p,
        ormqr as ormqr,
        ormqr_p as ormqr_p,
        qdwh as qdwh,
        qr as qr,
        qr_p as qr_p,
        schur as schur,
        schur_p as schur_p,
        svd as svd,
        svd_p as svd_p,
        symmetric_product as symmetric_product,
        symmetric_product_p as symmetric_product_p,
        triangular_solve as triangular_solve,
        triangular_solve_p as triangular_solve_p,
        tridiagonal as tridiagonal,
        tridiagonal_p as tridiagonal_p,
        tridiagonal_solve as tridiagonal_solve,
        tridiagonal_solve_p as tridiagonal_solve_p,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.mirror(__name__, "treadle_numpy.lax.linalg")

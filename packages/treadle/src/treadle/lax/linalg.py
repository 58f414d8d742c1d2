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
        cholesky_update as cholesky_update,
        eig as eig,
        eigh as eigh,
        hessenberg as hessenberg,
        householder_product as householder_product,
        lu as lu,
        lu_pivots_to_permutation as lu_pivots_to_permutation,
        ormqr as ormqr,
        qdwh as qdwh,
        qr as qr,
        schur as schur,
        svd as svd,
        symmetric_product as symmetric_product,
        triangular_solve as triangular_solve,
        tridiagonal as tridiagonal,
        tridiagonal_solve as tridiagonal_solve,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.mirror(__name__, "treadle_numpy.lax.linalg")

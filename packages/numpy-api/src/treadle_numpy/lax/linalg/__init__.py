"""Linear algebra on matrices: factorisations of the matrices in the last two axes.

Leading axes are a batch. Element types are f32, f64, c64 and c128; a matrix that cannot be factorised has NaN.
"""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.lax.linalg.factorisations import (
        cholesky as cholesky,
        householder_product as householder_product,
        lu as lu,
        lu_pivots_to_permutation as lu_pivots_to_permutation,
        ormqr as ormqr,
        qr as qr,
    )
    from treadle_numpy.lax.linalg.polar import qdwh as qdwh
    from treadle_numpy.lax.linalg.primitives import (
        cholesky_p as cholesky_p,
        cholesky_update_p as cholesky_update_p,
        eig_p as eig_p,
        eigh_p as eigh_p,
        hessenberg_p as hessenberg_p,
        householder_product_p as householder_product_p,
        lu_p as lu_p,
        lu_pivots_to_permutation_p as lu_pivots_to_permutation_p,
        ormqr_p as ormqr_p,
        qr_p as qr_p,
        schur_p as schur_p,
        svd_p as svd_p,
        symmetric_product_p as symmetric_product_p,
        triangular_solve_p as triangular_solve_p,
        tridiagonal_p as tridiagonal_p,
        tridiagonal_solve_p as tridiagonal_solve_p,
    )
    from treadle_numpy.lax.linalg.spectra import (
        EighImplementation as EighImplementation,
        EigImplementation as EigImplementation,
        SvdAlgorithm as SvdAlgorithm,
        eig as eig,
        eigh as eigh,
        hessenberg as hessenberg,
        schur as schur,
        svd as svd,
        tridiagonal as tridiagonal,
    )
    from treadle_numpy.lax.linalg.systems import (
        triangular_solve as triangular_solve,
        tridiagonal_solve as tridiagonal_solve,
    )
    from treadle_numpy.lax.linalg.updates import (
        cholesky_update as cholesky_update,
        symmetric_product as symmetric_product,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.lazy(
        __name__,
        {
            "factorisations": "cholesky householder_product lu lu_pivots_to_permutation ormqr qr",
            "polar": "qdwh",
            "primitives": (
                "cholesky_p cholesky_update_p eig_p eigh_p hessenberg_p householder_product_p lu_p "
                "lu_pivots_to_permutation_p ormqr_p qr_p schur_p svd_p symmetric_product_p "
                "triangular_solve_p tridiagonal_p tridiagonal_solve_p"
            ),
            "spectra": (
                "EighImplementation EigImplementation SvdAlgorithm eig eigh hessenberg schur svd "
                "tridiagonal"
            ),
            "systems": "triangular_solve tridiagonal_solve",
            "updates": "cholesky_update symmetric_product",
        },
    )

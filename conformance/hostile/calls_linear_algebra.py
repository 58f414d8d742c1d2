"""Valid calls of linear algebra, in addition to `calls.py`."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import treadle.lax.linalg
import treadle.numpy as tnp
import treadle.scipy.linalg

NAMESPACES: Final[dict[str, Any]] = {
    "lax.linalg": treadle.lax.linalg,
    "scipy.linalg": treadle.scipy.linalg,
}

NAMES: Final[dict[str, Any]] = {
    "pivots": tnp.array([1, 2, 2], np.int32),
    "lower_left": tnp.array([1.0, 0.5]),
}

LEFT_OUT: Final[dict[str, str]] = dict.fromkeys(
    [f"lax.linalg.{name}" for name in ("EigImplementation", "EighImplementation", "SvdAlgorithm")],
    "an enumeration",
)

TABLE: Final = """
tnp.linalg: cholesky cond eig eigh eigvals eigvalsh inv matrix_rank pinv qr slogdet svd svdvals (square)
tnp.linalg: lstsq solve (square, w)
tnp.linalg: tensorinv (square, 1)
tnp.linalg: tensorsolve (square, w)
lax.linalg: cholesky eig eigh hessenberg lu qr schur svd tridiagonal qdwh (square)
lax.linalg: lu_pivots_to_permutation (pivots, 3)
lax.linalg: householder_product (square, w)
lax.linalg: ormqr (square, w, square)
lax.linalg: triangular_solve (square, square)
lax.linalg: tridiagonal_solve (w, w, w, square)
lax.linalg: cholesky_update (square, w)
lax.linalg: symmetric_product (square, square)
scipy.linalg: cholesky cho_factor det eigh expm hessenberg inv lu lu_factor polar qr schur sqrtm svd (square)
scipy.linalg: circulant companion fiedler fiedler_companion hankel toeplitz (w)
scipy.linalg: block_diag (square, w)
scipy.linalg: cho_solve ((square, True), w)
scipy.linalg: convolution_matrix (w, 2)
scipy.linalg: dft hadamard helmert hilbert invhilbert invpascal pascal (4)
scipy.linalg: eigh_tridiagonal (w, lower_left)
scipy.linalg: expm_frechet qr_multiply rsf2csf (square, square)
scipy.linalg: funm (square, sine)
scipy.linalg: leslie (w, lower_left)
scipy.linalg: lu_solve ((square, pivots), w)
scipy.linalg: solve solve_triangular (square, w)
scipy.linalg: solve_sylvester (square, square, square)
"""

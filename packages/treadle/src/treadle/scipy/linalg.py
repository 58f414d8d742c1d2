"""Linear algebra under the names of `scipy.linalg`.

A matrix that cannot be factorised makes NaN, where SciPy raises. `overwrite_a`, `overwrite_b` and `check_finite` are
for SciPy's sake and change nothing.
"""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.scipy.linalg import (
        block_diag as block_diag,
        cho_factor as cho_factor,
        cho_solve as cho_solve,
        cholesky as cholesky,
        circulant as circulant,
        companion as companion,
        convolution_matrix as convolution_matrix,
        det as det,
        dft as dft,
        eigh as eigh,
        eigh_tridiagonal as eigh_tridiagonal,
        expm as expm,
        expm_frechet as expm_frechet,
        fiedler as fiedler,
        fiedler_companion as fiedler_companion,
        funm as funm,
        hadamard as hadamard,
        hankel as hankel,
        helmert as helmert,
        hessenberg as hessenberg,
        hilbert as hilbert,
        inv as inv,
        invhilbert as invhilbert,
        invpascal as invpascal,
        leslie as leslie,
        lu as lu,
        lu_factor as lu_factor,
        lu_solve as lu_solve,
        pascal as pascal,
        polar as polar,
        qr as qr,
        qr_multiply as qr_multiply,
        rsf2csf as rsf2csf,
        schur as schur,
        solve as solve,
        solve_sylvester as solve_sylvester,
        solve_triangular as solve_triangular,
        sqrtm as sqrtm,
        svd as svd,
        toeplitz as toeplitz,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.mirror(__name__, "treadle_numpy.scipy.linalg")

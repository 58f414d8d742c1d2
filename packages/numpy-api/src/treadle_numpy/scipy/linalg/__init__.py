"""Linear algebra under the names of `scipy.linalg`.

A matrix that cannot be factorised makes NaN, where SciPy raises. `overwrite_a`, `overwrite_b` and `check_finite` are
for SciPy's sake and change nothing.
"""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.scipy.linalg.factorisations import (
        cho_factor as cho_factor,
        cholesky as cholesky,
        lu as lu,
        lu_factor as lu_factor,
        polar as polar,
        qr as qr,
        qr_multiply as qr_multiply,
        svd as svd,
    )
    from treadle_numpy.scipy.linalg.functions import (
        expm as expm,
        expm_frechet as expm_frechet,
        funm as funm,
        solve_sylvester as solve_sylvester,
        sqrtm as sqrtm,
    )
    from treadle_numpy.scipy.linalg.named_matrices import (
        dft as dft,
        hadamard as hadamard,
        helmert as helmert,
        hilbert as hilbert,
        invhilbert as invhilbert,
        invpascal as invpascal,
        pascal as pascal,
    )
    from treadle_numpy.scipy.linalg.spectra import (
        eigh as eigh,
        eigh_tridiagonal as eigh_tridiagonal,
        hessenberg as hessenberg,
        rsf2csf as rsf2csf,
        schur as schur,
    )
    from treadle_numpy.scipy.linalg.structured import (
        block_diag as block_diag,
        circulant as circulant,
        companion as companion,
        convolution_matrix as convolution_matrix,
        fiedler as fiedler,
        fiedler_companion as fiedler_companion,
        hankel as hankel,
        leslie as leslie,
        toeplitz as toeplitz,
    )
    from treadle_numpy.scipy.linalg.systems import (
        cho_solve as cho_solve,
        det as det,
        inv as inv,
        lu_solve as lu_solve,
        solve as solve,
        solve_triangular as solve_triangular,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.lazy(
        __name__,
        {
            "factorisations": "cho_factor cholesky lu lu_factor polar qr qr_multiply svd",
            "functions": "expm expm_frechet funm solve_sylvester sqrtm",
            "named_matrices": "dft hadamard helmert hilbert invhilbert invpascal pascal",
            "spectra": "eigh eigh_tridiagonal hessenberg rsf2csf schur",
            "structured": (
                "block_diag circulant companion convolution_matrix fiedler fiedler_companion "
                "hankel leslie toeplitz"
            ),
            "systems": "cho_solve det inv lu_solve solve solve_triangular",
        },
    )

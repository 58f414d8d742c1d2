"""Linear algebra on the matrices in the last two axes: products, norms, factorisations, systems, spectra.

A matrix that cannot be factorised makes NaN, where NumPy raises.
"""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.numpy.linalg.determinants import det as det, slogdet as slogdet
    from treadle_numpy.numpy.linalg.eigenvalues import (
        eig as eig,
        eigh as eigh,
        eigvals as eigvals,
        eigvalsh as eigvalsh,
    )
    from treadle_numpy.numpy.linalg.factorisations import (
        cholesky as cholesky,
        qr as qr,
        svd as svd,
        svdvals as svdvals,
    )
    from treadle_numpy.numpy.linalg.norms import (
        matrix_norm as matrix_norm,
        norm as norm,
        vector_norm as vector_norm,
    )
    from treadle_numpy.numpy.linalg.products import (
        cross as cross,
        diagonal as diagonal,
        matmul as matmul,
        matrix_power as matrix_power,
        matrix_transpose as matrix_transpose,
        multi_dot as multi_dot,
        outer as outer,
        tensordot as tensordot,
        trace as trace,
        vecdot as vecdot,
    )
    from treadle_numpy.numpy.linalg.ranks import (
        cond as cond,
        lstsq as lstsq,
        matrix_rank as matrix_rank,
        pinv as pinv,
    )
    from treadle_numpy.numpy.linalg.systems import (
        inv as inv,
        solve as solve,
        tensorinv as tensorinv,
        tensorsolve as tensorsolve,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.lazy(
        __name__,
        {
            "determinants": "det slogdet",
            "eigenvalues": "eig eigh eigvals eigvalsh",
            "factorisations": "cholesky qr svd svdvals",
            "norms": "matrix_norm norm vector_norm",
            "products": (
                "cross diagonal matmul matrix_power matrix_transpose multi_dot outer tensordot "
                "trace vecdot"
            ),
            "ranks": "cond lstsq matrix_rank pinv",
            "systems": "inv solve tensorinv tensorsolve",
        },
    )

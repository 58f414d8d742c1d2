"""Linear algebra."""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.numpy.linalg import (
        cholesky as cholesky,
        cond as cond,
        cross as cross,
        det as det,
        diagonal as diagonal,
        eig as eig,
        eigh as eigh,
        eigvals as eigvals,
        eigvalsh as eigvalsh,
        inv as inv,
        lstsq as lstsq,
        matmul as matmul,
        matrix_norm as matrix_norm,
        matrix_power as matrix_power,
        matrix_rank as matrix_rank,
        matrix_transpose as matrix_transpose,
        multi_dot as multi_dot,
        norm as norm,
        outer as outer,
        pinv as pinv,
        qr as qr,
        slogdet as slogdet,
        solve as solve,
        svd as svd,
        svdvals as svdvals,
        tensordot as tensordot,
        tensorinv as tensorinv,
        tensorsolve as tensorsolve,
        trace as trace,
        vecdot as vecdot,
        vector_norm as vector_norm,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.mirror(__name__, "treadle_numpy.numpy.linalg")

"""Rows of solvers of equations: `treadle.scipy.sparse.linalg`."""

from __future__ import annotations

from typing import Any, Final

import mpmath as mp
import numpy as np

from conformance.derivatives.row import Row, array
from treadle.scipy.sparse import linalg

SPREAD: Final = np.array([[2.0, 0.5], [0.5, 3.0]])
AS_EXACT: Final = "a solver stops at its tolerance"


def solution(a: Any, b: Any) -> Any:
    """Of two equations, by Cramer's rule."""
    p, q, r, s = a[0, 0], a[0, 1], a[1, 0], a[1, 1]
    det = p * s - q * r
    return np.array([s * b[0] - q * b[1], p * b[1] - r * b[0]]) / det


def symmetric(d: Any, b: Any) -> Any:
    """Of the equations whose matrix is SPREAD and a diagonal."""
    a = np.array([[mp.mpf(2) + d[0], mp.mpf(1) / 2], [mp.mpf(1) / 2, mp.mpf(3) + d[1]]])
    return solution(a, b)


ROWS: Final[tuple[Row, ...]] = (
    array(
        "scipy.sparse.linalg.cg",
        ([0.5, 1.0], [1.0, -2.0]),
        truth=symmetric,
        function=lambda d, b: linalg.cg(lambda x: SPREAD @ x + d * x, b, tol=1e-15)[0],
        atol=1e-12,
        because=AS_EXACT,
    ),
    *(
        array(
            f"scipy.sparse.linalg.{solver.__name__}",
            ([[4.0, 1.0], [-0.5, 2.0]], [1.0, -2.0]),
            truth=solution,
            function=lambda a, b, solver=solver: solver(a, b, tol=1e-15)[0],
            atol=1e-12,
            because=AS_EXACT,
        )
        for solver in (linalg.bicgstab, linalg.gmres)
    ),
)

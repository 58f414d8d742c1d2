"""Valid calls of solvers of equations, and of searches for minima."""

from __future__ import annotations

from typing import Any, Final

import treadle.scipy.optimize
import treadle.scipy.sparse.linalg

NAMES: Final[dict[str, Any]] = {"bowl": lambda x, *_: (x * x).sum()}
NAMESPACES: Final[dict[str, Any]] = {
    "scipy.sparse.linalg": treadle.scipy.sparse.linalg,
    "scipy.optimize": treadle.scipy.optimize,
}
LEFT_OUT: Final = {"scipy.optimize.OptimizeResults": "a tuple of whatever it is given"}
TABLE: Final = """
scipy.sparse.linalg: bicgstab cg gmres (square, v)
scipy.optimize: minimize (bowl, v, method="BFGS")
"""

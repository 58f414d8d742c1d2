"""Valid calls of solvers of equations, and of searches for minima."""

from __future__ import annotations

from typing import Any, Final

import treadle.scipy.sparse.linalg

NAMESPACES: Final[dict[str, Any]] = {"scipy.sparse.linalg": treadle.scipy.sparse.linalg}
TABLE: Final = """
scipy.sparse.linalg: bicgstab cg gmres (square, v)
"""

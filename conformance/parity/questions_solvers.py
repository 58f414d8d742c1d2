"""What both libraries are asked of solvers."""

from __future__ import annotations

from typing import Final

from conformance.parity.questions import Drawer, Question, array, call

MATRIX: Final = [[4.0, 1.0, 0.0], [1.0, 3.0, -1.0], [0.0, -1.0, 7.0]]


def equations(d: Drawer) -> list[Question]:
    asked = []
    matrix, right = array(MATRIX, "float32"), d.array([3], dtype="float32", low=1, high=3)
    for name in ("cg", "bicgstab", "gmres"):
        asked.append(call(f"scipy.sparse.linalg.{name}", matrix, right, tol=1e-6))
    return asked


GROUPS: Final = {"equations": equations}


def wrong() -> list[Question]:
    """Calls with arguments that do not go together."""
    matrix, right = array(MATRIX, "float32"), array([1.0, 2.0, 3.0], "float32")
    return [
        call(f"scipy.sparse.linalg.{name}", *arguments)
        for name in ("cg", "bicgstab", "gmres")
        for arguments in (
            (matrix, right, array([1.0], "float32")),
            (array([[1.0, 2.0]], "float32"), right),
            ([1.0], right),
            ("text", right),
        )
    ]

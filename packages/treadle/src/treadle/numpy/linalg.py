"""Linear algebra."""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.numpy.linalg import (
        cross as cross,
        det as det,
        diagonal as diagonal,
        matmul as matmul,
        matrix_norm as matrix_norm,
        matrix_power as matrix_power,
        matrix_transpose as matrix_transpose,
        multi_dot as multi_dot,
        norm as norm,
        outer as outer,
        tensordot as tensordot,
        trace as trace,
        vecdot as vecdot,
        vector_norm as vector_norm,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.mirror(__name__, "treadle_numpy.numpy.linalg")

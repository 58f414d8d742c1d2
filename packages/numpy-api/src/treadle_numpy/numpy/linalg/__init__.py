"""Linear algebra that needs no factorisation: norms, powers, products, and determinants of tiny matrices."""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.numpy.linalg.determinants import det as det
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
else:
    __getattr__, __dir__, __all__ = namespaces.lazy(
        __name__,
        {
            "determinants": "det",
            "norms": "matrix_norm norm vector_norm",
            "products": (
                "cross diagonal matmul matrix_power matrix_transpose multi_dot outer tensordot "
                "trace vecdot"
            ),
        },
    )

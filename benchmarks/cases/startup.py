"""A process from its start: import, and the first jitted result with an empty and a filled disk cache."""

from __future__ import annotations

from typing import Final

from cases.base import ALL, Budget, Case, Namespace

IMPORT: Final = {
    "treadle": "import treadle, treadle.numpy",
    "jax": "import jax, jax.numpy",
    "numpy": "import numpy",
}
FIRST: Final = """
import {library}
import {library}.numpy as np
import numpy
x = numpy.linspace(0, 1, 12, dtype=numpy.float32).reshape(3, 4)
print(float({library}.jit({library}.grad(lambda x: np.sum(np.tanh(x @ x.T))))(x).sum()))
"""


def importing(ns: Namespace) -> str:
    """The script that imports."""
    return IMPORT[ns.library]


def first(ns: Namespace) -> str:
    """The script that prints one result."""
    return FIRST.format(library=ns.library)


CASES: Final = [
    Case(
        "import",
        importing,
        kind="process",
        libraries=ALL,
        budget=Budget(jax=1 / 3, numpy=1, extra=60e-3),
    ),
    Case("import, first jit(grad) result, cache empty", first, kind="process cold"),
    Case(
        "import, first jit(grad) result, cache filled",
        first,
        kind="process warm",
        budget=Budget(jax=0.5),
    ),
]

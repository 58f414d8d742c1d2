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
MLP: Final = """
import {library}
import {library}.numpy as np
import numpy
def weights(*shape):
    return numpy.linspace(-1, 1, shape[0] * shape[-1], dtype=numpy.float32).reshape(shape)
params = [(weights(a, b), weights(1, b)[0]) for a, b in ((64, 128), (128, 128), (128, 10))]
def loss(params, x, y):
    for w, b in params[:-1]:
        x = np.tanh(x @ w + b)
    w, b = params[-1]
    return np.mean((x @ w + b - y) ** 2)
gradient = {library}.jit({library}.grad(loss))(params, weights(32, 64), weights(32, 10))
print(*[float(numpy.asarray(x).mean()) for layer in gradient for x in layer])
"""


def importing(ns: Namespace) -> str:
    """The script that imports."""
    return IMPORT[ns.library]


def first(ns: Namespace) -> str:
    """The script that prints one result."""
    return FIRST.format(library=ns.library)


def first_of_mlp(ns: Namespace) -> str:
    """The script that prints the gradient of three dense layers."""
    return MLP.format(library=ns.library)


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
    Case(
        "import, first jit(grad(MLP)), cache filled",
        first_of_mlp,
        kind="process warm",
        budget=Budget(jax=0.4),
    ),
]

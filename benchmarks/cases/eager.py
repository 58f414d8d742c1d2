"""Operations on small arrays, one at a time, and indexing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy

from cases.base import ALL, Budget, Case, Namespace

SMALL: Final = Budget(jax=1 / 5, numpy=3, extra=1e-6)
INDEXING: Final = Budget(jax=1 / 20)


def on_vector(body: Callable[[Any, Any], Any]) -> Callable[[Namespace], Callable[[], Any]]:
    """A case on ten numbers."""

    def make(ns: Namespace) -> Callable[[], Any]:
        x = ns.np.asarray(numpy.linspace(0.1, 1.9, 10, dtype=numpy.float32))
        return lambda: body(ns.np, x)

    return make


def on_matrix(body: Callable[[Any, Any], Any]) -> Callable[[Namespace], Callable[[], Any]]:
    """A case on a 10 by 10 matrix."""

    def make(ns: Namespace) -> Callable[[], Any]:
        m = ns.np.asarray(numpy.linspace(-1, 1, 100, dtype=numpy.float32).reshape(10, 10))
        return lambda: body(ns.np, m)

    return make


def set_one(np: Any, x: Any) -> Any:
    """`x.at[3].set`, in numpy a copy that is written to."""
    if hasattr(x, "at"):
        return x.at[3].set(7.0)
    copy = x.copy()
    copy[3] = 7.0
    return copy


def by_indices(ns: Namespace) -> Callable[[], Any]:
    """Indexing by an array."""
    x = ns.np.asarray(numpy.linspace(0.1, 1.9, 10, dtype=numpy.float32))
    rows = ns.np.asarray(numpy.array([7, 1, 3], numpy.int32))
    return lambda: x[rows]


def from_numpy(ns: Namespace) -> Callable[[], Any]:
    """A numpy array into the library."""
    host = numpy.linspace(0.1, 1.9, 10, dtype=numpy.float32)
    return lambda: ns.np.asarray(host)


def small_gradient(ns: Namespace) -> Callable[[], Any]:
    """Eager `grad` of a small loss: nothing is jitted."""
    w = ns.np.asarray(numpy.linspace(-1, 1, 30, dtype=numpy.float32).reshape(10, 3))
    x = ns.np.asarray(numpy.linspace(0, 1, 40, dtype=numpy.float32).reshape(4, 10))

    def loss(w: Any) -> Any:
        return ns.np.sum(ns.np.tanh(x @ w) ** 2)

    gradient = ns.grad(loss)
    return lambda: gradient(w)


CASES: Final = [
    Case("x + x", on_vector(lambda np, x: x + x), budget=SMALL, libraries=ALL),
    Case("x + 1.0", on_vector(lambda np, x: x + 1.0), budget=SMALL, libraries=ALL),
    Case("sin(x)", on_vector(lambda np, x: np.sin(x)), budget=SMALL, libraries=ALL),
    Case("x.sum()", on_vector(lambda np, x: x.sum()), budget=SMALL, libraries=ALL),
    Case("x.reshape(2, 5)", on_vector(lambda np, x: x.reshape(2, 5)), budget=SMALL, libraries=ALL),
    Case(
        "x.astype(int32)", on_vector(lambda np, x: x.astype(np.int32)), budget=SMALL, libraries=ALL
    ),
    Case("m @ m, 10x10", on_matrix(lambda np, m: m @ m), budget=SMALL, libraries=ALL),
    Case("m.T", on_matrix(lambda np, m: m.T), budget=SMALL, libraries=ALL),
    Case(
        "concatenate", on_vector(lambda np, x: np.concatenate([x, x])), budget=SMALL, libraries=ALL
    ),
    Case("asarray(numpy)", from_numpy, budget=SMALL, libraries=ALL),
    Case("x[3]", on_vector(lambda np, x: x[3]), budget=INDEXING, libraries=ALL),
    Case("x[1:5]", on_vector(lambda np, x: x[1:5]), budget=INDEXING, libraries=ALL),
    Case("m[:, 1]", on_matrix(lambda np, m: m[:, 1]), budget=INDEXING, libraries=ALL),
    Case("x[indices]", by_indices, budget=INDEXING, libraries=ALL),
    Case("x.at[3].set", on_vector(set_one), budget=INDEXING, libraries=ALL),
    Case("grad, tanh-matmul loss", small_gradient, budget=Budget(jax=1 / 8)),
]

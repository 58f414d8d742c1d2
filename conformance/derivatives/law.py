"""Derivatives along lines, of first to third order, by all modes; and the truth of them.

Along a line through a point, x + t v, a function is one of a number t. Its derivatives by t are taken forward (F) and
in reverse (R), over each other. Directions are single elements, where there are few, and one or two in which all
elements move.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Final

import mpmath
import numpy as np

import treadle
import treadle.numpy as tnp
from conformance.derivatives.row import Point, Row
from conformance.effort import BRIEF

# The innermost last: "RF" is reverse over forward.
MODES: Final = ("F", "R", "FF", "FR", "RF", "RR", *(() if BRIEF else ("FFF", "FRF", "RFR", "RRR")))
PRECISION: Final = 256  # bits; mpmath doubles and redoubles them for its differences
FEW: Final = 3  # elements that are moved one by one

Scalar = Callable[[Any], Any]


def flat(point: Point) -> np.ndarray:
    """All elements of a point."""
    return np.concatenate([np.asarray(x, np.float64).ravel() for x in point])


def shaped(elements: Any, point: Point) -> list[Any]:
    """Elements as the operands of a point."""
    operands, start = [], 0
    for x in point:
        shape = np.shape(x)
        size = int(np.prod(shape))
        operands.append(elements[start : start + size].reshape(shape) if shape else elements[start])
        start += size
    return operands


def directions(count: int) -> np.ndarray:
    """The lines through a point with so many elements."""
    if count == 1:
        return np.ones((1, 1))
    mixed = np.cos(1.0 + np.arange(count))
    if count <= FEW:
        return np.concatenate([np.eye(count), mixed[None]])
    return np.stack([mixed, np.sin(1.0 + 2.0 * np.arange(count))])


def weights(count: int) -> np.ndarray:
    """Return the weights with which the elements of a result are added up; 1 for a single element."""
    return np.asarray(np.cos(0.3 * np.arange(count)))


def lines(row: Row) -> list[tuple[Point, np.ndarray]]:
    """Points with directions."""
    return [(point, v) for point in row.points for v in directions(flat(point).size)]


def modes(row: Row) -> list[str]:
    """Return the modes, up to the order that the row has."""
    return [mode for mode in MODES if len(mode) <= row.orders and set(mode) <= set(row.modes)]


# --- treadle -------------------------------------------------------------------------------------------


def forward(f: Scalar) -> Scalar:
    return lambda t: treadle.jvp(f, (t,), (tnp.ones_like(t),))[1]


def derivative(f: Scalar, mode: str) -> Scalar:
    for each in reversed(mode):
        f = forward(f) if each == "F" else treadle.grad(f)
    return f


def added_up(result: Any) -> Any:
    """The weighted sum of all that is inexact in a result."""
    total: Any = 0.0
    for leaf in treadle.tree.leaves(result):
        leaf = tnp.asarray(leaf)
        if not tnp.issubdtype(leaf.dtype, tnp.inexact):
            continue
        total = total + tnp.sum(leaf.ravel() * weights(leaf.size).astype(leaf.dtype))
    return total


def found(row: Row, jitted: bool) -> np.ndarray:
    """The derivatives: for each line, for each mode."""

    def along(x: Any, v: Any) -> Any:
        def g(t: Any) -> Any:
            return added_up(row.run(*shaped(x + t * v, row.points[0])))

        zero = tnp.zeros((), tnp.float64)
        return tnp.stack([derivative(g, mode)(zero) for mode in modes(row)])

    every = treadle.vmap(along)
    every = treadle.jit(every) if jitted else every
    xs = np.stack([flat(point) for point, _ in lines(row)])
    vs = np.stack([v for _, v in lines(row)])
    return np.asarray(every(xs, vs))


# --- mpmath --------------------------------------------------------------------------------------------

_exact: Final = np.frompyfunc(mpmath.mpf, 1, 1)


def true(row: Row) -> np.ndarray:
    """The truth: for each line, the first derivatives."""
    with mpmath.workprec(PRECISION):
        return np.array([_along(row, point, v) for point, v in lines(row)])


def _along(row: Row, point: Point, v: np.ndarray) -> list[float]:
    x, direction = _exact(flat(point)), _exact(v)

    def g(t: Any) -> Any:
        return _added_up(row.truth(*shaped(x + t * direction, point)))

    taylor = mpmath.taylor(g, 0, row.orders)
    return [float(c * mpmath.factorial(n)) for n, c in enumerate(taylor)][1:]


def _added_up(result: Any) -> Any:
    parts = result if isinstance(result, (tuple, list)) else [result]
    total = mpmath.mpf(0)
    for part in parts:
        elements = np.asarray(part, object).ravel()
        total += sum(map(_product, elements, weights(elements.size)), mpmath.mpf(0))
    return total


def _product(x: Any, w: float) -> Any:
    return x * mpmath.mpf(float(w))


# --- together ------------------------------------------------------------------------------------------


def wrong(row: Row, jitted: bool, truth: np.ndarray) -> list[str]:
    """Return the differences from the truth, in words.

    Errors are measured by the derivative, and hardly (1e-12) by the greatest of its line: where one is 0, it need not
    be so to the last bit.
    """
    actual = found(row, jitted)
    said = []
    for (i, (point, v)), (j, mode) in itertools.product(
        enumerate(lines(row)), enumerate(modes(row))
    ):
        expected = truth[i, len(mode) - 1]
        allowed = row.rtol * abs(expected) + 1e-12 * np.max(np.abs(truth[i])) + row.atol
        if not abs(actual[i, j] - expected) <= allowed:
            said.append(f"{mode} at {point} along {v}: {actual[i, j]}, true {expected}")
    return said

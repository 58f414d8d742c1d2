"""Rows of `treadle.numpy`: elements inserted and deleted, floats decomposed, histograms of points."""

from __future__ import annotations

from typing import Any, Final

import mpmath as mp
import numpy as np

import treadle.numpy as tnp
from conformance.derivatives.row import Row, array

V: Final = [0.5, -1.0, 2.0]
M: Final = [[0.5, -1.0, 2.0], [0.0, 3.0, 1.5]]
PLACES: Final = np.array([2, 0])
POINTS: Final = np.array([[0.1, 0.2], [0.9, 0.7], [0.2, 0.1]])


def parts(x: Any) -> Any:
    """Fractional and whole parts."""
    return np.array([e - int(e) for e in x]), np.array([e * 0 + int(e) for e in x])


def divided(u: Any, v: Any) -> Any:
    """Quotient and remainder of polynomials of degrees 2 and 1."""
    first = u[0] / v[0]
    second = (u[1] - first * v[1]) / v[0]
    none = u[0] * 0
    return np.array([first, second]), np.array([none, none, u[2] - second * v[1]])


def fitted(x: Any, y: Any) -> Any:
    """The line through three points, by the normal equations."""
    a, b = x - np.sum(x) / 3, y - np.sum(y) / 3
    slope = np.sum(a * b) / np.sum(a * a)
    return np.array([slope, (np.sum(y) - slope * np.sum(x)) / 3])


def filled(x: Any, value: Any) -> Any:
    """With values on the diagonal."""
    found = x.copy()
    found[0, 0], found[1, 1] = value
    return found


ROWS: Final[tuple[Row, ...]] = (
    array("numpy.delete", V, truth=lambda x: x[1:2], function=lambda x: tnp.delete(x, PLACES)),
    array(
        "numpy.insert",
        (V, [7.0, 8.0]),
        truth=lambda x, y: np.array([y[1], x[0], x[1], y[0], x[2]]),
        function=lambda x, y: tnp.insert(x, PLACES, y),
    ),
    array(
        "numpy.fill_diagonal",
        (M, [7.0, 8.0]),
        truth=filled,
        function=lambda x, y: tnp.fill_diagonal(x, y, inplace=False),
    ),
    array(
        "numpy.choose",
        (V, [7.0, 8.0, 9.0]),
        truth=lambda x, y: np.array([y[0], x[1], y[2]]),
        function=lambda x, y: tnp.choose(np.array([1, 0, 1]), [x, y]),
    ),
    array("numpy.minmax", V, truth=lambda x: (x[1], x[2])),
    array(
        "numpy.frexp",
        [0.75, -6.0, 1e-3],
        truth=lambda x: np.array(
            [e * mp.power(2, -int(n)) for e, n in zip(x, (0, 3, -9), strict=True)]
        ),
        function=lambda x: tnp.frexp(x)[0],
    ),
    array(
        "numpy.ldexp",
        V,
        truth=lambda x: np.array([x[0] * 8, x[1] / 4, x[2]]),
        function=lambda x: tnp.ldexp(x, np.array([3, -2, 0])),
    ),
    array("numpy.modf", [1.5, -2.25, 0.5], truth=parts),
    array(
        "numpy.histogram2d",
        V,
        truth=lambda w: np.stack([[w[0] + w[2], w[0] * 0], [w[0] * 0, w[1]]]),
        function=lambda w: tnp.histogram2d(POINTS[:, 0], POINTS[:, 1], 2, [(0, 1), (0, 1)], w)[0],
    ),
    array(
        "numpy.histogramdd",
        [1.0, 2.0, 3.0],
        truth=lambda w: np.array([w[0] + w[2], w[1]]) / np.sum(w) * 2,
        function=lambda w: tnp.histogramdd(POINTS[:, :1], 2, [(0, 1)], w, True)[0],
    ),
    *(
        array(f"numpy.{name}", (V, [4.0, 0.0]), truth=truth)
        for name, truth in (
            ("polyadd", lambda x, y: np.array([x[0], x[1] + y[0], x[2] + y[1]])),
            ("polysub", lambda x, y: np.array([x[0], x[1] - y[0], x[2] - y[1]])),
            ("polymul", np.convolve),
            ("polydiv", divided),
        )
    ),
    array("numpy.polyder", V, truth=lambda p: np.array([2 * p[0], p[1]])),
    array("numpy.polyint", V, truth=lambda p: np.array([p[0] / 3, p[1] / 2, p[2], p[0] * 0])),
    array("numpy.add", M, truth=lambda x: x[0] + x[1], function=tnp.add.reduce),
    array(
        "numpy.multiply",
        V,
        [0.0, 3.0, 0.0],
        truth=lambda x: np.array([x[0], x[0] * x[1], x[0] * x[1] * x[2]]),
        function=tnp.multiply.accumulate,
    ),
    array(
        "numpy.subtract",
        V,
        truth=lambda x: np.array([x[0] - x[1], x[2]]),
        function=lambda x: tnp.subtract.reduceat(x, np.array([0, 2])),
    ),
    array(
        "numpy.logaddexp",
        V,
        truth=lambda x: np.array([x[0], mp.log(mp.exp(x[1]) + mp.exp(3) + mp.exp(3)), x[2]]),
        function=lambda x: tnp.logaddexp.at(x, np.array([1, 1]), 3.0, inplace=False),
    ),
    array(
        "numpy.polyfit",
        ([0.0, 1.0, 3.0], V),
        truth=fitted,
        function=lambda x, y: tnp.polyfit(x, y, 1),
    ),
    array(
        "numpy.poly",
        V,
        truth=lambda z: np.convolve(np.convolve([z[0] * 0 + 1, -z[0]], [1, -z[1]]), [1, -z[2]]),
    ),
    array(
        "numpy.roots",
        [2.0, -6.0, 4.0],
        truth=lambda p: (p[1] ** 2 - 2 * p[0] * p[2]) / p[0] ** 2,
        function=lambda p: tnp.sum(tnp.real(tnp.roots(p, strip_zeros=False)) ** 2),
    ),
)

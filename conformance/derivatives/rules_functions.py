"""Rows of functions whose derivatives are rules: solutions of equations."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from mpmath import mp

import treadle.numpy as tnp
from conformance.derivatives.row import Row, array, scalar
from treadle import lax


def linear_solution(a: Any, b: Any) -> Any:
    """The solution of [[a, 1], [0, 2]] x = (b, b), by substitution."""

    def matvec(x: Any) -> Any:
        return tnp.stack([a * x[0] + x[1], 2 * x[1]])

    def solve(_: Any, y: Any) -> Any:
        return tnp.stack([(y[0] - y[1] / 2) / a, y[1] / 2])

    def transpose_solve(_: Any, y: Any) -> Any:
        return tnp.stack([y[0] / a, (y[1] - y[0] / a) / 2])

    return lax.custom_linear_solve(matvec, tnp.stack([b, b]), solve, transpose_solve)


def cube_root(y: Any) -> Any:
    """The root of x ** 3 = y by Newton's method."""

    def newton(f: Any, x: Any) -> Any:
        return lax.fori_loop(0, 60, lambda i, x: x - f(x) / (3 * x * x), x)

    return lax.custom_root(lambda x: x**3 - y, 1.0, newton, lambda g, z: z / g(1.0))


ROWS: Final[tuple[Row, ...]] = (
    array(
        "lax.custom_linear_solve",
        (2.0, 3.0),
        (-1.0, 0.5),
        truth=lambda a, b: np.array([b / (2 * a), b / 2]),
        function=linear_solution,
    ),
    scalar("lax.custom_root", mp.cbrt, 0.5, 8.0, function=cube_root),
    scalar(
        "lax.composite",
        lambda x: x**3,
        0.0,
        -2.0,
        function=lambda x: lax.composite(lambda y: y * y * y, "my.cube")(x),
    ),
    scalar(
        "lax.platform_dependent",
        lambda x: x**3,
        0.0,
        -2.0,
        function=lambda x: lax.platform_dependent(x, tpu=tnp.sin, default=lambda y: y * y * y),
    ),
)

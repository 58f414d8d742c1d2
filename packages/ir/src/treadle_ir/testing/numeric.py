"""Derivatives by numbers: central differences, the complex step, and the pairing that transposes are checked with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from treadle_ir.core import dtypes

Arrays: TypeAlias = Sequence[np.ndarray[Any, np.dtype[Any]]]
ArrayFunction: TypeAlias = Callable[..., Arrays]


def central_difference(
    function: ArrayFunction, primals: Arrays, tangents: Arrays, *, step: float = 1e-3
) -> list[np.ndarray[Any, np.dtype[Any]]]:
    """Return the derivative of a function along a direction, with an error of the fourth power of the step.

    (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h, in float64. Complex operands move along a complex direction:
    the derivative is the real-linear one.

    Source: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 25.3.23 and table 25.2.
    """

    def at(h: float) -> list[np.ndarray[Any, np.dtype[Any]]]:
        moved = [np.asarray(x + h * dx) for x, dx in zip(primals, tangents, strict=True)]
        return [np.asarray(result) for result in function(*moved)]

    near, far = (at(step), at(-step)), (at(2 * step), at(-2 * step))
    return [(8 * (a - b) - (c - d)) / (12 * step) for a, b, c, d in zip(*near, *far, strict=True)]


def complex_step(
    function: ArrayFunction, primals: Arrays, tangents: Arrays, *, step: float = 1e-30
) -> list[np.ndarray[Any, np.dtype[Any]]]:
    """Return the derivative of an analytic function of reals along a direction, to rounding: Im f(x + ih dx) / h.

    The function must take complex operands instead of its real ones.

    Source: W. Squire and G. Trapp, Using complex variables to estimate derivatives of real functions,
        SIAM Review 40 (1998).
    """
    moved = [np.asarray(x + 1j * step * dx) for x, dx in zip(primals, tangents, strict=True)]
    return [np.asarray(result).imag / step for result in function(*moved)]


def pairing(xs: Arrays, ys: Arrays) -> float:
    """Return the pairing of tangents with cotangents: the real part of the sum of products, without conjugation."""
    total = 0.0
    for x, y in zip(xs, ys, strict=True):
        a, b = np.asarray(x), np.asarray(y)
        assert a.shape == b.shape, (
            f"a tangent of shape {a.shape} meets a cotangent of shape {b.shape}"
        )
        if dtypes.is_inexact(a.dtype):
            total += float(np.sum(a.astype(np.complex128) * b.astype(np.complex128)).real)
    return total

"""One step of the Dormand-Prince method of order 5, its error, and the polynomial between its ends.

Sources: J. Dormand and P. Prince, A family of embedded Runge-Kutta formulae, J. Comp. Appl. Math. 6 (1980), the
    coefficients as in E. Hairer, S. Norsett, G. Wanner, Solving Ordinary Differential Equations I, table II.5.2;
    L. Shampine, Some practical Runge-Kutta formulas, Math. Comp. 46 (1986), for the value in the middle of a step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

import treadle_numpy as tnp
from treadle_ir import Array
from treadle_numpy import lax

Derivative: TypeAlias = Callable[[Array, Array], Array]
Value: TypeAlias = Any  # an array or a number; numbers make numbers
Row: TypeAlias = tuple[float, ...]

# Where the stages lie in the step, what each is made of, and the weights of the result: the last row of BETA.
ALPHA: Final[Row] = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
BETA: Final[tuple[Row, ...]] = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
# The result of order 5 less the result of order 4.
ERROR: Final[Row] = (
    35 / 384 - 5179 / 57600,
    0.0,
    500 / 1113 - 7571 / 16695,
    125 / 192 - 393 / 640,
    -2187 / 6784 + 92097 / 339200,
    11 / 84 - 187 / 2100,
    -1 / 40,
)
MIDDLE: Final[Row] = (
    6025192743 / 30085553152 / 2,
    0.0,
    51252292925 / 65400821598 / 2,
    -2691868925 / 45128329728 / 2,
    187940372067 / 1594534317056 / 2,
    -1776094331 / 19743644256 / 2,
    11237099 / 235043384 / 2,
)


def runge_kutta_step(
    func: Derivative, y0: Array, f0: Array, t0: Value, dt: Value
) -> tuple[Array, Array, Array, Array]:
    """Return one step of size `dt` from the vector `y0` at time `t0`, where the derivative is `f0 = func(y0, t0)`.

    Returns the vector after the step, its derivative there, the estimated error, and the derivatives at the seven
    stages, one to a row.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.ode import runge_kutta_step
        >>> y0 = tnp.array([1.0])
        >>> y1, f1, error, k = runge_kutta_step(lambda y, t: y, y0, y0, 0.0, 1.0)
        >>> print(tnp.round(y1, 3), k.shape)
        [2.718] (7, 1)
    """
    stages = [f0]
    y1 = y0
    for place, weights in zip(ALPHA, BETA, strict=True):
        y1 = y0 + _in_type_of(dt, y0) * _combined(weights, tnp.stack(stages))
        stages.append(func(y1, t0 + place * dt))
    k = tnp.stack(stages)
    return y1, stages[-1], _in_type_of(dt, y0) * _combined(ERROR, k), k


def interp_fit_dopri(y0: Array, y1: Array, k: Array, dt: Value) -> tuple[Array, ...]:
    """Return the polynomial between the ends of a step, from its stages `k`: as `fit_4th_order_polynomial`.

    Example:
        >>> import treadle.numpy as tnp
        >>> stages = tnp.ones((7, 1))  # the derivative is 1 all along
        >>> polynomial = tnp.stack(interp_fit_dopri(tnp.zeros(1), tnp.ones(1), stages, 1.0))
        >>> print(tnp.polyval(polynomial, 0.5).round(5))
        [0.5]
    """
    y_mid = y0 + _in_type_of(dt, y0) * _combined(MIDDLE, k)
    return fit_4th_order_polynomial(y0, y1, y_mid, k[0], k[-1], dt)


def fit_4th_order_polynomial(
    y0: Value, y1: Value, y_mid: Value, dy0: Value, dy1: Value, dt: Value
) -> tuple[Value, ...]:
    """Return the coefficients, highest power first, of the polynomial of order 4 on [0, 1] that fits a step of size
    `dt`.

    It has the values `y0`, `y_mid`, `y1` at 0, 1/2, 1, and the derivatives `dy0`, `dy1` (by time) at the ends.

    Example:
        >>> from treadle.experimental.ode import fit_4th_order_polynomial
        >>> fit_4th_order_polynomial(0.0, 1.0, 0.25, 0.0, 2.0, 1.0)  # x squared
        (0.0, 0.0, 1.0, 0.0, 0.0)
    """
    first, last = _in_type_of(dt, y0) * dy0, _in_type_of(dt, y0) * dy1
    a = 2 * (last - first) - 8 * (y0 + y1) + 16 * y_mid
    b = 5 * first - 3 * last + 18 * y0 + 14 * y1 - 32 * y_mid
    c = last - 4 * first - 11 * y0 - 5 * y1 + 16 * y_mid
    return a, b, c, first, y0


def _combined(weights: Row, stages: Array) -> Array:
    """Return the sum of the stages, each with its weight."""
    # The weights are cancelled against each other, so no digit of the products may be dropped.
    made = tnp.asarray(np.asarray(weights), stages.dtype)
    return tnp.dot(made, stages, precision=lax.Precision.HIGHEST)


def _in_type_of(dt: Any, y: Any) -> Any:  # Any: arrays or numbers
    """Return a step size for arithmetic with a vector: complex where the vector is, and no wider."""
    return lax.convert_element_type(dt, y.dtype) if isinstance(y, Array) else dt

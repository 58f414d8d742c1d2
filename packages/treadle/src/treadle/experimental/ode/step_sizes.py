"""How large a step is to be: from its error, and at first from the size of the derivatives.

Source: E. Hairer, S. Norsett, G. Wanner, Solving Ordinary Differential Equations I, section II.4.
"""

from __future__ import annotations

import treadle_numpy as tnp
from treadle.experimental.ode.dormand_prince import Derivative
from treadle_ir import Array
from treadle_ir.errors import number, refused
from treadle_numpy.operands.coerce import ArrayLike


def abs2(x: ArrayLike) -> Array:
    """Return the square of the absolute value, without a root.

    Example:
        >>> from treadle.experimental.ode import abs2
        >>> print(abs2(3 + 4j))
        25.0
    """
    array = tnp.asarray(x)
    if tnp.iscomplexobj(array):
        return array.real**2 + array.imag**2
    return array**2


def initial_step_size(
    fun: Derivative, t0: Array, y0: Array, order: int, rtol: float, atol: float, f0: Array
) -> Array:
    """Return a first step size for a method of an order: so that the first step is small against `y0` and its
    derivatives.

    Example:
        >>> import treadle.numpy as tnp
        >>> y0 = tnp.ones(2)
        >>> step = initial_step_size(lambda y, t: -y, 0.0, y0, 4, 1e-6, 1e-6, -y0)
        >>> bool(0 < step < 1)
        True
    """
    scale = atol + tnp.abs(y0) * rtol
    d0 = _norm(y0 / _like(scale, y0))
    d1 = _norm(f0 / _like(scale, y0))
    h0 = tnp.where((d0 < 1e-5) | (d1 < 1e-5), 1e-6, 0.01 * d0 / tnp.where(d1 == 0, 1, d1))
    y1 = y0 + _like(h0, y0) * f0
    f1 = fun(y1, t0 + h0)
    d2 = _norm((f1 - f0) / _like(scale, y0)) / h0
    largest = tnp.maximum(d1, d2)
    safe = tnp.where(largest > 0, largest, 1)
    h1 = tnp.where(
        largest <= 1e-15,
        tnp.maximum(1e-6, h0 * 1e-3),
        (0.01 / safe) ** (1 / (order + 1)),
    )
    return tnp.minimum(100 * h0, h1)


def mean_error_ratio(
    error_estimate: Array, rtol: float, atol: float, y0: Array, y1: Array
) -> Array:
    """Return the error of a step over what is allowed, as a root mean square: a step is good where this is at most 1.

    Example:
        >>> import treadle.numpy as tnp
        >>> y = tnp.ones(2)
        >>> print(mean_error_ratio(tnp.array([0.01, 0.01]), 0.1, 0.0, y, y).round(3))  # a tenth of what is allowed
        0.1
    """
    allowed = atol + rtol * tnp.maximum(tnp.abs(y0), tnp.abs(y1))
    return tnp.sqrt(tnp.mean(abs2(error_estimate / _like(allowed, error_estimate))))


def optimal_step_size(
    last_step: ArrayLike,
    mean_error_ratio: ArrayLike,
    safety: float = 0.9,
    ifactor: float = 10.0,
    dfactor: float = 0.2,
    order: float = 5.0,
) -> Array:
    """Return the next step size, from the last one and the ratio of its error.

    At most `ifactor` and at least `dfactor` times the last one; a step that was good is not followed by a smaller one.

    Example:
        >>> from treadle.experimental.ode import optimal_step_size
        >>> print(optimal_step_size(1.0, 0.0), optimal_step_size(1.0, 0.9), optimal_step_size(1.0, 1e9))
        10.0 1.0 0.2
    """
    ratio, step = tnp.asarray(mean_error_ratio), tnp.asarray(last_step)
    for name, value in (("safety", safety), ("order", order)):
        if not number("optimal_step_size", name, value) > 0:
            raise refused("optimal_step_size", name, "a number above zero", value)
    least = tnp.where(ratio < 1, 1.0, dfactor)
    factor = safety * tnp.where(ratio == 0, 1, ratio) ** (-1.0 / order)
    # By `minimum` and `maximum`, a NaN of the ratio stays one, and ends the integration.
    bounded = tnp.minimum(ifactor, tnp.maximum(factor, least))
    return step * tnp.where(ratio == 0, ifactor, bounded)


def _norm(x: Array) -> Array:
    return tnp.sqrt(tnp.sum(abs2(x)))


def _like(x: Array, y: Array) -> Array:
    """Real numbers in the type of an array that may be complex."""
    return tnp.astype(x, y.dtype)

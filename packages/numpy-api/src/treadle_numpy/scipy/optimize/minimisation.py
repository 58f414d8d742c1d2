"""Minima of smooth functions of several variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from treadle_autodiff import value_and_grad
from treadle_ir import ArgumentError, Array, ShapeError
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import did_you_mean, functions, integer, number, refused, shown
from treadle_numpy.lax.control.loops import while_loop
from treadle_numpy.numpy.contraction.products import matmul, outer, vdot
from treadle_numpy.numpy.creation.matrices import eye
from treadle_numpy.numpy.dtypes.limits import finfo
from treadle_numpy.numpy.linalg.norms import norm as norm_of
from treadle_numpy.numpy.reductions.extremes import max
from treadle_numpy.numpy.reductions.logical import all
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.arithmetic import divide
from treadle_numpy.numpy.ufuncs.extremes import minimum
from treadle_numpy.numpy.ufuncs.kinds import isfinite
from treadle_numpy.numpy.ufuncs.logic import equal, less
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, is_array_like
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.operands.sequences import array_from
from treadle_numpy.scipy.optimize.line_searches import line_search

__all__ = ["OptimizeResults", "minimize"]

_OPTIONS: Final = ("gtol", "norm", "maxiter", "line_search_maxiter")
_PRECISION: Final = "highest"


class OptimizeResults(NamedTuple):
    """What a search for a minimum found.

    `status` is 0 where it converged, 1 after `maxiter` steps, 3 where an interval along a line could not be made
    smaller, 5 where there was none within so many values, and 2 where values or gradients are not finite.
    """

    x: Array
    success: bool | Array
    status: int | Array
    fun: Array
    jac: Array
    hess_inv: Array | None
    nfev: int | Array
    njev: int | Array
    nit: int | Array


class _State(NamedTuple):
    x: Array
    value: Array
    gradient: Array
    inverse: Array  # of the matrix of second derivatives, about
    converged: Array
    status: Array  # why the search cannot go on, or 0
    evaluations: Array | int
    step: Array | int


def minimize(
    fun: Callable[..., Any],
    x0: ArrayLike,
    args: tuple[Any, ...] = (),
    *,
    method: str,
    tol: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> OptimizeResults:
    """Return a local minimum of a differentiable function of a vector, near where the search starts.

    It runs inside of `jit` and `vmap`. Reverse mode cannot differentiate the search; `lax.custom_root`, with the
    gradient of the function for its `f`, gives a minimum its derivatives.

    Algorithm: Broyden, Fletcher, Goldfarb and Shanno's, Nocedal and Wright (2006), algorithm 6.1, for functions that
    bend strongly with the scale of (6.20) after the first step.

    Shapes:
        x0: [n]

    Args:
        fun: `fun(x, *args)` returns a real number.
        x0: where the search starts; integers become floats.
        args: further arguments of `fun`.
        method: "BFGS".
        tol: the search ends when the norm of the gradient is below; `gtol` in the options by another name.
        options: `gtol` (1e-5); `norm`, the order of that norm (infinity); `maxiter`, how many steps (200 for each
            variable); `line_search_maxiter`, how many values along one line (10).

    Raises:
        ArgumentError: there is no such method or option, or an argument is of another kind.
        ShapeError: x0 is not a vector.
        DTypeError: x0 has complex elements, or `fun` does not return a real number.

    Example:
        >>> found = minimize(lambda x: ((x - np.array([1.0, 2.0])) ** 2).sum(), np.zeros(2), method="BFGS")
        >>> print(found.x.round(3), found.success)
        [1. 2.] True
    """
    functions("minimize", fun=fun)
    if not isinstance(method, str) or method.lower() != "bfgs":  # type: ignore[redundant-expr]  # for untyped callers
        raise ArgumentError(
            f"minimize: there is no method {shown(method)}", fix="the method is 'BFGS'"
        )
    if not isinstance(args, tuple):
        raise refused("minimize", "args", "a tuple", args)
    gtol, order, maxiter, values = _settings(tol, options)
    if not is_array_like(x0):
        raise refused("minimize", "x0", "a vector", x0)
    given = array_from("minimize", x0, None)
    if given.ndim != 1:
        raise ShapeError(
            f"minimize: x0 must be a vector, got shape {given.shape}",
            fix="flatten it, and reshape in the function",
        )
    if is_complex(given.dtype):
        raise ArgumentError(
            f"minimize: x0 must have real elements, got {given.dtype}",
            fix="make a function of real and imaginary parts",
        )
    start = array_of(promote("minimize", given, inexact=True)[0])
    start = converted(start, start.dtype)
    both = value_and_grad(lambda x: fun(x, *args))

    def value_and_gradient(x: Array) -> tuple[Array, Array]:
        value, gradient = both(x)
        return converted(array_of(value), x.dtype), gradient

    steps = 200 * start.size if maxiter is None else maxiter
    found = _bfgs(value_and_gradient, start, gtol, order, steps, values)
    ended = where(found.converged, 0, where(found.status == 0, 1, found.status))
    return OptimizeResults(
        found.x,
        found.converged,
        ended,
        found.value,
        found.gradient,
        found.inverse,
        found.evaluations,
        found.evaluations,
        found.step,
    )


def _settings(
    tol: float | None, options: Mapping[str, Any] | None
) -> tuple[float, float, int | None, int]:
    """Return the options, with their defaults."""
    if options is None:
        options = {}
    if not isinstance(options, Mapping):
        raise refused("minimize", "options", "a dictionary", options)
    for name in options:
        if name not in _OPTIONS:
            raise ArgumentError(
                f"minimize: there is no option {shown(name)}",
                fix=did_you_mean(str(name), _OPTIONS) or f"options are {', '.join(_OPTIONS)}",
            )
    given = options.get("gtol", 1e-5) if tol is None else tol
    gtol = number("minimize", "tol" if tol is not None else "gtol", given)
    order = number("minimize", "norm", options.get("norm", np.inf))
    counts = [
        None
        if name == "maxiter" and options.get(name) is None
        else integer("minimize", name, options.get(name, 10))
        for name in ("maxiter", "line_search_maxiter")
    ]
    for each in counts:
        if each is not None and each < 0:
            raise ArgumentError(f"minimize: numbers of steps must not be negative, got {each}")
    return gtol, order, counts[0], counts[1] or 0


def _bfgs(
    value_and_gradient: Callable[[Array], tuple[Array, Array]],
    start: Array,
    gtol: float,
    order: float,
    maxiter: int,
    values: int,
) -> _State:
    def small(gradient: Array) -> Array:
        return norm_of(gradient, order) < gtol if gradient.size else gradient.sum() == 0

    def goes_on(state: _State) -> Array:
        return ~state.converged & (state.status == 0) & less(state.step, maxiter)

    def advance(state: _State) -> _State:
        g = state.gradient
        direction = -matmul(state.inverse, g, precision=_PRECISION)
        first = where(equal(state.step, 0), minimum(1, divide(1, norm_of(g))), 1)
        line = line_search(
            value_and_gradient, state.x, state.value, g, direction, first.astype(g.dtype), values
        )
        step = line.low.distance * direction
        change = line.low.gradient - g
        curved = vdot(change, step, precision=_PRECISION)
        rho = divide(1, where(curved > 0, curved, 1))
        usable = (curved > 0) & isfinite(rho)
        left = eye(g.size, dtype=g.dtype) - rho * outer(step, change)
        known = state.inverse * where(equal(state.step, 0), _scale(change, step), 1)
        updated = matmul(
            matmul(left, known, precision=_PRECISION), left.T, precision=_PRECISION
        ) + rho * outer(step, step)
        finite = isfinite(line.low.value) & all(isfinite(line.low.gradient))
        failed = where(line.found, 0, where(line.bounded, 3, 5))
        return _State(
            state.x + step,
            line.low.value,
            line.low.gradient,
            where(usable, updated, state.inverse),
            small(line.low.gradient),
            where(finite, failed, 2),
            state.evaluations + line.evaluations,
            state.step + 1,
        )

    value, gradient = value_and_gradient(start)
    finite = isfinite(value) & all(isfinite(gradient))
    return while_loop(
        goes_on,
        advance,
        _State(
            start,
            value,
            gradient,
            eye(start.size, dtype=start.dtype),
            small(gradient),
            where(finite, 0, 2),
            1,
            0,
        ),
    )


def _scale(change: Array, step: Array) -> Array:
    """Return the size of the inverse matrix of second derivatives, from the change of the gradient along a step.

    It is 1, by which slow directions are found sooner, unless it is so small that rounding errors of the gradient times
    1 were greater than the steps across the first one.
    """
    most = max(abs(change), initial=0)
    most = where(most > 0, most, 1)
    unit = change / most  # whose square is neither too great nor too small
    square = vdot(unit, unit, precision=_PRECISION)
    along = vdot(unit, step, precision=_PRECISION) / most
    found = along / where(square > 0, square, 1)
    return where((found > 0) & (found < float(finfo(found.dtype).eps) ** 0.5), found, 1)

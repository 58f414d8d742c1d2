"""`odeint`: steps of adaptive size between the times that are asked for, and its derivative by the adjoint equation.

The adjoint of `dy/dt = f(y, t, p)` is `da/dt = -a df/dy`, solved backwards from the last time together with `y` and
the integral of `a df/dp`; at each time that was asked for, the cotangent there is added to `a`. Nothing of the steps
is kept, so memory does not grow with their number.

Source: L. Pontryagin and others, The Mathematical Theory of Optimal Processes (1962); R. Chen, Y. Rubanova,
    J. Bettencourt, D. Duvenaud, Neural ordinary differential equations, NeurIPS (2018), appendix B and C.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

import treadle_autodiff
import treadle_numpy as tnp
from treadle.abstract import staged
from treadle.experimental.ode.dormand_prince import interp_fit_dopri, runge_kutta_step
from treadle.experimental.ode.step_sizes import (
    initial_step_size,
    mean_error_ratio,
    optimal_step_size,
)
from treadle.flatten_util import ravel_pytree
from treadle_ir import ArgumentError, Array, ShapeError
from treadle_ir.calling import as_array, flatten_arrays
from treadle_ir.core import float0
from treadle_ir.core.dtypes import is_floating, is_inexact
from treadle_ir.errors import StructureError, functions, number
from treadle_ir.tracing import interpret_unchecked as interpret
from treadle_ir.tree import tree_leaves, tree_map, tree_unflatten
from treadle_numpy import lax
from treadle_numpy.operands.coerce import ArrayLike

Tree: TypeAlias = Any  # a pytree: any Python object
State: TypeAlias = tuple[Array, ...]


def odeint(
    func: Callable[..., Tree],
    y0: Tree,
    t: ArrayLike,
    *args: Tree,
    rtol: float = 1.4e-8,
    atol: float = 1.4e-8,
    mxstep: float = np.inf,
    hmax: float = np.inf,
) -> Tree:
    """Return the solution of `dy/dt = func(y, t, *args)` with `y = y0` at `t[0]`, at the times `t`.

    By the Dormand-Prince method of order 5 with steps of adaptive size, none larger than `hmax`, and at most `mxstep`
    between two times. `y0` is a tree of floating or complex arrays, `args` are trees of arrays; `t` is a vector of
    increasing times. Reverse mode gives derivatives by `y0`, `t`, `args`, and by arrays that `func` closes over;
    it integrates the adjoint equation with the same tolerances. Forward mode is not supported.

    Shapes:
        t: [n]
        result: each leaf of `y0`, with a leading axis of size n

    Differs from SciPy: `func`'s arguments have the order of `scipy.integrate.odeint`; where the steps do not
    reach a time within `mxstep`, or become NaN, the solution there is extrapolated, or NaN.

    Raises:
        ArgumentError: an argument is not a tree of arrays, or the state is not floating or complex.
        ShapeError: `t` is not a vector, or it is empty.
        StructureError: `func` does not return a tree like `y0`.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.ode import odeint
        >>> y = odeint(lambda y, t, rate: -rate * y, 1.0, tnp.array([0.0, 1.0, 2.0]), 0.5)
        >>> print(tnp.round(y, 4))
        [1.     0.6065 0.3679]
    """
    functions("odeint", func=func)
    times = _times(t)
    leaves, structure = flatten_arrays(y0, "odeint: y0")
    for leaf in leaves:
        if not is_inexact(leaf.dtype):
            raise ArgumentError(
                f"odeint: the state y0 has {leaf.type}, but must be floating or complex",
                fix="write 1.0 for 1, or convert with `.astype(float)`",
            )
    flat, unravel = ravel_pytree(tree_unflatten(structure, leaves))
    given, _ = flatten_arrays(args, "odeint: args")
    made, result = staged(func, (unravel(flat), times[0], *args), {})
    if result != structure:
        raise StructureError(
            f"odeint: func returns {result}, but the state y0 has structure {structure}",
            fix="return the derivative of each part of the state, in the state's structure",
        )
    types = made.program.result_types
    for place, (leaf, type) in enumerate(zip(leaves, types, strict=True)):
        if type.shape != leaf.shape:  # type: ignore[attr-defined]  # arrays
            raise ShapeError(
                f"odeint: part {place} of the state is {leaf.type}, but func returns {type} for it"
            )
    # What `func` closes over becomes an argument, so that it has a derivative.
    count = len(made.captured)

    def derivative(y: Array, t: Array, *operands: Array) -> Array:
        parts = tree_leaves(unravel(y))
        found = interpret(
            made.program, *operands[:count], *parts, tnp.astype(t, times.dtype), *operands[count:]
        )
        return tnp.astype(ravel_pytree(list(found))[0], flat.dtype)

    operands = [as_array(x) for x in (*made.captured, *given)]
    options = (
        number("odeint", "rtol", rtol),
        number("odeint", "atol", atol),
        number("odeint", "mxstep", mxstep),
        number("odeint", "hmax", hmax),
    )
    solution = _solve(derivative, options, as_array(flat), times, operands)
    return _unravelled(unravel, solution)


def _times(t: object) -> Array:
    times = tnp.asarray(t)
    if times.ndim != 1 or not times.size:
        raise ShapeError(
            f"odeint: t is {times.type}, but must be a vector of at least one time",
            fix="give the time of y0 first, then those that are asked for: tnp.array([0.0, 1.0])",
        )
    if not is_floating(times.dtype):
        times = tnp.astype(times, float)
    return times


def _unravelled(unravel: Callable[[Array], Tree], solution: Array) -> Tree:
    import treadle_batching  # noqa: PLC0415 - when it is first needed

    return treadle_batching.vmap(unravel)(solution)


def ravel_first_arg(
    f: Callable[..., Tree], unravel: Callable[[Array], Tree], debug_info: object = None
) -> Callable[..., Array]:
    """Return a function of a tree that returns such a tree, as one of a vector that returns a vector.

    `debug_info` is not used: messages name `f` itself.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.ode import ravel_first_arg
        >>> from treadle.flatten_util import ravel_pytree
        >>> flat, unravel = ravel_pytree({"a": 1.0, "b": 2.0})
        >>> print(ravel_first_arg(lambda y, t: {"a": t, "b": y["b"]}, unravel)(flat, 5.0))
        [5. 2.]
    """
    functions("ravel_first_arg", f=f, unravel=unravel)

    def ravelled(y: Array, *args: Tree) -> Array:
        vector: Array = ravel_pytree(f(unravel(y), *args))[0]  # type: ignore[assignment]
        return vector

    return ravelled


Options: TypeAlias = tuple[float, float, float, float]
Derivative: TypeAlias = Callable[..., Array]


def _solve(
    derivative: Derivative, options: Options, y0: Array, times: Array, args: list[Array]
) -> Array:
    """Return the solution for vectors, with its derivative rule."""

    @treadle_autodiff.custom_vjp
    def solve(y0: Array, times: Array, args: list[Array]) -> Array:
        return _steps(derivative, options, y0, times, args)

    def forward(y0: Array, times: Array, args: list[Array]) -> tuple[Array, Any]:
        solution = solve(y0, times, args)
        return solution, (solution, times, args)

    def backward(kept: Any, cotangents: Array) -> tuple[Any, ...]:
        solution, times, args = kept
        return _adjoint(derivative, options, solution, times, args, cotangents)

    solve.defvjp(forward, backward)
    result: Array = solve(y0, times, args)
    return result


def _steps(
    derivative: Derivative, options: Options, y0: Array, times: Array, args: list[Array]
) -> Array:
    rtol, atol, mxstep, hmax = options

    def func(y: Array, t: Array) -> Array:
        return derivative(y, t, *args)

    start = times[0]
    f0 = func(y0, start)
    dt = tnp.minimum(initial_step_size(func, start, y0, 4, rtol, atol, f0), hmax)
    dt = tnp.astype(dt, times.dtype)

    def to_time(carry: State, target: Array) -> tuple[State, Array]:
        def unfinished(state: Any) -> Array:
            steps, (_, _, t, dt, _, _) = state
            going: Array = (t < target) & (steps < mxstep) & (dt > 0)
            return going

        def step(state: Any) -> Any:
            steps, (y, f, t, dt, last_t, polynomial) = state
            y1, f1, error, k = runge_kutta_step(func, y, f, t, dt)
            ratio = mean_error_ratio(error, rtol, atol, y, y1)
            fitted = tnp.stack(interp_fit_dopri(y, y1, k, dt))
            next_dt = tnp.minimum(optimal_step_size(dt, ratio), hmax)
            good = ratio <= 1
            accepted = (y1, f1, t + dt, t, fitted)
            y, f, t, last_t, polynomial = (
                tnp.where(good, new, old)
                for new, old in zip(accepted, (y, f, t, last_t, polynomial), strict=True)
            )
            # A NaN ratio is unusable, and its step size is NaN: the loop ends there.
            y = tnp.where(tnp.isnan(ratio), tnp.nan, y)
            polynomial = tnp.where(tnp.isnan(ratio), tnp.nan, polynomial)
            return steps + 1, (y, f, t, tnp.astype(next_dt, times.dtype), last_t, polynomial)

        _, carry = lax.while_loop(unfinished, step, (0, carry))
        _, _, t, _, last_t, polynomial = carry
        part = (target - last_t) / tnp.where(t == last_t, 1, t - last_t)
        return carry, tnp.polyval(polynomial, tnp.astype(part, y0.dtype))

    # Before the first step, the polynomial is the state at the start.
    polynomial = tnp.concatenate([tnp.zeros((4, *y0.shape), y0.dtype), y0[None]])
    polynomial = tnp.where(tnp.isnan(dt), tnp.nan, polynomial)
    _, solution = lax.scan(to_time, (y0, f0, start, dt, start, polynomial), times[1:])
    return tnp.concatenate([y0[None], solution])


def _adjoint(
    derivative: Derivative,
    options: Options,
    solution: Array,
    times: Array,
    args: list[Array],
    cotangents: Array,
) -> tuple[Array, Array, list[Any]]:
    """Return the cotangents of the state at the start, of the times, and of the parameters."""
    varying = [i for i, x in enumerate(args) if is_inexact(x.dtype)]

    def of_varying(y: Array, t: Array, *xs: Array) -> Array:
        whole = [*args]
        for place, x in zip(varying, xs, strict=True):
            whole[place] = x
        return derivative(y, t, *whole)

    parameters = [args[i] for i in varying]

    def backwards(state: Tree, minus_t: Array, *xs: Array) -> Tree:
        """Return the equation of state, adjoint and gradients, in time that runs backwards."""
        y, ct_y, _, _ = state
        slope, pull = treadle_autodiff.vjp(of_varying, y, -minus_t, *xs)
        of_y, of_t, *of_xs = pull(ct_y)
        return -slope, of_y, of_t, of_xs

    def interval(carry: Tree, part: Tree) -> tuple[Tree, Array]:
        ct_y, ct_start, ct_args = carry
        y, ct, end, start = part
        slope = of_varying(y, end, *parameters)
        ct_end = tnp.real(tnp.sum(ct * slope))
        ct_y = ct_y + ct
        state = (y, ct_y, tnp.zeros_like(times[0]), ct_args)
        rtol, atol, mxstep, hmax = options
        found = odeint(
            backwards,
            state,
            tnp.stack([-end, -start]),
            *parameters,
            rtol=rtol,
            atol=atol,
            mxstep=mxstep,
            hmax=hmax,
        )
        _, ct_y, ct_t, ct_args = tree_map(lambda x: x[1], found)
        return (ct_y, ct_start + ct_t - ct_end, ct_args), ct_end

    zero = tnp.zeros_like(times[0])
    first = (tnp.zeros_like(solution[0]), zero, [tnp.zeros_like(x) for x in parameters])
    parts = (solution[1:], cotangents[1:], times[1:], times[:-1])
    (ct_y, ct_start, ct_args), ct_times = lax.scan(interval, first, parts, reverse=True)
    of_args: list[Any] = [np.zeros(x.shape, float0) for x in args]
    for place, ct in zip(varying, ct_args, strict=True):
        of_args[place] = ct
    return ct_y + cotangents[0], tnp.concatenate([ct_start[None], ct_times]), of_args

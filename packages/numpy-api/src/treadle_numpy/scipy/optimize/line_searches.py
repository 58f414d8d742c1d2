"""The search along a line for a point that fulfils the strong Wolfe conditions.

Algorithm: Nocedal and Wright, Numerical Optimization (2006), algorithms 3.5 and 3.6, as one loop: a trial point either
is too high or behind the minimum, and bounds an interval, or is a better lower end. Each round takes one value and
gradient, so that searches that are vmapped advance together. Values that differ by no more than rounding count as
equal, after Hager and Zhang, SIAM J. Optim. 16 (2005) 170: near a minimum nothing else is left of the differences.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from treadle_ir import Array
from treadle_numpy.lax.control.loops import while_loop
from treadle_numpy.numpy.contraction.products import vdot
from treadle_numpy.numpy.dtypes.limits import finfo
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.arithmetic import divide, multiply, subtract
from treadle_numpy.numpy.ufuncs.kinds import isfinite
from treadle_numpy.numpy.ufuncs.logic import less
from treadle_numpy.numpy.ufuncs.powers import sqrt
from treadle_numpy.numpy.ufuncs.signs import abs

_DECREASE = 1e-4  # c1
_CURVATURE = 0.9  # c2
_MARGIN = 0.05  # of an interval, where an interpolated point is too close to its ends


class Point(NamedTuple):
    """A point on the line: its distance, the value and the slope there, and the gradient."""

    distance: Array
    value: Array
    slope: Array
    gradient: Array


class Search(NamedTuple):
    """The state of a search."""

    trial: Array  # the next distance
    low: Point  # the lowest point that has decreased enough
    high: Point  # the other end of the interval, once there is one
    bounded: Array  # there is one
    found: Array
    evaluations: Array | int


def line_search(
    value_and_gradient: Callable[[Array], tuple[Array, Array]],
    x: Array,
    value: Array,
    gradient: Array,
    direction: Array,
    first: Array,
    maxiter: int,
) -> Search:
    """Return the search from a point in a direction of descent; `low` is what was found."""
    slope = vdot(gradient, direction)
    start = Point(multiply(slope, 0), value, slope, gradient)
    rounding = multiply(abs(value), 2 * float(finfo(x.dtype).eps))

    def goes_on(state: Search) -> Array:
        return ~state.found & less(state.evaluations, maxiter)

    def advance(state: Search) -> Search:
        low, high, trial = state.low, state.high, state.trial
        f, g = value_and_gradient(x + multiply(trial, direction))
        here = Point(trial, f, vdot(g, direction), g)
        bound = value + _DECREASE * trial * slope + rounding
        # A value that is not a number is too high, so comparisons are with what is fine.
        too_high = ~((f <= bound) & ((f <= low.value) | (abs(subtract(f, low.value)) <= rounding)))
        found = ~too_high & (abs(here.slope) <= -_CURVATURE * slope)
        ahead = where(state.bounded, high.distance - low.distance, 1)
        behind = ~too_high & (here.slope * ahead >= 0)
        other = _choose(too_high, here, _choose(behind, low, high))
        lower = _choose(too_high, low, here)
        bounded = state.bounded | too_high | behind
        following = where(bounded, _interpolated(lower, other), 2 * trial)
        return Search(following, lower, other, bounded, found, state.evaluations + 1)

    no = slope != slope
    return while_loop(goes_on, advance, Search(first, start, start, isfinite(slope) & False, no, 0))


def _choose(condition: Array, x: Point, y: Point) -> Point:
    return Point(*[where(condition, a, b) for a, b in zip(x, y, strict=True)])


def _interpolated(low: Point, high: Point) -> Array:
    """Return the minimum of the cubic through both ends (equation 3.59), or the middle where that is of no use."""
    width = high.distance - low.distance
    secant = divide(high.value - low.value, width)
    mixed = low.slope + high.slope - 3 * secant
    root = sqrt(mixed * mixed - low.slope * high.slope)
    root = where(width < 0, -root, root)
    share = 1 - divide(high.slope + root - mixed, high.slope - low.slope + 2 * root)
    inside = (share >= _MARGIN) & (share <= 1 - _MARGIN)
    return low.distance + where(inside, share, 0.5) * width

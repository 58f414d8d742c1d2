"""Bessel functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from treadle_autodiff import custom_jvp
from treadle_ir import Array, DTypeError, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import integer, refused
from treadle_numpy.lax.control.loops import fori_loop
from treadle_numpy.lax.control.scan import scan
from treadle_numpy.numpy.ufuncs.bessel import i0
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.real import real_operand
from treadle_numpy.operands.scalars import literal, zero_like

__all__ = ["bessel_jn", "i0", "i0e", "i1", "i1e"]


@composed
def i0e(x: ArrayLike) -> Array:
    """Compute `exp(-|x|) i0(x)`, which does not overflow. Exact to 3 units in the last place.

    Example:
        >>> print(i0e(0.0))
        1.0
    """
    return ops.bessel_i0e(real_operand("i0e", x))


@composed
def i1e(x: ArrayLike) -> Array:
    """Compute `exp(-|x|) i1(x)`, which does not overflow. Exact to 10 units in the last place.

    Example:
        >>> print(i1e(0.0))
        0.0
    """
    return ops.bessel_i1e(real_operand("i1e", x))


@composed
def i1(x: ArrayLike) -> Array:
    """Return the modified Bessel function of the first kind and order 1.

    Example:
        >>> print(i1(0.0))
        0.0
    """
    p = real_operand("i1", x)
    return ops.multiply(ops.exponential(ops.abs(p)), ops.bessel_i1e(p))


_MOST: Final = 1 << 12  # orders and steps
_DOUBLINGS: Final = 40
_GREAT: Final = (
    2.0**_DOUBLINGS
)  # values of the recurrence are divided by it when they are beyond it
# The value of an order, the value of the order above, the sum so far, and how often they were divided.
State: TypeAlias = tuple[Array, Array, Array, Array]


@composed(loops=True)
def bessel_jn(z: ArrayLike, *, v: int, n_iter: int = 50) -> Array:
    """Return the Bessel functions of the first kind of orders 0 to `v`, along a new first axis.

    `n_iter` is the order at which the backward recurrence begins; it has to be well above `|z|`. Small `z` are
    right as well, also in float32. Derivatives are `(J[n - 1] - J[n + 1]) / 2`.

    Shapes:
        z: [*shape]
        result: [v + 1, *shape]

    Source: J. Miller, British Association Mathematical Tables X (1952): backward recurrence, normalised by the sum
        J[0] + 2 (J[2] + J[4] + ...) = 1.

    Example:
        >>> print(*[f"{float(x):.4f}" for x in bessel_jn(1.0, v=1)])
        0.7652 0.4401
    """
    v, n_iter = integer("bessel_jn", "v", v), integer("bessel_jn", "n_iter", n_iter)
    for name, value in (("v", v), ("n_iter", n_iter)):
        if not 0 <= value <= _MOST:
            raise refused("bessel_jn", name, f"0 to {_MOST}", value)
    p = real_operand("bessel_jn", z)
    if is_complex(p.dtype):
        raise DTypeError(
            "bessel_jn: z is complex, but real arguments are supported only", fix="pass `z.real`"
        )
    return _stacked(array_of(p), v, n_iter)


def _stacked(z: Array, orders: int, steps: int) -> Array:
    found = [ops.reshape(x, shape=(1, *z.shape)) for x in _bessel_jn(orders, steps)(z)]
    return ops.concatenate(found, dimension=0)


def _bessel_jn(orders: int, steps: int) -> Callable[[Operand], list[Array]]:
    """Return the functions of orders 0 to `orders`, in a list."""

    @partial(custom_jvp, pure=True)
    def function(z: Operand) -> list[Array]:
        return _recurrence(z, orders, max(steps, orders + 2))

    @function.defjvp
    def _jvp(
        primals: Sequence[Operand], tangents: Sequence[Operand]
    ) -> tuple[list[Array], list[Array]]:
        (z,), (dz,) = primals, tangents
        # J[n]' = (J[n - 1] - J[n + 1]) / 2, with J[-1] = -J[1]
        more = _bessel_jn(orders + 1, steps)(z)
        below = [ops.negate(more[1]), *more]
        half = ops.multiply(literal(0.5, z), dz)
        changes = [
            ops.multiply(half, ops.subtract(below[n], more[n + 1])) for n in range(orders + 1)
        ]
        return more[: orders + 1], changes

    function_: Callable[[Operand], list[Array]] = function
    return function_


def _recurrence(z: Operand, orders: int, start: int) -> list[Array]:
    """Two loops: of what is above the wanted orders, and of these. Written out, XLA would fuse ever longer terms."""
    zero, one = literal(0, z), literal(1, z)
    at_zero = ops.compare(z, zero_like(z), direction="eq")
    safe = ops.select(at_zero, one, z)
    nothing = ops.multiply(safe, zero)

    def lower(n: Array, state: State) -> State:
        """Step from the values of order n to the order below."""
        value, after, total, scalings = state
        even = ops.compare(ops.remainder(n, n.dtype.type(2)), n.dtype.type(0), direction="eq")
        last = ops.compare(n, n.dtype.type(0), direction="eq")
        share = ops.select(last, one, ops.select(even, literal(2, z), zero))
        total = ops.add(total, ops.multiply(share, value))
        factor = ops.divide(ops.multiply(literal(2, z), ops.convert(n, dtype=z.dtype)), safe)
        value, after = ops.subtract(ops.multiply(factor, value), after), value
        great = ops.compare(ops.abs(value), literal(_GREAT, z), direction="gt")
        scale = ops.select(great, literal(1 / _GREAT, z), one)
        scalings = ops.add(scalings, ops.select(great, one, zero))
        value, after, total = [ops.multiply(scale, x) for x in (value, after, total)]
        return value, after, total, scalings

    def above(i: Array, state: State) -> State:
        return lower(ops.subtract(i.dtype.type(start), i), state)

    def wanted(state: State, n: Array) -> tuple[State, tuple[Array, Array]]:
        return lower(n, state), (state[0], state[3])

    state = (ops.add(nothing, literal(1e-20, z)), nothing, nothing, nothing)
    state = fori_loop(0, start - orders, above, state)
    state, (values, scalings) = scan(wanted, state, np.arange(orders, -1, -1, dtype=np.int32))
    total, last = state[2:]
    results = []
    for n in range(orders + 1):
        value, before = values[orders - n], scalings[orders - n]
        since = ops.exponential2(ops.multiply(literal(-_DOUBLINGS, z), ops.subtract(last, before)))
        result = ops.divide(ops.multiply(value, since), total)
        results.append(ops.select(at_zero, one if n == 0 else zero, result))
    return results

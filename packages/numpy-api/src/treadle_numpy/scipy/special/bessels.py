"""Bessel functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from treadle_autodiff import custom_jvp
from treadle_ir import Array, DTypeError, Operand, composed, integer, ops, refused
from treadle_ir.dtypes import is_complex
from treadle_numpy.numpy.ufuncs.bessel import i0
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.real import real_operand
from treadle_numpy.operands.scalars import literal, zero_like

__all__ = ["bessel_jn", "i0", "i0e", "i1", "i1e"]


@composed
def i0e(x: ArrayLike) -> Array:
    """`exp(-|x|) i0(x)`, which does not overflow. Exact to 3 units in the last place.

    Example:
        >>> print(i0e(0.0))
        1.0
    """
    return ops.bessel_i0e(real_operand("i0e", x))


@composed
def i1e(x: ArrayLike) -> Array:
    """`exp(-|x|) i1(x)`, which does not overflow. Exact to 10 units in the last place.

    Example:
        >>> print(i1e(0.0))
        0.0
    """
    return ops.bessel_i1e(real_operand("i1e", x))


@composed
def i1(x: ArrayLike) -> Array:
    """The modified Bessel function of the first kind and order 1.

    Example:
        >>> print(i1(0.0))
        0.0
    """
    p = real_operand("i1", x)
    return ops.multiply(ops.exponential(ops.abs(p)), ops.bessel_i1e(p))


_MOST: Final = 1 << 12  # orders and steps: each is an operation of its own
_GREAT: Final = 1e12  # values of the recurrence are divided by it when they are beyond it


@composed
def bessel_jn(z: ArrayLike, *, v: int, n_iter: int = 50) -> Array:
    """The Bessel functions of the first kind of orders 0 to `v`, along a new first axis.

    `n_iter` is the order at which the backward recurrence begins; it has to be well above `|z|`. Small `z`, for which
    JAX has NaN in float32, are right as well. Derivatives are `(J[n - 1] - J[n + 1]) / 2`.

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
    """The functions of orders 0 to `orders`, in a list."""

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
    zero, one = literal(0, z), literal(1, z)
    at_zero = ops.compare(z, zero_like(z), direction="eq")
    safe = ops.select(at_zero, one, z)
    after: Operand = ops.multiply(safe, zero)
    value: Operand = ops.add(after, literal(1e-20, z))
    total: Operand = after
    found: list[Operand] = []
    for n in range(start, -1, -1):
        # value is that of order n
        if n % 2 == 0:
            total = ops.add(total, value if n == 0 else ops.multiply(literal(2, z), value))
        if n <= orders:
            found.append(value)
        factor = ops.divide(literal(2 * n, z), safe)
        value, after = ops.subtract(ops.multiply(factor, value), after), value
        great = ops.compare(ops.abs(value), literal(_GREAT, z), direction="gt")
        scale = ops.select(great, literal(1 / _GREAT, z), one)
        value, after, total = [ops.multiply(scale, x) for x in (value, after, total)]
        found = [ops.multiply(scale, x) for x in found]
    results = [ops.divide(x, total) for x in reversed(found)]
    return [
        ops.select(at_zero, one if n == 0 else zero, result) for n, result in enumerate(results)
    ]

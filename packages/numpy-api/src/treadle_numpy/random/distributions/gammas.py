"""Gamma floats and their logarithms, by rejection, with derivatives by the concentration.

Source: Marsaglia, Tsang, "A simple method for generating gamma variables" (2000). Each element has a key of its own,
from which it draws until a proposal is accepted; an element's number does not depend on its neighbours.

The derivative is the derivative of the inverse of the distribution function F at a fixed level: dx/da = -(dF/da) /
(dF/dx). Source: Figurnov, Mohamed, Mnih, "Implicit reparameterization gradients" (2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from treadle_autodiff import custom_jvp
from treadle_ir import ArgumentError, Array, DType, Operand, ops, type_of
from treadle_ir.calling import composed
from treadle_ir.core import dtypes
from treadle_ir.errors import names, shown
from treadle_numpy.lax.control.loops import while_loop
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.dtypes.limits import finfo
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import broadcast_to_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.dtypes import DTypeLike
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.real import coerce_real
from treadle_numpy.operands.shapes import Shape
from treadle_numpy.random.distributions.normal import normal_floats
from treadle_numpy.random.distributions.parameters import float_dtype, result_shape
from treadle_numpy.random.distributions.uniform import uniform_floats
from treadle_numpy.random.keys import KeyLike, single
from treadle_numpy.random.order import random_fold_in, random_split
from treadle_numpy.settings import THREEFRY_PARTITIONABLE

__all__ = ["gamma", "loggamma"]

_SQUEEZE = 0.0331  # below 1 - 0.0331 x**4 a proposal is accepted without logarithms


class _State(NamedTuple):
    """Of each element: the keys of its next proposals, of its next normal number and of its chance; its result.

    The result is 0 until there is one, which is positive or NaN. A separate flag could disagree with it: XLA may
    compute twice whether a proposal is accepted, with other roundings.
    """

    key: Array
    inner: Array
    chance: Array
    cube: Array


def keys_of_each(keys: Array, count: int) -> list[Array]:
    """Several keys made from each key of an array of typed keys: those that a split makes.

    By position, the cipher makes the n-th key of a split from the counter n, as it folds in n. One by one they need not
    be cut out of one array, for which XLA would compute it several times over.

    `unsafe_rbg` combines a number with a key by an exclusive or, so that folding in twice gives the first key again:
    its keys come from a split, or the search would go round in a circle.
    """
    if type_of(keys).dtype == dtypes.UNSAFE_RBG or not THREEFRY_PARTITIONABLE():
        parts = random_split(keys, (count,))
        last = len(keys.shape)
        return [
            ops.reshape(slice_along(parts, last, n, n + 1), shape=keys.shape) for n in range(count)
        ]
    return [random_fold_in(keys, np.uint32(number)) for number in range(count)]


def _cubes(keys: Array, shift: Array, scale: Array) -> Array:
    """Return the cube of `1 + scale * x` that Marsaglia and Tsang's method accepts, for each key.

    A step of the loop is one normal number x for each element: those where the cube would not be positive draw
    another x of the same proposal; those that are rejected begin a new proposal.
    """
    dtype = shift.dtype
    one, half = dtype.type(1), dtype.type(0.5)

    def step(state: _State) -> _State:
        again, drawn = keys_of_each(state.inner, 2)
        x = normal_floats(drawn, (), dtype)
        root = ops.add(one, ops.multiply(x, scale))
        outside = ops.compare(root, dtype.type(0), direction="le")
        square, cube = ops.square(x), ops.multiply(root, ops.square(root))
        u = uniform_floats(state.chance, (), dtype)
        squeezed = ops.subtract(one, ops.multiply(dtype.type(_SQUEEZE), ops.square(square)))
        inner = ops.add(ops.subtract(one, cube), ops.log(cube))
        bound = ops.add(ops.multiply(square, half), ops.multiply(shift, inner))
        rejected = ops.and_(  # comparisons with NaN are false: NaN ends the search
            ops.compare(u, squeezed, direction="ge"),
            ops.compare(ops.log(u), bound, direction="ge"),
        )
        first, second, third = keys_of_each(state.key, 3)
        accepted = ops.not_(ops.or_(outside, rejected))
        return _State(
            ops.select(outside, state.key, first),
            ops.select(outside, again, second),
            ops.select(outside, state.chance, third),
            ops.select(ops.and_(accepted, missing(state)), cube, state.cube),
        )

    def missing(state: _State) -> Array:
        return ops.compare(state.cube, dtype.type(0), direction="eq")

    def unfinished(state: _State) -> Array:
        return ops.reduce_or(missing(state), axes=tuple(range(state.cube.ndim)))

    # like the shift, batched and varying over devices, but 0 also where that is infinite
    zeros = ops.select(ops.is_finite(shift), ops.multiply(shift, dtype.type(0)), dtype.type(0))
    key, inner, chance = keys_of_each(keys, 3)
    start = _State(key, inner, chance, zeros)
    found: _State = while_loop(unfinished, step, start)
    return found.cube


def _drawn(keys: Array, concentration: Array, *, log_space: bool) -> Array:
    """Gamma floats, or their logarithms, for typed keys and concentrations of one shape.

    Concentrations below 1 are raised by 1, and the result is multiplied by u ** (1 / concentration).
    """
    dtype = concentration.dtype
    one, third = dtype.type(1), dtype.type(1 / 3)
    above = ops.compare(concentration, one, direction="ge")
    shift = ops.subtract(ops.select(above, concentration, ops.add(concentration, one)), third)
    first, second = keys_of_each(keys, 2)
    cube = _cubes(first, shift, ops.divide(third, ops.sqrt(shift)))
    u = uniform_floats(second, (), dtype)
    if log_space:
        boost = ops.divide(ops.log_plus_one(ops.negate(u)), concentration)
        none = ops.or_(above, ops.compare(u, dtype.type(0), direction="eq"))  # 0 / 0 is not a boost
        drawn = ops.add(
            ops.add(ops.log(shift), ops.log(cube)), ops.select(none, dtype.type(0), boost)
        )
    else:
        boost = ops.power(ops.subtract(one, u), ops.divide(one, concentration))
        drawn = ops.multiply(ops.multiply(shift, cube), ops.select(above, one, boost))
    # negative concentrations have no distribution; those above -1 would come out as numbers
    negative = ops.compare(concentration, dtype.type(0), direction="lt")
    return ops.select(negative, dtype.type(np.nan), drawn)


@partial(custom_jvp, pure=True)
def _gammas(keys: Array, concentration: Array) -> Array:
    return _drawn(keys, concentration, log_space=False)


@_gammas.defjvp
def _gammas_jvp(primals: Sequence[Array], tangents: Sequence[Operand]) -> tuple[Operand, Operand]:
    (keys, concentration), (_, rate) = primals, tangents
    drawn: Array = _gammas(keys, concentration)
    return drawn, ops.multiply(rate, ops.random_gamma_grad(concentration, drawn))


@partial(custom_jvp, pure=True)
def _log_gammas(keys: Array, concentration: Array) -> Array:
    return _drawn(keys, concentration, log_space=True)


@_log_gammas.defjvp
def _log_gammas_jvp(
    primals: Sequence[Array], tangents: Sequence[Operand]
) -> tuple[Operand, Operand]:
    # For small x, F(x) = x ** a / gamma(a + 1), so log x changes by (digamma(a + 1) - log x) / a: no underflow.
    (keys, a), (_, rate) = primals, tangents
    logarithm: Array = _log_gammas(keys, a)
    dtype = a.dtype
    one = dtype.type(1)
    tiny = ops.compare(logarithm, dtype.type(np.log(finfo(dtype).eps)), direction="lt")
    x = ops.select(tiny, one, ops.exponential(logarithm))
    far = ops.divide(ops.subtract(ops.digamma(ops.add(a, one)), logarithm), a)
    slope = ops.select(tiny, far, ops.divide(ops.random_gamma_grad(a, x), x))
    return logarithm, ops.multiply(rate, slope)


def gamma_floats(
    key: Array, a: ArrayLike, shape: tuple[int, ...], dtype: DType, *, log_space: bool = False
) -> Array:
    """`gamma` or `loggamma` from one key, typed or raw."""
    concentration = array_of(
        broadcast_to_shape(array_of(converted(coerce("gamma", 1, a), dtype)), shape)
    )
    typed = key if not key.ndim else ops.random_wrap(key)
    keys = random_split(typed, shape)
    drawn: Array = (_log_gammas if log_space else _gammas)(keys, concentration)
    return drawn


def exact_method(function: str, method: str) -> None:
    """Check an argument `method`, of which there is one value.

    Raises:
        ArgumentError: it is another.
    """
    names(function, method=method)
    if method != "exact":
        raise ArgumentError(
            f"{function}: the method {shown(method)} is not there",
            fix="leave it out: it is 'exact'",
        )


@composed(numbers=["a"], loops=True)
def gamma(
    key: KeyLike,
    a: ArrayLike,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    *,
    method: str = "exact",
    out_sharding: Device = None,
) -> Array:
    """Draw from the gamma distribution with concentration `a` and rate 1: density `x ** (a - 1) * exp(-x) / gamma(a)`.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Multiply by a scale for other rates. For small `a` most numbers underflow to 0: use `loggamma` there. It has
    derivatives by `a`. The same key gives JAX's numbers, up to rounding.

    Args:
        key: a random key.
        a: concentrations; negative values give NaN.
        shape: of the result; the shape of `a` if None. `a` must broadcast to it.
        dtype: a floating type; the default one if None.

    Raises:
        ArgumentError: the shapes do not broadcast, or the type is not a floating one.

    Source: Marsaglia, Tsang 2000; derivatives: Figurnov, Mohamed, Mnih 2018.

    Example:
        >>> from treadle_numpy.random import key
        >>> drawn = gamma(key(0), 2.0, (1000,))
        >>> bool(1.9 < drawn.mean() < 2.1)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(gamma, out_sharding, key, a, shape, dtype, method=method)
    exact_method("gamma", method)
    wanted = float_dtype("gamma", dtype)
    sizes = result_shape("gamma", shape, coerce_real("gamma", 1, a))
    return gamma_floats(single("gamma", key), a, sizes, wanted)


@composed(numbers=["a"], loops=True)
def loggamma(
    key: KeyLike,
    a: ArrayLike,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    *,
    method: str = "exact",
    out_sharding: Device = None,
) -> Array:
    """Logarithms of gamma floats of concentration `a` and rate 1; accurate where the floats would underflow.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    `exp(loggamma(key, a))` is `gamma(key, a)` up to rounding. It has derivatives by `a`. The same key gives JAX's
    numbers, up to rounding.

    Args:
        key: a random key.
        a: concentrations; negative values give NaN.
        shape: of the result; the shape of `a` if None. `a` must broadcast to it.
        dtype: a floating type; the default one if None.

    Raises:
        ArgumentError: the shapes do not broadcast, or the type is not a floating one.

    Source: Marsaglia, Tsang 2000; derivatives: Figurnov, Mohamed, Mnih 2018.

    Example:
        >>> from treadle_numpy.random import key
        >>> bool(loggamma(key(0), 1e-4) < -100)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(loggamma, out_sharding, key, a, shape, dtype, method=method)
    exact_method("loggamma", method)
    wanted = float_dtype("loggamma", dtype)
    sizes = result_shape("loggamma", shape, coerce_real("loggamma", 1, a))
    return gamma_floats(single("loggamma", key), a, sizes, wanted, log_space=True)

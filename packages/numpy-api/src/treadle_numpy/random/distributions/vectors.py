"""Distributions of vectors: points of balls, and counts of classes."""

from __future__ import annotations

from treadle_ir import ArgumentError, Array, ops
from treadle_ir.calling import composed
from treadle_numpy.lax.control.scan import scan
from treadle_numpy.numpy.manipulation.axes import moveaxis
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.ufuncs.arithmetic import divide
from treadle_numpy.numpy.ufuncs.powers import power
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import broadcast_to_shape, common_shape
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.real import coerce_real, real_operand
from treadle_numpy.operands.shapes import Shape, as_index, as_shape
from treadle_numpy.random.distributions.continuous import exponential
from treadle_numpy.random.distributions.counts import binomial_floats
from treadle_numpy.random.distributions.of_gammas import generalized_normal
from treadle_numpy.random.distributions.parameters import float_dtype, split_key
from treadle_numpy.random.keys import KeyLike, single
from treadle_numpy.random.order import random_split

__all__ = ["ball", "multinomial"]


@composed(numbers=["p"], loops=True)
def ball(
    key: KeyLike,
    d: int,
    p: ArrayLike = 2,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
    *,
    out_sharding: Device = None,
) -> Array:
    """Vectors of `d` elements, uniform in the ball of radius 1 of the `p` norm.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    The same key gives JAX's numbers, up to rounding.

    Shapes:
        result: [*shape, d]

    Args:
        key: a random key.
        d: the number of elements of a vector.
        p: the norm, a positive number; 2 is the Euclidean one.
        shape: of the vectors.
        dtype: a floating type; the default one if None.

    Raises:
        ArgumentError: `d` is not a size, or the type is not a floating one.

    Source: Barthe, Guédon, Mendelson, Naor, "A probabilistic approach to the geometry of the l_p^n ball" (2005).

    Example:
        >>> from treadle_numpy.random import key
        >>> points = ball(key(0), 3, shape=(1000,))
        >>> points.shape, bool(((points**2).sum(axis=-1) <= 1).all())
        ((1000, 3), True)
    """
    if out_sharding is not None:
        return with_out_sharding(ball, out_sharding, key, d, p, shape, dtype)
    wanted = float_dtype("ball", dtype)
    count = as_index("ball", "d", d)
    (*sizes, count) = as_shape("ball", (*as_shape("ball", shape), count))
    first, second = split_key(single("ball", key), 2)
    exponent = array_of(converted(coerce_real("ball", 2, p), wanted))
    drawn = generalized_normal(first, exponent, (*sizes, count), wanted)
    beyond = exponential(second, sizes, wanted)
    lengths = ops.add(sum(power(ops.abs(drawn), exponent), axis=-1), beyond)
    radius = power(lengths, divide(wanted.type(1), exponent))
    return divide(drawn, ops.reshape(radius, shape=(*sizes, 1)))


@composed(numbers=["n", "p"], loops=True)
def multinomial(
    key: KeyLike,
    n: ArrayLike,
    p: ArrayLike,
    *,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    unroll: int | bool = 1,
) -> Array:
    """Multinomial numbers, as floats: how many of `n` trials fall into each class.

    Each class takes a binomial number of the trials that are left. The same key gives JAX's numbers, as `binomial`.

    Shapes:
        n: [*batch]
        p: [*batch, classes]
        result: [*shape, classes], or the shape of p

    Args:
        key: a random key.
        n: numbers of trials.
        p: probabilities of the classes along the last axis; they are divided by their sum.
        shape: the batch shape of the result, without the axis of classes, to which `n` and the batch of `p`
            broadcast; the batch shape of `p` if None.
        dtype: an element type; the default floating one if None.
        unroll: how many classes an iteration of the loop over them takes, or whether there is no loop.

    Raises:
        ArgumentError: `p` has no axes; ShapeError: the shapes do not broadcast.

    Example:
        >>> import numpy as np
        >>> from treadle_numpy.random import key
        >>> counts = multinomial(key(0), 10, np.array([0.2, 0.3, 0.5]))
        >>> counts.shape, float(counts.sum())
        ((3,), 10.0)
    """
    wanted = as_dtype("multinomial", float if dtype is None else dtype)
    chances = real_operand("multinomial", p)
    trials = coerce_real("multinomial", 1, n)
    if not chances.shape:
        raise ArgumentError(
            "multinomial: p must have at least one axis, got a scalar",
            fix="pass the probabilities of the classes along the last axis",
        )
    *batch, classes = chances.shape
    sizes = tuple(batch) if shape is None else as_shape("multinomial", shape)
    if common_shape("multinomial", [sizes, trials.shape, tuple(batch)]) != sizes:
        raise ArgumentError(
            f"multinomial: n of shape {trials.shape} and p of shape {chances.shape} do not broadcast to "
            f"the batch shape {sizes}",
            fix="pass the batch shape of the result as `shape`, without the axis of classes",
        )
    raw = array_of(chances)
    own_dtype = raw.dtype
    shares = ops.stop_gradient(divide(raw, sum(raw, axis=-1, keepdims=True)))
    shares = moveaxis(array_of(broadcast_to_shape(shares, (*sizes, classes))), -1, 0)
    keys = random_split(single("multinomial", key), (classes,))
    one, zero = own_dtype.type(1), own_dtype.type(0)
    left = array_of(broadcast_to_shape(array_of(converted(trials, own_dtype)), sizes))
    rests = ops.cumulative_add(
        shares, axis=0, reverse=True
    )  # the last class takes all that is left

    def step(left: Array, each: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        key, share, rest = each
        possible = ops.compare(rest, zero, direction="gt")
        chance = ops.select(possible, ops.divide(share, ops.select(possible, rest, one)), zero)
        taken = binomial_floats(key, left, chance)
        return ops.subtract(left, taken), taken

    _, counts = scan(step, ops.stop_gradient(left), (keys, shares, rests), unroll=unroll)
    return array_of(converted(moveaxis(counts, 0, -1), wanted))

"""Distributions of integers and booleans."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from treadle_ir import ArgumentError, Array, DType, DTypeError, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import BY_NAME, is_bool, is_floating, is_integer
from treadle_numpy.numpy.dtypes.limits import iinfo
from treadle_numpy.operands.broadcast import broadcast_to_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.real import real_operand
from treadle_numpy.operands.shapes import Shape, as_shape
from treadle_numpy.random.distributions.parameters import (
    is_high,
    parameter,
    result_shape,
    split_key,
)
from treadle_numpy.random.distributions.uniform import uniform_floats, uniform_parts
from treadle_numpy.random.keys import KeyLike, single
from treadle_numpy.random.order import random_bits

__all__ = ["bernoulli", "geometric", "rademacher", "randint"]

_INT32 = BY_NAME["i32"]


@composed
def bernoulli(
    key: KeyLike,
    p: ArrayLike = 0.5,
    shape: Shape | None = None,
    mode: str = "low",
    *,
    out_sharding: Device = None,
) -> Array:
    """Draw booleans that are true with probability `p`.

    Args:
        key: a random key.
        p: the probability; it broadcasts to the shape.
        shape: the shape of the result; the default is the shape of `p`.
        mode: "low", or "high": draw twice as many bits, for probabilities below the step of floats.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Raises:
        ArgumentError: there is no such mode.

    Example:
        >>> from treadle_numpy.random import key
        >>> bool(0.25 < bernoulli(key(0), 0.3, (2000,)).mean() < 0.35)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(bernoulli, out_sharding, key, p, shape, mode)
    high = is_high("bernoulli", mode)
    chance = real_operand("bernoulli", p)
    dtype = chance.dtype
    sizes = result_shape("bernoulli", shape, chance)
    one = single("bernoulli", key)
    floats = (
        ops.add(*uniform_parts(one, sizes, dtype)) if high else uniform_floats(one, sizes, dtype)
    )
    return ops.compare(floats, parameter(chance, dtype, sizes), direction="lt")


@composed
def rademacher(
    key: KeyLike, shape: Shape = (), dtype: DTypeLike | None = None, *, out_sharding: Device = None
) -> Array:
    """-1 or 1, each with probability 1/2.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> from treadle_numpy.random import key
        >>> bool((abs(rademacher(key(0), (5,))) == 1).all())
        True
    """
    if out_sharding is not None:
        return with_out_sharding(rademacher, out_sharding, key, shape, dtype)
    wanted = as_dtype("rademacher", int if dtype is None else dtype)
    if wanted.names is not None:
        raise DTypeError(f"rademacher: {wanted} has no numbers")
    heads = bernoulli(key, 0.5, as_shape("rademacher", shape))
    tails = np.asarray(-1).astype(wanted)[()]  # the greatest of unsigned integers
    return ops.select(heads, wanted.type(1), tails)


def _whole(position: int, bound: ArrayLike) -> ArrayLike:
    """Return a bound as an integer; of floats and booleans, what they convert to as the default integers."""
    operand = coerce("randint", position, bound)
    own = operand_type(operand).dtype
    if is_integer(own):
        return bound
    if not (is_floating(own) or is_bool(own)):
        raise ArgumentError(f"randint: minval and maxval must be real numbers, got {own}")
    return ops.convert(operand, dtype=default_dtype(int))


@composed
def randint(
    key: KeyLike,
    shape: Shape,
    minval: ArrayLike,
    maxval: ArrayLike,
    dtype: DTypeLike | None = None,
    *,
    out_sharding: Device = None,
) -> Array:
    """Draw integers from the uniform distribution over [minval, maxval), up to a bias below 2 ** -32.

    Args:
        key: a random key.
        shape: the shape of the result.
        minval: the lower bound, inclusive; it broadcasts to the shape. Fractions of the bounds are truncated.
        maxval: the upper bound, exclusive; it broadcasts to the shape.
        dtype: an integer dtype; the default is the default integer dtype.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Raises:
        ArgumentError: the element type is not an integer.
        ArgumentError: a bound is not a real number, or does not broadcast to the shape.

    Example:
        >>> from treadle_numpy.random import key
        >>> randint(key(0), (3,), 0, 10).shape
        (3,)
    """
    if out_sharding is not None:
        return with_out_sharding(randint, out_sharding, key, shape, minval, maxval, dtype)
    wanted = as_dtype("randint", int if dtype is None else dtype)
    if not is_integer(wanted):
        raise ArgumentError(f"dtype argument to `randint` must be an integer dtype, got {wanted}")
    sizes = as_shape("randint", shape)
    minval, maxval = _whole(2, minval), _whole(3, maxval)
    limits = iinfo(wanted)
    low, high, beyond = (
        _bound(minval, wanted, limits),
        _bound(maxval, wanted, limits),
        _beyond(maxval, wanted, limits),
    )
    if low.shape or high.shape:
        sizes = result_shape("randint", sizes, low, high)
        low, high = (broadcast_to_shape(x, sizes) for x in (low, high))
    # narrow integers are drawn with 32 bits, so that the bias stays small
    width = max(32, wanted.itemsize * 8)
    unsigned = BY_NAME[f"u{width}"]
    if wanted.itemsize < 4:
        low, high = ops.convert(low, dtype=_INT32), ops.convert(high, dtype=_INT32)
    first, second = split_key(single("randint", key), 2)
    upper, lower = random_bits(first, sizes, width), random_bits(second, sizes, width)

    def as_unsigned(x: Operand) -> Operand:
        return x if x.dtype == unsigned else ops.bitcast_convert(x, dtype=unsigned)

    span = as_unsigned(ops.subtract(high, low))
    span = ops.select(ops.compare(high, low, direction="le"), unsigned.type(1), span)
    wider = ops.and_(beyond, ops.compare(high, low, direction="gt"))
    span = ops.select(wider, ops.add(span, unsigned.type(1)), span)
    # 2 ** width mod span, in two steps that do not overflow; a span of 0 stands for 2 ** width
    root = ops.remainder(unsigned.type(1 << (width // 2)), span)
    factor = ops.remainder(ops.multiply(root, root), span)
    mixed = ops.add(ops.multiply(ops.remainder(upper, span), factor), ops.remainder(lower, span))
    offset = ops.remainder(mixed, span)
    own = low.dtype
    result = ops.add(low, offset if own == unsigned else ops.bitcast_convert(offset, dtype=own))
    return result if own == wanted else ops.convert(result, dtype=wanted)


def _bound(value: ArrayLike, dtype: DType, limits: ml_dtypes.iinfo) -> Operand:
    """Return a bound of integers, cut to what the element type can hold."""
    if isinstance(value, int):
        bound: np.generic = dtype.type(min(max(value, int(limits.min)), int(limits.max)))
        return bound
    operand = coerce("randint", 2, value)
    own = iinfo(operand.dtype)
    low, high = max(int(limits.min), int(own.min)), min(int(limits.max), int(own.max))
    kept = ops.clamp(operand.dtype.type(low), operand, operand.dtype.type(high))
    return converted(kept, dtype)


def _beyond(value: ArrayLike, dtype: DType, limits: ml_dtypes.iinfo) -> Operand:
    """Return whether the upper bound lies above what the element type can hold."""
    if isinstance(value, int):
        return np.bool_(value > int(limits.max))
    operand = coerce("randint", 3, value)
    own = iinfo(operand.dtype)
    if int(own.max) <= int(limits.max):
        return np.bool_(False)
    return ops.compare(operand, operand.dtype.type(int(limits.max)), direction="gt")


@composed
def geometric(
    key: KeyLike,
    p: ArrayLike,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    *,
    out_sharding: Device = None,
) -> Array:
    """Return the number of trials up to the first success.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Raises:
        ArgumentError: the element type is not an integer.

    Example:
        >>> from treadle_numpy.random import key
        >>> bool(3.8 < geometric(key(0), 0.25, (2000,)).mean() < 4.2)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(geometric, out_sharding, key, p, shape, dtype)
    whole = as_dtype("geometric", int if dtype is None else dtype)
    if not is_integer(whole):
        raise ArgumentError(f"dtype argument to `geometric` must be an int dtype, got {whole}")
    chance = real_operand("geometric", p)
    own = chance.dtype
    sizes = result_shape("geometric", shape, chance)
    u = uniform_floats(single("geometric", key), sizes, own)
    trials = ops.divide(ops.log(u), ops.log_plus_one(ops.negate(parameter(chance, own, sizes))))
    return ops.convert(ops.add(ops.floor(trials), own.type(1)), dtype=whole)

"""Random order and random choice."""

from __future__ import annotations

import math

from treadle_ir import ArgumentError, Array, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_integer, is_key
from treadle_ir.errors import flags, shown
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.creation.ranges import arange
from treadle_numpy.numpy.manipulation.axes import moveaxis
from treadle_numpy.numpy.manipulation.broadcasting import broadcast_to
from treadle_numpy.numpy.manipulation.shapes import reshape
from treadle_numpy.numpy.reductions.positions import argmax
from treadle_numpy.numpy.reductions.running import cumsum
from treadle_numpy.numpy.searching.sorted_vectors import searchsorted
from treadle_numpy.numpy.sorting import argsort, top_k
from treadle_numpy.numpy.taking import take
from treadle_numpy.numpy.ufuncs.arithmetic import add, multiply
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.broadcast import common_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce, host_elements
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.real import real_operand
from treadle_numpy.operands.sequences import array_from
from treadle_numpy.operands.shapes import Shape, as_shape
from treadle_numpy.random.distributions.continuous import gumbel_floats
from treadle_numpy.random.distributions.discrete import randint
from treadle_numpy.random.distributions.parameters import is_high, split_key
from treadle_numpy.random.distributions.uniform import uniform_floats
from treadle_numpy.random.keys import KeyLike, single
from treadle_numpy.random.order import random_bits

__all__ = ["categorical", "choice", "permutation"]


def _shuffled(key: Array, x: Array, axis: int) -> Array:
    """Each vector along an axis in random order: sorted by random numbers, often enough that ties do not matter."""
    rounds = math.ceil(3 * math.log(max(1, x.size)) / math.log(2**32 - 1))
    for _ in range(rounds):
        key, here = split_key(key, 2)
        order = random_bits(here, x.shape, 32)
        x = ops.sort([order, x], dimension=axis, num_keys=1, stable=True)[1]
    return x


def _known_count(function: str, x: ArrayLike) -> int:
    """Return the number of integers to choose from, given as an integer."""
    elements = host_elements(coerce(function, 1, x))
    if elements is None:
        raise ArgumentError(
            f"{function}: the number of integers must be known while tracing",
            fix="pass a Python integer, or mark the argument static",
        )
    if elements.size != 1 or elements.dtype.kind not in "biu":
        raise ArgumentError(
            f"{function}: expected an array, or how many integers to choose from, got {shown(x)}"
        )
    return int(elements.reshape(()))


@composed
def permutation(
    key: KeyLike,
    x: ArrayLike,
    axis: int = 0,
    independent: bool = False,
    *,
    out_sharding: Device = None,
) -> Array:
    """Shuffle `x` along an axis, or the integers below it.

    Args:
        key: a random key.
        x: an array, or an integer.
        axis: the axis to shuffle.
        independent: shuffle each vector along the axis by itself, instead of whole slices.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Returns:
        An array with the shape and dtype of `x`; a vector of integers if `x` is an integer.

    Raises:
        ArgumentError: `x` is a number, but not an integer, or is being traced.

    Example:
        >>> from treadle_numpy.random import key
        >>> sorted(permutation(key(0), 3).tolist())
        [0, 1, 2]
    """
    if out_sharding is not None:
        return with_out_sharding(permutation, out_sharding, key, x, axis, independent)
    flags("permutation", independent=independent)
    one = single("permutation", key)
    operand = array_from("permutation", x, None)
    if not operand.ndim:
        if not is_integer(operand.dtype):
            raise ArgumentError("x must be an integer or at least 1-dimensional")
        return _shuffled(one, arange(_known_count("permutation", x)), 0)
    along = as_axis("permutation", axis, operand.ndim)
    if independent or (operand.ndim == 1 and not is_key(operand.dtype)):  # keys cannot be sorted
        return _shuffled(one, operand, along)
    order = _shuffled(one, arange(operand.shape[along]), 0)
    return take(operand, order, along, mode="clip")


@composed
def categorical(
    key: KeyLike,
    logits: ArrayLike,
    axis: int = -1,
    shape: Shape | None = None,
    replace: bool = True,
    mode: str | None = None,
    *,
    out_sharding: Device = None,
) -> Array:
    """Draw positions along an axis, with probabilities that are the softmax of `logits`.

    Args:
        key: a random key.
        logits: unnormalised logarithms of probabilities.
        axis: the axis of the categories.
        shape: the shape of the result; it ends in the shape of `logits` without the axis, which is the default.
        replace: whether a position may be drawn several times.
        mode: "low", or "high": draw more bits, for small probabilities.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Returns:
        Integers.

    Raises:
        ArgumentError: the shape does not end in the shape of the logits, or replacement is needed for so many.

    Example:
        >>> import numpy as np
        >>> from treadle_numpy.random import key
        >>> print(categorical(key(0), np.array([0.0, -np.inf], np.float32)))
        0
    """
    if out_sharding is not None:
        return with_out_sharding(categorical, out_sharding, key, logits, axis, shape, replace, mode)
    flags("categorical", replace=replace)
    high = is_high("categorical", mode)
    operand = real_operand("categorical", logits)
    x = array_of(operand)
    along = as_axis("categorical", axis, x.ndim)
    batch = x.shape[:along] + x.shape[along + 1 :]
    sizes = batch if shape is None else as_shape("categorical", shape)
    extra = len(sizes) - len(batch)
    if extra < 0 or common_shape("categorical", [sizes, batch]) != sizes:
        raise ArgumentError(
            f"categorical: the shape {sizes} does not end in the batch shape {batch} of the logits"
        )
    one = single("categorical", key)
    if replace:
        # the noise has the logits' own axis order, behind the extra axes
        inner = list(sizes[extra:])
        inner.insert(along, x.shape[along])
        noise = gumbel_floats(one, (*sizes[:extra], *inner), x.dtype, high)
        return argmax(add(noise, broadcast_to(x, (*sizes[:extra], *inner))), axis=extra + along)
    noisy = ops.add(gumbel_floats(one, x.shape, x.dtype, high), x)
    count = 1
    for n in sizes[:extra]:
        count *= n
    if count > x.shape[along]:
        raise ArgumentError(f"categorical: {count} draws without replacement from {x.shape[along]}")
    _, places = top_k(moveaxis(noisy, along, -1), count)
    return reshape(moveaxis(places, -1, 0), sizes)


@composed
def choice(
    key: KeyLike,
    a: ArrayLike,
    shape: Shape = (),
    replace: bool = True,
    p: ArrayLike | None = None,
    axis: int = 0,
    mode: str | None = None,
) -> Array:
    """Draw elements of `a`, or of the integers below it, with or without replacement.

    Args:
        key: a random key.
        a: an array, or an integer.
        shape: the shape of the draw.
        replace: whether an element may be drawn several times.
        p: the probability of each element, a vector; the default is uniform.
        axis: the axis of `a` whose elements are drawn.
        mode: "low", or "high": draw more bits, for small probabilities.

    Returns:
        An array with the dtype of `a`, in whose shape `shape` replaces the axis.

    Raises:
        ArgumentError: there are fewer elements than are drawn, or `p` has another shape.
        ArgumentError: the number of integers is being traced.

    Example:
        >>> from treadle_numpy.random import key
        >>> choice(key(0), 10, (3,), replace=False).shape
        (3,)
    """
    flags("choice", replace=replace)
    high = is_high("choice", mode)
    one = single("choice", key)
    sizes = as_shape("choice", shape)
    pool = array_from("choice", a, None)
    along = as_axis("choice", axis, pool.ndim) if pool.ndim else 0
    count = pool.shape[along] if pool.ndim else _known_count("choice", a)
    draws = 1
    for n in sizes:
        draws *= n
    if draws and count <= 0:
        raise ArgumentError("a must be greater than 0 unless no samples are taken")
    if not replace and draws > count:
        raise ArgumentError(
            f"Cannot take a larger sample (size {draws}) than population (size {count}) when 'replace=False'"
        )
    if p is None:
        if replace:
            places = randint(key, sizes, 0, count)
        elif pool.ndim:
            mixed = permutation(key, pool, along)
            result = slice_along(mixed, along, 0, draws)
            return reshape(result, pool.shape[:along] + sizes + pool.shape[along + 1 :])
        else:
            places = reshape(slice_along(permutation(key, count), 0, 0, draws), sizes)
    else:
        weights = real_operand("choice", p)
        weights = array_of(weights)
        if weights.shape != (count,):
            raise ArgumentError(
                f"p must be None or a 1D vector with the same size as a.shape[axis]. p has shape {weights.shape} and "
                f"a.shape[axis] is {count}."
            )
        dtype = weights.dtype
        if replace:
            sums = cumsum(weights)
            total = ops.reshape(slice_along(sums, 0, count - 1, count), shape=())
            drawn = multiply(total, ops.subtract(dtype.type(1), uniform_floats(one, sizes, dtype)))
            places = searchsorted(sums, drawn)
        else:
            noisy = ops.add(gumbel_floats(one, (count,), dtype, high), ops.log(weights))
            places = reshape(slice_along(argsort(ops.negate(noisy)), 0, 0, draws), sizes)
    if not pool.ndim:
        return array_of(converted(places, default_dtype(int)))
    return take(pool, places, along, mode="clip")

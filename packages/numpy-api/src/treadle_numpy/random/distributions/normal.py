"""Normal floats, and what is made of them."""

from __future__ import annotations

import math

import numpy as np

from treadle_ir import Array, DType, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex, real_part
from treadle_numpy.numpy.searching.choosing import where as where_
from treadle_numpy.numpy.ufuncs.arithmetic import add, divide, multiply
from treadle_numpy.numpy.ufuncs.logic import less_equal
from treadle_numpy.numpy.ufuncs.powers import sqrt, square
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.real import coerce_real
from treadle_numpy.operands.shapes import Shape, as_shape
from treadle_numpy.random.distributions.discrete import rademacher
from treadle_numpy.random.distributions.parameters import (
    float_dtype,
    parameter,
    result_shape,
    split_key,
)
from treadle_numpy.random.distributions.uniform import uniform_floats
from treadle_numpy.random.keys import KeyLike, single

__all__ = [
    "double_sided_maxwell",
    "lognormal",
    "maxwell",
    "normal",
    "truncated_normal",
    "wald",
]


def normal_floats(key: Array, shape: tuple[int, ...], dtype: DType) -> Array:
    """Apply `normal` for a real element type, with one key, typed or raw."""
    low = np.nextafter(np.asarray(-1.0, dtype), np.asarray(0.0, dtype), dtype=dtype)[()]
    return ops.multiply(
        ops.erf_inv(uniform_floats(key, shape, dtype, low, dtype.type(1))), dtype.type(np.sqrt(2))
    )


@composed
def normal(
    key: KeyLike, shape: Shape = (), dtype: DTypeLike | None = None, *, out_sharding: Device = None
) -> Array:
    """Draw from the standard normal distribution: floats with mean 0 and variance 1.

    Complex numbers have independent real and imaginary parts of variance 1/2.

    Args:
        key: a random key.
        shape: the shape of the result.
        dtype: a floating or complex dtype; the default is the default floating dtype.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> from treadle_numpy.random import key
        >>> normal(key(0), (2, 3)).shape
        (2, 3)
    """
    if out_sharding is not None:
        return with_out_sharding(normal, out_sharding, key, shape, dtype)
    wanted = as_dtype("normal", float if dtype is None else dtype)
    sizes, key = as_shape("normal", shape), single("normal", key)
    if is_complex(wanted):
        first, second = split_key(key, 2)
        part = real_part(wanted)
        half = part.type(np.sqrt(2))
        real, imag = normal_floats(first, sizes, part), normal_floats(second, sizes, part)
        return ops.complex(ops.divide(real, half), ops.divide(imag, half))
    return normal_floats(key, sizes, float_dtype("normal", wanted))


@composed
def truncated_normal(
    key: KeyLike,
    lower: ArrayLike,
    upper: ArrayLike,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    *,
    out_sharding: Device = None,
) -> Array:
    """Draw from the standard normal distribution between two bounds.

    Args:
        key: a random key.
        lower: the lower bounds.
        upper: the upper bounds.
        shape: the shape of the result, to which the bounds broadcast; by default their broadcast shape.
        dtype: a floating dtype; the default float if None.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> from treadle_numpy.random import key
        >>> bool((abs(truncated_normal(key(0), -1.0, 1.0, (2000,))) <= 1).all())
        True
    """
    if out_sharding is not None:
        return with_out_sharding(truncated_normal, out_sharding, key, lower, upper, shape, dtype)
    wanted = float_dtype("truncated_normal", dtype)
    a, b = coerce_real("truncated_normal", 1, lower), coerce_real("truncated_normal", 2, upper)
    sizes = result_shape("truncated_normal", shape, a, b)
    low, high = parameter(a, wanted, sizes), parameter(b, wanted, sizes)
    root = wanted.type(np.sqrt(2))
    u = uniform_floats(
        single("truncated_normal", key),
        sizes,
        wanted,
        ops.erf(ops.divide(low, root)),
        ops.erf(ops.divide(high, root)),
    )
    drawn = ops.multiply(ops.erf_inv(u), root)
    return ops.clamp(
        ops.next_after(low, wanted.type(np.inf)), drawn, ops.next_after(high, wanted.type(-np.inf))
    )


@composed
def lognormal(
    key: KeyLike,
    sigma: ArrayLike = 1.0,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    *,
    out_sharding: Device = None,
) -> Array:
    """Return the exponential of normal floats with standard deviation `sigma`.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> from treadle_numpy.random import key
        >>> bool(0.9 < (lognormal(key(0), shape=(2000,)) < 1).mean() / 0.5 < 1.1)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(lognormal, out_sharding, key, sigma, shape, dtype)
    wanted = float_dtype("lognormal", dtype)
    scale = coerce_real("lognormal", 1, sigma)
    sizes = result_shape("lognormal", shape, scale)
    drawn = normal_floats(single("lognormal", key), sizes, wanted)
    return ops.exponential(ops.multiply(drawn, parameter(scale, wanted, sizes)))


@composed
def maxwell(
    key: KeyLike, shape: Shape = (), dtype: DTypeLike | None = None, *, out_sharding: Device = None
) -> Array:
    """Maxwell floats: the length of a normal vector of three elements.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> from treadle_numpy.random import key
        >>> bool(1.55 < maxwell(key(0), (2000,)).mean() < 1.65)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(maxwell, out_sharding, key, shape, dtype)
    wanted = float_dtype("maxwell", dtype)
    sizes = as_shape("maxwell", shape)
    # drawn in a row: XLA on the CPU does not vectorise over a last axis of three
    row = normal_floats(single("maxwell", key), (math.prod(sizes) * 3,), wanted)
    drawn = ops.reshape(row, shape=(*sizes, 3))
    return ops.sqrt(ops.reduce_add(ops.square(drawn), axes=(len(sizes),)))


@composed
def double_sided_maxwell(
    key: KeyLike,
    loc: ArrayLike,
    scale: ArrayLike,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
) -> Array:
    """Double-sided Maxwell floats: `loc + scale * m`, where m is a Maxwell float of either sign.

    Their density is proportional to `z ** 2 * exp(-z ** 2 / 2)` of `z = (x - loc) / scale`. The same key gives JAX's
    numbers, up to rounding.

    Args:
        key: a random key.
        loc: where the density is 0, between its two sides.
        scale: by how much the numbers are stretched.
        shape: of the draws; the result has what `loc` and `scale` broadcast to behind it.
        dtype: a floating type; the default one if None.

    Raises:
        ArgumentError: the type is not a floating one; ShapeError: `loc` and `scale` do not broadcast.

    Example:
        >>> from treadle_numpy.random import key
        >>> drawn = double_sided_maxwell(key(0), 1.0, 2.0, (2000,))
        >>> bool(0.7 < drawn.mean() < 1.3)
        True
    """
    wanted = float_dtype("double_sided_maxwell", dtype)
    place, factor = [
        coerce_real("double_sided_maxwell", i + 1, x) for i, x in enumerate((loc, scale))
    ]
    sizes = as_shape("double_sided_maxwell", shape) + result_shape(
        "double_sided_maxwell", None, place, factor
    )
    first, second = split_key(single("double_sided_maxwell", key), 2)
    signed = multiply(maxwell(first, sizes, wanted), rademacher(second, sizes, wanted))
    return add(multiply(signed, converted(factor, wanted)), converted(place, wanted))


@composed
def wald(
    key: KeyLike,
    mean: ArrayLike,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    *,
    out_sharding: Device = None,
) -> Array:
    """Wald (inverse Gaussian) floats of a mean and shape parameter 1.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    The same key gives JAX's numbers, up to rounding, of which JAX's have more: they lose digits as means grow.

    Args:
        key: a random key.
        mean: the means, positive.
        shape: of the result; the shape of `mean` if None.
        dtype: a floating type; the default one if None.

    Raises:
        ArgumentError: the shapes do not broadcast, or the type is not a floating one.

    Source: Michael, Schucany, Haas, "Generating random variates using transformations with multiple roots" (1976).

    Example:
        >>> from treadle_numpy.random import key
        >>> drawn = wald(key(0), 0.5, (2000,))
        >>> bool(0.45 < drawn.mean() < 0.55)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(wald, out_sharding, key, mean, shape, dtype)
    wanted = float_dtype("wald", dtype)
    operand = coerce_real("wald", 1, mean)
    sizes = result_shape("wald", shape, operand)
    center = parameter(operand, wanted, sizes)
    first, second = split_key(single("wald", key), 2)
    squared = multiply(center, square(normal_floats(first, sizes, wanted)))
    # The smaller root of the quadratic equation; the larger one is center ** 2 over it. Written as a difference, as in
    # the source, it loses all digits where the mean is large.
    half = multiply(squared, wanted.type(0.5))
    root = divide(center, add(add(half, wanted.type(1)), sqrt(add(squared, square(half)))))
    u = uniform_floats(second, sizes, wanted)
    smaller = less_equal(u, divide(center, add(center, root)))
    return array_of(where_(smaller, root, divide(square(center), root)))

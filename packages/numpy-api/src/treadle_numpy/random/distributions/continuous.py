"""Other distributions of floats, each by the inverse of its distribution function."""

from __future__ import annotations

import numpy as np

from treadle_ir import Array, DType, ops
from treadle_ir.calling import composed
from treadle_numpy.numpy.dtypes.limits import finfo
from treadle_numpy.numpy.ufuncs.arithmetic import add, multiply, subtract
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.dtypes import DTypeLike
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.real import coerce_real
from treadle_numpy.operands.shapes import Shape, as_shape
from treadle_numpy.random.distributions.parameters import (
    float_dtype,
    is_high,
    parameter,
    result_shape,
)
from treadle_numpy.random.distributions.uniform import uniform_floats, uniform_parts
from treadle_numpy.random.keys import KeyLike, single

__all__ = [
    "cauchy",
    "exponential",
    "gumbel",
    "laplace",
    "logistic",
    "pareto",
    "rayleigh",
    "triangular",
    "weibull_min",
]


@composed
def gumbel(
    key: KeyLike,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
    mode: str | None = None,
    *,
    out_sharding: Device = None,
) -> Array:
    """Draw from the standard Gumbel distribution: `-log(-log(u))` for uniform `u`.

    Args:
        key: a random key.
        shape: the shape of the result.
        dtype: a floating dtype; the default float if None.
        mode: "low", or "high": draw twice as many bits; the largest numbers are about twice as large.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> from treadle_numpy.random import key
        >>> bool(0.5 < gumbel(key(0), (2000,)).mean() < 0.65)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(gumbel, out_sharding, key, shape, dtype, mode)
    high = is_high("gumbel", mode)
    return gumbel_floats(
        single("gumbel", key), as_shape("gumbel", shape), float_dtype("gumbel", dtype), high
    )


def gumbel_floats(key: Array, shape: tuple[int, ...], dtype: DType, high: bool = False) -> Array:
    """Apply `gumbel` from one key, typed or raw."""
    tiny = dtype.type(finfo(dtype).tiny)
    if high:
        coarse, fine = uniform_parts(key, shape, dtype)
        rest = ops.multiply(fine, ops.subtract(dtype.type(1), coarse))
        u = ops.maximum(ops.add(coarse, rest), tiny)
        return ops.negate(ops.log(ops.negate(ops.log_plus_one(ops.negate(u)))))
    return ops.negate(
        ops.log(ops.negate(ops.log(uniform_floats(key, shape, dtype, tiny, dtype.type(1)))))
    )


@composed
def exponential(
    key: KeyLike, shape: Shape = (), dtype: DTypeLike | None = None, *, out_sharding: Device = None
) -> Array:
    """Draw from the exponential distribution with mean 1.

    Args:
        key: a random key.
        shape: the shape of the result.
        dtype: a floating dtype; the default float if None.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> from treadle_numpy.random import key
        >>> bool(0.9 < exponential(key(0), (2000,)).mean() < 1.1)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(exponential, out_sharding, key, shape, dtype)
    wanted = float_dtype("exponential", dtype)
    u = uniform_floats(single("exponential", key), as_shape("exponential", shape), wanted)
    return ops.negate(ops.log_plus_one(ops.negate(u)))


@composed
def laplace(
    key: KeyLike, shape: Shape = (), dtype: DTypeLike | None = None, *, out_sharding: Device = None
) -> Array:
    """Draw from the Laplace distribution with mean 0 and scale 1.

    Args:
        key: a random key.
        shape: the shape of the result.
        dtype: a floating dtype; the default float if None.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> from treadle_numpy.random import key
        >>> bool(1.8 < laplace(key(0), (2000,)).var() < 2.2)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(laplace, out_sharding, key, shape, dtype)
    wanted = float_dtype("laplace", dtype)
    low = wanted.type(-1.0 + float(finfo(wanted).epsneg))
    u = uniform_floats(
        single("laplace", key), as_shape("laplace", shape), wanted, low, wanted.type(1)
    )
    return ops.multiply(ops.sign(u), ops.log_plus_one(ops.negate(ops.abs(u))))


@composed
def logistic(
    key: KeyLike, shape: Shape = (), dtype: DTypeLike | None = None, *, out_sharding: Device = None
) -> Array:
    """Logistic floats with mean 0 and scale 1.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> from treadle_numpy.random import key
        >>> bool(3.0 < logistic(key(0), (2000,)).var() < 3.6)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(logistic, out_sharding, key, shape, dtype)
    wanted = float_dtype("logistic", dtype)
    low = wanted.type(finfo(wanted).tiny)
    u = uniform_floats(
        single("logistic", key), as_shape("logistic", shape), wanted, low, wanted.type(1)
    )
    return ops.log(ops.divide(u, ops.subtract(wanted.type(1), u)))


@composed
def cauchy(
    key: KeyLike, shape: Shape = (), dtype: DTypeLike | None = None, *, out_sharding: Device = None
) -> Array:
    """Cauchy floats.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> from treadle_numpy.random import key
        >>> bool(0.45 < (abs(cauchy(key(0), (2000,))) < 1).mean() < 0.55)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(cauchy, out_sharding, key, shape, dtype)
    wanted = float_dtype("cauchy", dtype)
    low = wanted.type(finfo(wanted).eps)
    u = uniform_floats(
        single("cauchy", key), as_shape("cauchy", shape), wanted, low, wanted.type(1)
    )
    return ops.tan(ops.multiply(wanted.type(np.pi), ops.subtract(u, wanted.type(0.5))))


@composed
def rayleigh(
    key: KeyLike,
    scale: ArrayLike,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    *,
    out_sharding: Device = None,
) -> Array:
    """Rayleigh floats: `scale * sqrt(-2 log u)`.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> from treadle_numpy.random import key
        >>> bool(2.4 < rayleigh(key(0), 2.0, (2000,)).mean() < 2.6)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(rayleigh, out_sharding, key, scale, shape, dtype)
    wanted = float_dtype("rayleigh", dtype)
    factor = coerce_real("rayleigh", 1, scale)
    sizes = result_shape("rayleigh", shape, factor)
    u = uniform_floats(single("rayleigh", key), sizes, wanted)
    return multiply(
        parameter(factor, wanted, sizes), ops.sqrt(ops.multiply(ops.log(u), wanted.type(-2)))
    )


@composed
def weibull_min(
    key: KeyLike,
    scale: ArrayLike,
    concentration: ArrayLike,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
) -> Array:
    """Weibull floats: `scale * (-log(1 - u)) ** (1 / concentration)`.

    Example:
        >>> from treadle_numpy.random import key
        >>> bool(1.9 < weibull_min(key(0), 2.0, 1.0, (2000,)).mean() < 2.1)
        True
    """
    wanted = float_dtype("weibull_min", dtype)
    a, b = coerce_real("weibull_min", 1, scale), coerce_real("weibull_min", 2, concentration)
    sizes = result_shape("weibull_min", shape, a, b)
    u = uniform_floats(single("weibull_min", key), sizes, wanted)
    power = ops.divide(wanted.type(1), parameter(b, wanted, sizes))
    return multiply(
        ops.power(ops.negate(ops.log_plus_one(ops.negate(u))), power), parameter(a, wanted, sizes)
    )


@composed
def pareto(
    key: KeyLike,
    b: ArrayLike,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    *,
    out_sharding: Device = None,
) -> Array:
    """Pareto floats: `exp(e / b)` for exponential e.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> from treadle_numpy.random import key
        >>> bool((pareto(key(0), 3.0, (2000,)) >= 1).all())
        True
    """
    if out_sharding is not None:
        return with_out_sharding(pareto, out_sharding, key, b, shape, dtype)
    wanted = float_dtype("pareto", dtype)
    index = coerce_real("pareto", 1, b)
    sizes = result_shape("pareto", shape, index)
    return ops.exponential(
        ops.divide(exponential(key, sizes, wanted), parameter(index, wanted, sizes))
    )


@composed
def triangular(
    key: KeyLike,
    left: ArrayLike,
    mode: ArrayLike,
    right: ArrayLike,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    *,
    out_sharding: Device = None,
) -> Array:
    """Triangular floats from `left` to `right` with the peak at `mode`.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> from treadle_numpy.random import key
        >>> bool(0.3 < triangular(key(0), 0.0, 0.0, 1.0, (2000,)).mean() < 0.36)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(triangular, out_sharding, key, left, mode, right, shape, dtype)
    wanted = float_dtype("triangular", dtype)
    parameters = [coerce_real("triangular", i + 1, x) for i, x in enumerate((left, mode, right))]
    sizes = result_shape("triangular", shape, *parameters)
    low, peak, high = [parameter(x, wanted, sizes) for x in parameters]
    u = uniform_floats(single("triangular", key), sizes, wanted)
    width = ops.subtract(high, low)
    share = ops.divide(ops.subtract(peak, low), width)
    rise = add(low, ops.sqrt(multiply(multiply(u, width), ops.subtract(peak, low))))
    fall = subtract(
        high,
        ops.sqrt(multiply(multiply(subtract(wanted.type(1), u), width), ops.subtract(high, peak))),
    )
    return ops.select(ops.compare(u, share, direction="lt"), rise, fall)

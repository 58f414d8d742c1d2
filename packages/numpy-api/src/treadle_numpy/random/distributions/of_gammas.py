"""Distributions that are functions of gamma floats, whose derivatives follow from the derivatives of gamma floats."""

from __future__ import annotations

from treadle_ir import ArgumentError, Array, ops
from treadle_ir.calling import composed
from treadle_numpy.numpy.reductions.extremes import max
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.ufuncs.arithmetic import divide, multiply, subtract
from treadle_numpy.numpy.ufuncs.powers import power
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import common_shape
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.dtypes import DTypeLike
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.real import coerce_real
from treadle_numpy.operands.shapes import Shape, as_shape
from treadle_numpy.random.distributions.discrete import rademacher
from treadle_numpy.random.distributions.gammas import exact_method, gamma_floats
from treadle_numpy.random.distributions.normal import normal_floats
from treadle_numpy.random.distributions.parameters import (
    float_dtype,
    parameter,
    result_shape,
    split_key,
)
from treadle_numpy.random.keys import KeyLike, single

__all__ = ["beta", "chisquare", "dirichlet", "f", "generalized_normal", "t"]


@composed(numbers=["a", "b"], loops=True)
def beta(
    key: KeyLike,
    a: ArrayLike,
    b: ArrayLike,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    *,
    method: str = "exact",
    out_sharding: Device = None,
) -> Array:
    """Draw from the beta distribution: density proportional to `x ** (a - 1) * (1 - x) ** (b - 1)` in [0, 1].

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    They are made of the logarithms of two gamma floats, so that small parameters give numbers near 0 and 1, not NaN.
    The same key gives JAX's numbers, up to rounding.

    Args:
        key: a random key.
        a: the first parameters; negative values give NaN (also for `b`).
        b: the second parameters.
        shape: of the result; what `a` and `b` broadcast to if None.
        dtype: a floating type; the default one if None.

    Raises:
        ArgumentError: the shapes do not broadcast, or the type is not a floating one.

    Example:
        >>> from treadle_numpy.random import key
        >>> drawn = beta(key(0), 2.0, 2.0, (1000,))
        >>> bool(0.45 < drawn.mean() < 0.55)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(beta, out_sharding, key, a, b, shape, dtype, method=method)
    exact_method("beta", method)
    wanted = float_dtype("beta", dtype)
    sizes = result_shape("beta", shape, coerce_real("beta", 1, a), coerce_real("beta", 2, b))
    first, second = split_key(single("beta", key), 2)
    one = gamma_floats(first, a, sizes, wanted, log_space=True)
    other = gamma_floats(second, b, sizes, wanted, log_space=True)
    return ops.logistic(ops.subtract(one, other))


@composed(numbers=["alpha"], loops=True)
def dirichlet(
    key: KeyLike,
    alpha: ArrayLike,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    *,
    out_sharding: Device = None,
) -> Array:
    """Draw from the Dirichlet distribution: vectors of shares that add up to 1.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    The same key gives JAX's numbers, up to rounding.

    Shapes:
        alpha: [*batch, n]
        result: [*shape, n], where `batch` must broadcast to `shape`

    Args:
        key: a random key.
        alpha: concentrations; negative values give NaN.
        shape: of the result without the axis of shares; the shape of `alpha` without it if None.
        dtype: a floating type; the default one if None.

    Raises:
        ArgumentError: `alpha` has no axes, the shapes do not broadcast, or the type is not a floating one.

    Example:
        >>> import numpy as np
        >>> from treadle_numpy.random import key
        >>> shares = dirichlet(key(0), np.array([1.0, 2.0, 3.0]))
        >>> shares.shape, f"{float(shares.sum()):.5f}"
        ((3,), '1.00000')
    """
    if out_sharding is not None:
        return with_out_sharding(dirichlet, out_sharding, key, alpha, shape, dtype)
    wanted = float_dtype("dirichlet", dtype)
    operand = coerce_real("dirichlet", 1, alpha)
    if not operand.shape:
        raise ArgumentError(
            "dirichlet requires alpha.ndim >= 1, got alpha.ndim == 0",
            fix="pass the concentrations along the last axis of an array",
        )
    *batch, count = operand.shape
    sizes = tuple(batch) if shape is None else as_shape("dirichlet", shape)
    if common_shape("dirichlet", [sizes, tuple(batch)]) != sizes:
        raise ArgumentError(
            f"dirichlet parameter shapes {tuple(batch)} do not broadcast to the requested shape {sizes}"
        )
    one = single("dirichlet", key)
    logarithms = gamma_floats(one, operand, (*sizes, count), wanted, log_space=True)
    if not count:
        return logarithms
    top = ops.stop_gradient(max(logarithms, axis=-1, keepdims=True))
    gammas = ops.exponential(subtract(logarithms, top))
    return divide(gammas, sum(gammas, axis=-1, keepdims=True))


@composed(numbers=["df"], loops=True)
def chisquare(
    key: KeyLike,
    df: ArrayLike,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    *,
    method: str = "exact",
    out_sharding: Device = None,
) -> Array:
    """Chi-square floats with `df` degrees of freedom: twice gamma floats of concentration `df / 2`.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    The same key gives JAX's numbers, up to rounding.

    Args:
        key: a random key.
        df: degrees of freedom, positive, not necessarily integers.
        shape: of the result; the shape of `df` if None.
        dtype: a floating type; the default one if None.

    Raises:
        ArgumentError: the shapes do not broadcast, or the type is not a floating one.

    Example:
        >>> from treadle_numpy.random import key
        >>> drawn = chisquare(key(0), 4.0, (1000,))
        >>> bool(3.7 < drawn.mean() < 4.3)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(chisquare, out_sharding, key, df, shape, dtype, method=method)
    exact_method("chisquare", method)
    wanted = float_dtype("chisquare", dtype)
    degrees = coerce_real("chisquare", 1, df)
    sizes = result_shape("chisquare", shape, degrees)
    one, two = single("chisquare", key), wanted.type(2)
    half = multiply(parameter(degrees, wanted, sizes), wanted.type(0.5))
    logarithm = gamma_floats(one, half, sizes, wanted, log_space=True)
    return ops.multiply(ops.exponential(logarithm), two)


@composed(numbers=["dfnum", "dfden"], loops=True)
def f(
    key: KeyLike,
    dfnum: ArrayLike,
    dfden: ArrayLike,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    *,
    out_sharding: Device = None,
) -> Array:
    """F floats: the ratio of two chi-square floats, each over its degrees of freedom.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    The same key gives JAX's numbers, up to rounding.

    Args:
        key: a random key.
        dfnum: degrees of freedom of the numerator, positive.
        dfden: degrees of freedom of the denominator, positive.
        shape: of the result; what the parameters broadcast to if None.
        dtype: a floating type; the default one if None.

    Raises:
        ArgumentError: the shapes do not broadcast, or the type is not a floating one.

    Example:
        >>> from treadle_numpy.random import key
        >>> drawn = f(key(0), 5.0, 20.0, (2000,))
        >>> bool(1.0 < drawn.mean() < 1.25)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(f, out_sharding, key, dfnum, dfden, shape, dtype)
    wanted = float_dtype("f", dtype)
    upper, lower = coerce_real("f", 1, dfnum), coerce_real("f", 2, dfden)
    sizes = result_shape("f", shape, upper, lower)
    second, first = split_key(single("f", key), 2)  # JAX's order
    over, under = parameter(upper, wanted, sizes), parameter(lower, wanted, sizes)
    return divide(
        divide(chisquare(first, over, sizes, wanted), over),
        divide(chisquare(second, under, sizes, wanted), under),
    )


@composed(numbers=["df"], loops=True)
def t(
    key: KeyLike,
    df: ArrayLike,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    *,
    out_sharding: Device = None,
) -> Array:
    """Student's t floats with `df` degrees of freedom: a normal float over the root of a chi-square one over `df`.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    The same key gives JAX's numbers, up to rounding.

    Args:
        key: a random key.
        df: degrees of freedom, positive.
        shape: of the result; the shape of `df` if None.
        dtype: a floating type; the default one if None.

    Raises:
        ArgumentError: the shapes do not broadcast, or the type is not a floating one.

    Example:
        >>> from treadle_numpy.random import key
        >>> drawn = t(key(0), 10.0, (2000,))
        >>> bool(1.1 < drawn.var() < 1.4)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(t, out_sharding, key, df, shape, dtype)
    wanted = float_dtype("t", dtype)
    degrees = coerce_real("t", 1, df)
    sizes = result_shape("t", shape, degrees)
    first, second = split_key(single("t", key), 2)
    half = multiply(parameter(degrees, wanted, sizes), wanted.type(0.5))
    # Logarithms, since with few degrees of freedom gamma floats are too small to be numbers of their type.
    spread = subtract(ops.log(half), gamma_floats(second, half, sizes, wanted, log_space=True))
    return multiply(
        normal_floats(first, sizes, wanted), ops.exponential(multiply(spread, wanted.type(0.5)))
    )


@composed(numbers=["p"], loops=True)
def generalized_normal(
    key: KeyLike,
    p: ArrayLike,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
    *,
    out_sharding: Device = None,
) -> Array:
    """Generalized normal floats, of density proportional to `exp(-abs(x) ** p)`.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    For `p` of 1 it is the Laplace distribution, for 2 a normal one of variance 1/2. The same key gives JAX's numbers,
    up to rounding.

    Args:
        key: a random key.
        p: the power, positive; it must broadcast to `shape`.
        shape: of the result.
        dtype: a floating type; the default one if None.

    Raises:
        ArgumentError: the shapes do not broadcast, or the type is not a floating one.

    Example:
        >>> from treadle_numpy.random import key
        >>> drawn = generalized_normal(key(0), 2.0, (2000,))
        >>> bool(0.45 < drawn.var() < 0.55)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(generalized_normal, out_sharding, key, p, shape, dtype)
    wanted = float_dtype("generalized_normal", dtype)
    exponent = coerce_real("generalized_normal", 1, p)
    sizes = result_shape("generalized_normal", shape, exponent)
    first, second = split_key(single("generalized_normal", key), 2)
    inverse = array_of(converted(divide(wanted.type(1), converted(exponent, wanted)), wanted))
    size = power(gamma_floats(first, inverse, sizes, wanted), inverse)
    return multiply(rademacher(second, sizes, wanted), size)

"""Initializers that do not look at the shape: one value everywhere, or independent numbers of one distribution."""

from __future__ import annotations

from treadle_ir import Array
from treadle_numpy.nn.initializers.protocol import Initializer
from treadle_numpy.numpy.creation.constant import full, ones as filled_with_ones, zeros as zeroed
from treadle_numpy.numpy.ufuncs.arithmetic import multiply
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce
from treadle_numpy.operands.devices import Device, placed
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.shapes import Shape
from treadle_numpy.random.distributions import normal as normals, uniform as uniforms
from treadle_numpy.random.keys import KeyLike

__all__ = ["constant", "normal", "ones", "truncated_normal", "uniform", "zeros"]


def zeros(
    key: KeyLike, shape: Shape, dtype: DTypeLike | None = None, out_sharding: Device = None
) -> Array:
    """Return an array of zeros; the key is not looked at.

    Example:
        >>> from treadle_numpy.random import key
        >>> print(zeros(key(0), (2, 3)))
        [[0. 0. 0.]
         [0. 0. 0.]]
    """
    return zeroed(shape, dtype, device=out_sharding)


def ones(
    key: KeyLike, shape: Shape, dtype: DTypeLike | None = None, out_sharding: Device = None
) -> Array:
    """Return an array of ones; the key is not looked at.

    Example:
        >>> from treadle_numpy.random import key
        >>> print(ones(key(0), 3, "int32"))
        [1 1 1]
    """
    return filled_with_ones(shape, dtype, device=out_sharding)


def constant(value: ArrayLike, dtype: DTypeLike | None = None) -> Initializer:
    """Return an initializer that fills arrays with a value, broadcast to their shape; the key is not looked at.

    Args:
        value: a number, or an array that broadcasts to the shapes asked for.
        dtype: the element type where the call gives none; the default floating type if None.

    Example:
        >>> from treadle_numpy.random import key
        >>> print(constant(-7)(key(0), (2, 2)))
        [[-7. -7.]
         [-7. -7.]]
    """
    coerce("constant", 0, value)
    default = dtype

    def init(
        key: KeyLike, shape: Shape, dtype: DTypeLike | None = default, out_sharding: Device = None
    ) -> Array:
        return full(shape, value, float if dtype is None else dtype, device=out_sharding)

    return init


def _times(drawn: Array, factor: ArrayLike, device: Device) -> Array:
    """Drawn numbers times a factor in their element type."""
    number = converted(coerce("initializer", 0, factor), drawn.dtype)
    return placed(multiply(drawn, array_of(number)), device)


def normal(stddev: ArrayLike = 1e-2, dtype: DTypeLike | None = None) -> Initializer:
    """Return an initializer of normal numbers with mean 0 and this standard deviation; floating or complex.

    Example:
        >>> from treadle_numpy.random import key
        >>> weights = normal(5.0)(key(0), (2, 3))
        >>> weights.shape, str(weights.dtype)
        ((2, 3), 'float32')
    """
    coerce("normal", 0, stddev)
    default = dtype

    def init(
        key: KeyLike, shape: Shape, dtype: DTypeLike | None = default, out_sharding: Device = None
    ) -> Array:
        return _times(normals.normal(key, shape, dtype), stddev, out_sharding)

    return init


def uniform(scale: ArrayLike = 1e-2, dtype: DTypeLike | None = None) -> Initializer:
    """Return an initializer of uniform numbers in [0, scale).

    Example:
        >>> from treadle_numpy.random import key
        >>> weights = uniform(10.0)(key(0), (2, 3))
        >>> bool((weights >= 0).all() and (weights < 10).all())
        True
    """
    coerce("uniform", 0, scale)
    default = dtype

    def init(
        key: KeyLike, shape: Shape, dtype: DTypeLike | None = default, out_sharding: Device = None
    ) -> Array:
        return _times(uniforms.uniform(key, shape, dtype), scale, out_sharding)

    return init


def truncated_normal(
    stddev: ArrayLike = 1e-2,
    dtype: DTypeLike | None = None,
    lower: ArrayLike = -2.0,
    upper: ArrayLike = 2.0,
) -> Initializer:
    """Return an initializer of `stddev` times standard normal numbers between `lower` and `upper`.

    The bounds are in units of `stddev`, and the standard deviation of the result is smaller than `stddev`: 0.88 of
    it with the bounds -2 and 2. `variance_scaling` makes up for that; this function does not.

    Example:
        >>> from treadle_numpy.random import key
        >>> weights = truncated_normal(5.0)(key(0), (1000,))
        >>> bool((abs(weights) <= 10).all())
        True
    """
    for place, number in enumerate((stddev, lower, upper)):
        coerce("truncated_normal", place, number)
    default = dtype

    def init(
        key: KeyLike, shape: Shape, dtype: DTypeLike | None = default, out_sharding: Device = None
    ) -> Array:
        wanted = as_dtype("truncated_normal", float if dtype is None else dtype)
        drawn = normals.truncated_normal(key, lower, upper, shape, wanted)
        return _times(drawn, stddev, out_sharding)

    return init

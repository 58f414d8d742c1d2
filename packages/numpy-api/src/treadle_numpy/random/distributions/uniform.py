"""Uniform floats."""

from __future__ import annotations

import numpy as np

from treadle_ir import Array, DType, ops
from treadle_ir.calling import composed
from treadle_numpy.numpy.dtypes.limits import finfo
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.dtypes import DTypeLike
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.real import coerce_real
from treadle_numpy.operands.shapes import Shape
from treadle_numpy.random.distributions.parameters import float_dtype, parameter, result_shape
from treadle_numpy.random.generator import unit_floats
from treadle_numpy.random.keys import KeyLike, single

__all__ = ["uniform"]


@composed
def uniform(
    key: KeyLike,
    shape: Shape = (),
    dtype: DTypeLike | None = None,
    minval: ArrayLike = 0.0,
    maxval: ArrayLike = 1.0,
    *,
    out_sharding: Device = None,
) -> Array:
    """Draw floats from the uniform distribution over [minval, maxval).

    Args:
        key: a random key.
        shape: the shape of the result.
        dtype: a floating dtype; the default is the default floating dtype.
        minval: the lower bound, inclusive; it broadcasts to the shape.
        maxval: the upper bound, exclusive; it broadcasts to the shape.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> from treadle_numpy.random import key
        >>> print(f"{float(uniform(key(0))):.4f}")
        0.9477
    """
    if out_sharding is not None:
        return with_out_sharding(uniform, out_sharding, key, shape, dtype, minval, maxval)
    wanted = float_dtype("uniform", dtype)
    sizes = result_shape(
        "uniform", shape, coerce_real("uniform", 3, minval), coerce_real("uniform", 4, maxval)
    )
    return uniform_floats(single("uniform", key), sizes, wanted, minval, maxval)


def uniform_floats(
    key: Array, shape: tuple[int, ...], dtype: DType, low: ArrayLike = 0.0, high: ArrayLike = 1.0
) -> Array:
    """Apply `uniform` from one key, typed or raw."""
    first, last = parameter(low, dtype, shape), parameter(high, dtype, shape)
    floats = unit_floats(key, shape, dtype)
    if isinstance(low, float) and isinstance(high, float) and (low, high) == (0.0, 1.0):
        return floats
    result = ops.add(ops.multiply(floats, ops.subtract(last, first)), first)
    numbers = (float, np.floating)
    if isinstance(low, numbers) and isinstance(high, numbers) and low <= high:
        return result  # what is added is never negative
    return ops.maximum(result, first)


def uniform_parts(key: Array, shape: tuple[int, ...], dtype: DType) -> tuple[Array, Array]:
    """Uniform floats, and what is below their last place: another draw, in the size of their smallest step.

    Sums of the two reach far nearer to 0 than the floats alone, whose steps are even.
    """
    both = unit_floats(key, (2, *shape), dtype)
    rest = (0,) * len(shape)
    first, second = [
        ops.reshape(ops.slice(both, start=(i, *rest), limit=(i + 1, *shape)), shape=shape)
        for i in (0, 1)
    ]
    return first, ops.multiply(second, dtype.type(finfo(dtype).eps))

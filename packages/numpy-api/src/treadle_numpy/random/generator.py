"""Random bits, and the uniform floats made of them."""

from __future__ import annotations

import numpy as np

from treadle_ir import ArgumentError, Array, DType, ops
from treadle_ir.core import canonical_dtype
from treadle_ir.core.dtypes import BY_NAME, is_unsigned
from treadle_numpy.numpy.dtypes.limits import finfo
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.shapes import Shape, as_shape
from treadle_numpy.random.keys import KeyLike, single
from treadle_numpy.random.order import random_bits

__all__ = ["bits"]


def bits(
    key: KeyLike, shape: Shape = (), dtype: DTypeLike | None = None, *, out_sharding: Device = None
) -> Array:
    """Draw uniformly random bits.

    Args:
        key: a random key.
        shape: the shape of the result.
        dtype: an unsigned integer dtype; by default of 32 bits, or of 64 where 64-bit types are on.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Raises:
        ArgumentError: the element type is not an unsigned integer.

    Example:
        >>> from treadle_numpy.random import PRNGKey
        >>> print(bits(PRNGKey(0), (2,)))
        [4070199207 4202968722]
    """
    if out_sharding is not None:
        return with_out_sharding(bits, out_sharding, key, shape, dtype)
    wanted = as_dtype("bits", dtype) or canonical_dtype(BY_NAME["u64"])
    if not is_unsigned(wanted) or wanted.itemsize not in (1, 2, 4, 8):
        raise ArgumentError(f"dtype argument `dtype` must be an unsigned int dtype, got {wanted}")
    return random_bits(single("bits", key), as_shape("bits", shape), wanted.itemsize * 8)


def unit_floats(key: Array, shape: tuple[int, ...], dtype: DType) -> Array:
    """Floats in [0, 1): random mantissas make floats in [1, 2), less 1."""
    mantissa = int(finfo(dtype).nmant)
    size = dtype.itemsize * 8
    width = 8 if mantissa < 8 else size
    unsigned, drawn = BY_NAME[f"u{size}"], BY_NAME[f"u{width}"]
    raw = random_bits(key, shape, width)
    one = np.asarray(1, dtype).view(unsigned)[()]
    kept = ops.shift_right_logical(raw, drawn.type(width - mantissa))
    if width != size:
        kept = ops.convert(kept, dtype=unsigned)
    return ops.subtract(ops.bitcast_convert(ops.or_(kept, one), dtype=dtype), dtype.type(1))

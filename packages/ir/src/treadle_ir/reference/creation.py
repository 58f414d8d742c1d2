"""NumPy kernels of creation."""

from __future__ import annotations

import numpy as np

from treadle_ir.primitives.creation import DimensionSize, Iota
from treadle_ir.reference.registry import Elements, eval_rule


@eval_rule(Iota)
def iota_eval(primitive: Iota) -> list[Elements]:
    """Return a range, broadcast over the other axes; integers wrap around."""
    n, dtype = primitive.shape[primitive.dimension], primitive.dtype
    fits = (
        dtype.kind in "iu" and n <= np.iinfo(dtype).max
    )  # twice as fast as by way of a wider type
    count = np.arange(n, dtype=dtype) if fits else np.arange(n).astype(dtype)
    spread = [1] * len(primitive.shape)
    spread[primitive.dimension] = -1
    return [np.broadcast_to(count.reshape(spread), primitive.shape)]


@eval_rule(DimensionSize)
def dimension_size_eval(primitive: DimensionSize) -> list[Elements]:
    """Return the size, once it is known."""
    return [np.asarray(primitive.known(), primitive.dtype)]

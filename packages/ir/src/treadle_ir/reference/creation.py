"""NumPy kernels of creation."""

from __future__ import annotations

import numpy as np

from treadle_ir.primitives.creation import DimensionSize, Iota
from treadle_ir.reference.registry import Elements, eval_rule


@eval_rule(Iota)
def iota_eval(primitive: Iota) -> list[Elements]:
    """A range, broadcast over the other axes; integers wrap around."""
    count = np.arange(primitive.shape[primitive.dimension]).astype(primitive.dtype)
    spread = [1] * len(primitive.shape)
    spread[primitive.dimension] = -1
    return [np.broadcast_to(count.reshape(spread), primitive.shape)]


@eval_rule(DimensionSize)
def dimension_size_eval(primitive: DimensionSize) -> list[Elements]:
    """The size, once it is known."""
    return [np.asarray(primitive.known(), primitive.dtype)]

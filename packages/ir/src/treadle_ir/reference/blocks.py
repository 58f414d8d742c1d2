"""Elementwise operations in whole blocks, so that an element's result does not depend on the array around it.

NumPy has several loops for one function, whose last digits differ: for contiguous operands and for others, for one
number with an array (`power` multiplies where the exponent is the number 2), for the elements after the last whole
vector of the processor. Contiguous copies whose length is a multiple of every vector length take one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from treadle_ir.core.dtypes import is_inexact
from treadle_ir.core.primitive import Primitive
from treadle_ir.reference.registry import Elements, eval_rules

BLOCK: Final = 64  # elements: a whole vector of 64 bytes of any type, and more than one element
_ALIGNMENT: Final = (
    64  # bytes: some loops begin with single elements, until their memory is aligned
)


def in_blocks(primitive: Primitive, operands: Sequence[Elements]) -> list[Elements]:
    """Return the results of an elementwise operation, computed in blocks."""
    shape = np.broadcast_shapes(*[x.shape for x in operands])
    size = int(np.prod(shape))
    rule = eval_rules[primitive]
    if size == 0 or not any([is_inexact(x.dtype) for x in operands]):
        return [np.asarray(result) for result in rule(primitive, *operands)]
    padded = [
        _padded(np.broadcast_to(x, shape).reshape(-1), -(-size // BLOCK) * BLOCK) for x in operands
    ]
    return [np.asarray(result)[:size].reshape(shape) for result in rule(primitive, *padded)]


def _padded(x: Elements, size: int) -> Elements:
    """Return a contiguous, aligned copy of a vector, its last element repeated up to a size."""
    room = np.empty(size * x.itemsize + _ALIGNMENT, np.uint8)
    start = -room.ctypes.data % _ALIGNMENT
    copy = room[start : start + size * x.itemsize].view(x.dtype)
    copy[: x.size] = x
    copy[x.size :] = x[-1]
    return copy

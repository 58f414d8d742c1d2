"""Operations that are one call of NumPy: an evaluator may make it without going through the rule."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir.primitive import Primitive
from treadle_ir.primitives.reduce import ReduceAdd
from treadle_ir.reference.elementwise import BARE, Kernel
from treadle_ir.reference.reduce import OWN_ACCUMULATOR
from treadle_ir.types import ArrayType

_FLOATS: Final = (
    "fdFD"  # NumPy's letters of types in which it adds unasked; integers it would widen
)


def bare_kernel(primitive: Primitive, result: ArrayType) -> Kernel | None:
    """The NumPy function that gives a primitive's only result, of this type, from its operands; None if none does.

    What it returns may be a NumPy scalar.
    """
    if type(primitive) is not ReduceAdd:
        return BARE.get(type(primitive))
    add, axes, dtype = np.add.reduce, primitive.axes, result.dtype
    if dtype.char in _FLOATS:
        return lambda x: add(x, axes)  # `partial` would take half as long again
    if dtype.char in OWN_ACCUMULATOR:
        return lambda x: add(x, axes, dtype)
    return None

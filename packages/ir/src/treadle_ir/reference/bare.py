"""Operations that are one call of NumPy: an evaluator may make it without going through the rule."""

from __future__ import annotations

import numpy as np

from treadle_ir.primitive import Primitive
from treadle_ir.primitives.reduce import ReduceAdd
from treadle_ir.reference.elementwise import BARE, Kernel
from treadle_ir.reference.reduce import OWN_ACCUMULATOR
from treadle_ir.types import ArrayType


def bare_kernel(primitive: Primitive, result: ArrayType) -> Kernel | None:
    """The NumPy function that gives a primitive's only result, of this type, from its operands; None if none does.

    What it returns may be a NumPy scalar.
    """
    if type(primitive) is ReduceAdd:
        axes, dtype = primitive.axes, result.dtype
        if dtype.char not in OWN_ACCUMULATOR:
            return None
        return lambda x: np.add.reduce(x, axes, dtype)  # `partial` would take half as long again
    return BARE.get(type(primitive))

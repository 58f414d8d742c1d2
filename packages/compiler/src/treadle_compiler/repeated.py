"""What XLA would compute again and again where a small array is broadcast over a large one, and how it is kept from it.

XLA:CPU puts an operation into the loop of the one that uses it, and asks how dear the first one is only by its name:
sines, cosines and chains of any length of cheap operations count as cheap. So `a * cos(x)[None, :]` of 1,000 x 1,000
elements computes a million cosines and not a thousand, and a row of random numbers is drawn for each row of what it
is added to. An optimization barrier is gone by then; a call that is not inlined is not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from treadle_compiler.context import FRONTEND_ATTRIBUTES, HloValue, LoweringContext
from treadle_compiler.work import MOST_WORK
from treadle_ir import is_symbolic

_OFTEN: Final = 8  # repetitions from which one more pass over the small array is cheap
_LARGE: Final = 1 << 14  # elements of a result from which it matters


def settled(
    context: LoweringContext, x: HloValue, shape: Sequence[int], dimensions: Sequence[int]
) -> HloValue:
    """The value that is about to be broadcast to a shape: computed once, where XLA would do much of it often.

    `dimensions` says which axes of the shape are the value's. Axes inside of the value's last one repeat nothing: its
    element is the same in all of a row, which the compiler of the loop sees.
    """
    if x.work < MOST_WORK or context.platform != "cpu":
        return x
    if context.module.partitioning is not None or is_symbolic(shape):
        return x  # how an array lies over a mesh is not known beyond a call
    own = [axis for axis, size in zip(dimensions, x.shape, strict=True) if size != 1]
    if not own or math.prod(shape) < _LARGE:
        return x
    last = max(own)
    rows, own_rows = math.prod(shape[:last]), math.prod(x.shape) // shape[last]
    if rows < _OFTEN * own_rows:
        return x
    attributes = {
        "callee": context.module.identity(x.type),
        FRONTEND_ATTRIBUTES: '{inlineable = "false"}',
    }
    return context.one("func.call", (x,), x.type, attributes)

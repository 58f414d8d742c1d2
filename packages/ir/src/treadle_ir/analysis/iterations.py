"""How often the programs that an operation holds run when it does."""

from __future__ import annotations

from treadle_ir.primitive import Primitive
from treadle_ir.primitives.control import Scan, While


def iterations(primitive: Primitive) -> tuple[int, bool]:
    """A scan's length, a loop's bound or else 1; and whether it is exactly as often, which of a loop nobody knows.

    Example:
        >>> from treadle_ir.primitives.elementwise import Sine
        >>> iterations(Sine())
        (1, True)
    """
    if isinstance(primitive, Scan):
        return primitive.length, True
    if isinstance(primitive, While):
        return (1 if primitive.trip_bound is None else primitive.trip_bound), False
    return 1, True

"""The number of times that the nested programs of an operation run when it runs."""

from __future__ import annotations

from treadle_ir.core.primitive import Primitive


def iterations(primitive: Primitive) -> tuple[int, bool]:
    """Return a scan's length, a loop's bound or else 1, and whether the number is exact.

    Example:
        >>> from treadle_ir.primitives.elementwise import Sine
        >>> iterations(Sine())
        (1, True)
    """
    flows = primitive.flows()
    if flows is None or flows.iterations is None:
        return 1, True
    most = flows.iterations.most
    return (1 if most is None else most), flows.iterations.exact


def is_exclusive(primitive: Primitive) -> bool:
    """Return whether only one of the programs that an operation holds runs."""
    flows = primitive.flows()
    return flows is not None and flows.exclusive

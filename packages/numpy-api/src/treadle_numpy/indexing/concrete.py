"""Elements that have to be known because the size of a result depends on them."""

from __future__ import annotations

from treadle_ir import Operand
from treadle_ir.errors import ConcretizationError
from treadle_ir.tracing import Tracer
from treadle_numpy.operands.arrays import Elements
from treadle_numpy.operands.coerce import host_elements


def concrete_mask(
    function: str,
    x: Operand,
    fix: str = "say how many there are at most with `size=`, or use the three-argument `where`",
) -> Elements:
    """Return the elements of a condition that has to be known; `fix` says what to do where they are not.

    Raises:
        ConcretizationError: it is being traced.
    """
    elements = host_elements(x)
    if elements is None:
        assert isinstance(x, Tracer)
        raise ConcretizationError(
            f"{function} was called on a traced array of type {x.type}: the size of its result depends on the elements",
            fix=fix,
            asked=x,
        )
    return elements

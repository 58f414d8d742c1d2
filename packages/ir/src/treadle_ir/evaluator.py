"""The Evaluator port: how a primitive runs when nothing transforms it.

treadle_ir installs its NumPy reference evaluator; the facade installs the runtime's in its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from treadle_ir.primitive import Primitive

if TYPE_CHECKING:
    from treadle_ir.array import Operands


class Evaluator(Protocol):
    """Port: how a primitive runs when nothing transforms it."""

    def evaluate(self, primitive: Primitive, operands: Operands) -> Operands:
        """The results of a primitive on concrete operands.

        Raises:
            EscapedTracerError: an operand is a tracer (`treadle_ir.tracer.refuse_tracers` makes the message).
        """
        ...

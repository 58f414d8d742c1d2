"""Examples of functions whose user says how they are partitioned, which programs of one device do not ask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

from treadle_ir import ops
from treadle_ir.core.mesh import AbstractMesh
from treadle_ir.core.types import Type
from treadle_ir.primitives.partitioned import CustomPartitioning
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.testing.examples import Example, array_type, example
from treadle_ir.tracing.staging import stage


@final
@frozen
class Unasked:
    """A partitioner without a rule: asking it for one is an error."""

    def rule(self, mesh: AbstractMesh, operands: Sequence[Type], results: Sequence[Type]) -> str:
        """Raise an error."""
        raise AssertionError("a program of one device asks for no rule")

    def parts(self, *given: Any) -> tuple[str, list[Any], list[Any]]:  # Any: the runtime's
        """Raise an error."""
        raise AssertionError("a program of one device asks for no parts")


_F64: Final = array_type("f64[3]")
_PROGRAM: Final = stage(
    lambda x, y: [ops.multiply(ops.sine(x), y), ops.negate(x)], _F64, _F64
).program
EXAMPLES: Final[list[Example]] = [
    example(CustomPartitioning(_PROGRAM, "label", Unasked()), "f64[3]", "f64[3]", parses=False),
]

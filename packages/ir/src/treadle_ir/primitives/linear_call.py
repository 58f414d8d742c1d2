"""Linear functions with a user-defined transpose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, final

from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Program
from treadle_ir.core.registry import register
from treadle_ir.core.types import Type
from treadle_ir.errors.kinds import ArgumentError
from treadle_ir.primitives.control import check_types
from treadle_ir.process.frozen_classes import frozen


@register
@final
@frozen
class LinearCall(Primitive):
    """A call of a function that is linear in its last operands, and whose transpose is given as a program, too.

    Operands are the residuals, which both programs take first, then the operands in which the function is linear.

    Constraints:
        (C1) the count of residuals is not negative, and there are as many operands
        (C2) `program` takes the operands
        (C3) `transposed` takes the residuals and cotangents of the results, and returns cotangents of the linear
            operands
    """

    name: ClassVar[str] = "linear_call"
    takes_keys: ClassVar[bool] = True  # among the residuals
    program: Program
    transposed: Program
    residuals: int = 0

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the types that the program returns."""
        count = self.residuals
        if not 0 <= count <= len(operands):  # C1
            raise ArgumentError(
                f"linear_call: {count} operands are residuals, but there are {len(operands)}"
            )
        check_types("linear_call", operands, self.program.parameter_types, "the function")  # C2
        results = self.program.result_types
        given = (*operands[:count], *[type.tangent() for type in results])
        check_types("linear_call", given, self.transposed.parameter_types, "the transpose")  # C3
        wanted = [type.tangent() for type in operands[count:]]
        returned = self.transposed.result_types
        check_types(
            "linear_call: the transpose", returned, wanted, "the linear operands", item="result"
        )
        return results

    def programs(self) -> Mapping[str, Program]:
        """Return the function and its transpose."""
        return {"program": self.program, "transposed": self.transposed}

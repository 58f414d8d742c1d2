"""Arrays inside of programs, for StableHLO that stands alone: programs hold none otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from treadle_compiler.context import LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValues
from treadle_ir import ArrayType, Primitive, Type


@final
@dataclass(frozen=True, eq=False)
class Embedded(Primitive):
    """An array inside of a program; compared by identity."""

    name: ClassVar[str] = "embedded"
    computes: ClassVar[bool] = False
    elements: Any  # of NumPy's, or an object that holds elements of dtypes that NumPy lacks
    type: ArrayType

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The array's type."""
        return (self.type,)


@lowering_rule(Embedded)
def embedded_lowering(context: LoweringContext, primitive: Embedded, /) -> HloValues:
    """A constant."""
    return [context.constant(primitive.elements, primitive.type)]

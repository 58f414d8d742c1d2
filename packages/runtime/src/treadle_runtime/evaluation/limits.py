"""Whether an eager operation is small enough for NumPy; `family_limits.py` has the limits, as they were measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treadle_ir import ArrayType, Primitive, RuleTable, Type, dtypes

ANY_SIZE: Final = 1 << 62
OTHERWISE: Final = 1 << 14  # elements, where a primitive and its families say nothing
SLOW_LIMIT: Final = (
    1 << 15
)  # elements, for types that NumPy does not have: bfloat16 and the small floats

host_limits: Final[RuleTable[int]] = RuleTable(
    "host limit",
    "host_limits.register",
    "evaluation/family_limits.py",
    "treadle_runtime.evaluation.family_limits",
)
"""Elements of the largest operand or result up to which the operations of a family go to NumPy on the CPU."""


def is_small(primitive: Primitive, types: Sequence[Type]) -> bool:
    """Whether operands and results of these types are small enough for NumPy, or of types that XLA has not."""
    if any([each.dtype in dtypes.NOT_COMPILED for each in types if isinstance(each, ArrayType)]):
        return True
    limit = host_limits.get(type(primitive)) or OTHERWISE
    for each in types:
        assert isinstance(each, ArrayType)
        if each.size > limit or (each.size > SLOW_LIMIT and each.dtype.kind == "V"):
            return False
    return True

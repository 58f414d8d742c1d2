"""Elementwise arithmetic: operands of one shape, or scalars that are broadcast to it; results of that shape.

All operands have one element type; no promotion happens here. The result is weak if all operands are.
Names are StableHLO's (CHLO's where StableHLO has none), in full where those are abbreviated.

Each module of a topic declares its operations in a table (`operations.py`). This package offers the classes and the
functions of all of them; its `__all__` are the functions, which `treadle_ir.ops` offers in turn.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Final

from treadle_ir.core.families import Elementwise
from treadle_ir.primitives.elementwise import (
    arithmetic,
    bits,
    complex_numbers,
    exponentials,
    rounding,
    special,
    trigonometry,
)
from treadle_ir.primitives.elementwise.arithmetic import (
    IntegerPower as IntegerPower,
    integer_power as integer_power,
)
from treadle_ir.primitives.elementwise.families import (
    Binary as Binary,
    OfParts as OfParts,
    Predicate as Predicate,
    RealPart as RealPart,
    Several as Several,
    Unary as Unary,
    check_kind as check_kind,
    common_type as common_type,
)
from treadle_ir.primitives.elementwise.operations import Op as Op
from treadle_ir.primitives.elementwise.special import (
    WITH_FORMULA as WITH_FORMULA,
    FormulaDerivative as FormulaDerivative,
    formula_derivative as formula_derivative,
)

OPERATIONS: Final[Mapping[type[Elementwise], Op]] = {
    **arithmetic.OPERATIONS,
    **bits.OPERATIONS,
    **complex_numbers.OPERATIONS,
    **exponentials.OPERATIONS,
    **rounding.OPERATIONS,
    **special.OPERATIONS,
    **trigonometry.OPERATIONS,
}
"""The declaration of each operation without attributes."""
__all__ = ["formula_derivative", "integer_power"]
for _primitive, _row in OPERATIONS.items():
    __all__ += [_row.function_name]  # noqa: PLE0604 - it is a string
    for _name in (_primitive.__name__, _row.function_name):
        globals()[_name] = getattr(sys.modules[_primitive.__module__], _name)
del _name, _primitive, _row

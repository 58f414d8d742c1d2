"""Formulas of special functions, written once for NumPy's arrays, staged programs and derivatives.

The eager result for float64 arrays is computed in float64; narrower results are rounded from it. Compiled code follows
the same formula.
"""

from __future__ import annotations

from treadle_ir.formulas.euclid import (
    greatest_common_divisor_program as greatest_common_divisor_program,
)
from treadle_ir.formulas.quick import (
    FAR_ANGLES as FAR_ANGLES,
    TURNS as TURNS,
)
from treadle_ir.formulas.staged import program_of as program_of
from treadle_ir.formulas.table import (
    PRIMITIVES as PRIMITIVES,
    formula_of as formula_of,
)

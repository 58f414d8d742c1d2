"""Formulas of special functions, written once for all that compute with them.

`table` says which formula is the meaning of a primitive. An `Engine` runs a formula: the engine of the reference
evaluator on NumPy's arrays, the engine of the compiler by staging a program. Results of narrower types are rounded from
float64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors.lazily import lazy_names as _lazy_names

if TYPE_CHECKING:
    from treadle_ir.formulas.arithmetic import (
        Engine as Engine,
        EngineStep as EngineStep,
        Formula as Formula,
        Function as Function,
        Number as Number,
        Plain as Plain,
        chebyshev as chebyshev,
        exp as exp,
        log as log,
        nearest as nearest,
        polynomial as polynomial,
        smaller as smaller,
        where as where,
    )
    from treadle_ir.formulas.error_series import ERFCX_ALL as ERFCX_ALL
    from treadle_ir.formulas.gamma_series import STIRLING as STIRLING
    from treadle_ir.formulas.table import PRIMITIVES as PRIMITIVES, formula_of as formula_of

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_ir.formulas.arithmetic": (
                "Engine EngineStep Formula Function Number Plain chebyshev exp log nearest "
                "polynomial smaller where"
            ),
            "treadle_ir.formulas.error_series": "ERFCX_ALL",
            "treadle_ir.formulas.gamma_series": "STIRLING",
            "treadle_ir.formulas.table": "PRIMITIVES formula_of",
        },
    )

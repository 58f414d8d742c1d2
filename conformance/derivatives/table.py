"""All rows."""

from __future__ import annotations

from typing import Final

from conformance.derivatives import (
    fourier_functions,
    lax_arrays,
    lax_functions,
    lax_windows,
    linear_algebra,
    nn_functions,
    numpy_arrangements,
    numpy_editing,
    numpy_functions,
    numpy_reductions,
    ops_functions,
    random_functions,
    rules_functions,
    science_functions,
    solver_functions,
    special_formulas,
    special_functions,
)
from conformance.derivatives.row import Row

ROWS: Final[tuple[Row, ...]] = (
    *numpy_functions.ROWS,
    *numpy_reductions.ROWS,
    *numpy_arrangements.ROWS,
    *numpy_editing.ROWS,
    *lax_functions.ROWS,
    *lax_arrays.ROWS,
    *ops_functions.ROWS,
    *rules_functions.ROWS,
    *science_functions.ROWS,
    *solver_functions.ROWS,
    *special_functions.ROWS,
    *special_formulas.ROWS,
    *nn_functions.ROWS,
    *random_functions.ROWS,
    *fourier_functions.ROWS,
    *lax_windows.ROWS,
    *linear_algebra.ROWS,
)

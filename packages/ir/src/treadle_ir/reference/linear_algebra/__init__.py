"""NumPy kernels of linear algebra: LAPACK as NumPy has it, and loops over rows where NumPy has nothing.

The loops take whole batches at once, but for iterations that converge at their own speed.
"""

from __future__ import annotations

from treadle_ir.reference.linear_algebra import (
    condensed as condensed,
    factorisations as factorisations,
    schur as schur,
    spectra as spectra,
    triangular as triangular,
)

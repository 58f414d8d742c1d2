"""Lowering of linear algebra: XLA's own operations where it has them, else calls of LAPACK or cuSOLVER."""

from __future__ import annotations

from treadle_compiler.lowering.linear_algebra import (
    condensed as condensed,
    factorisations as factorisations,
    pivots as pivots,
    spectra as spectra,
    triangular as triangular,
)

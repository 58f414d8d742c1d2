"""Derivatives of linear algebra, of all orders: the rules are made of matrix products and triangular solutions.

Cotangents go with tangents without conjugation, as everywhere in this package. Vectors and factors that are unique up
to signs or phases move as little as they can, in a way that each rule names.
"""

from __future__ import annotations

from treadle_autodiff.rules.linear_algebra import (
    condensed as condensed,
    factorisations as factorisations,
    spectra as spectra,
    triangular as triangular,
)

"""Errors and warnings where a sparse array would be stored with zeros, or a product computed slowly."""

from __future__ import annotations

from treadle_ir import TreadleError
from treadle_ir.errors import boundaries

__all__ = ["CuSparseEfficiencyWarning", "SparseEfficiencyError", "SparseEfficiencyWarning"]


class SparseEfficiencyError(TreadleError, ValueError):
    """An operation that would store zeros, where that was not allowed."""


class SparseEfficiencyWarning(UserWarning):
    """An operation stores zeros."""


class CuSparseEfficiencyWarning(SparseEfficiencyWarning):
    """A product is not computed by cuSPARSE. No product is, so nothing gives this warning."""


boundaries(__name__)

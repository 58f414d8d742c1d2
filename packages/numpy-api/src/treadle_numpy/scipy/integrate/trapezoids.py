"""The trapezoidal rule, which NumPy has, too."""

from __future__ import annotations

from treadle_numpy.numpy.differences import trapezoid as trapezoid

__all__ = ["trapezoid"]

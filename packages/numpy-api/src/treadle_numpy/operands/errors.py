"""The errors for arguments that functions cannot take."""

from __future__ import annotations

from treadle_ir import ArgumentError, ShapeError


class AxisError(ShapeError, ValueError, IndexError):
    """An axis that the array does not have."""


class DuplicateError(ArgumentError, ValueError):
    """An axis named twice."""


class ShapeValueError(ShapeError, ValueError):
    """Shapes that do not go together, where Python users expect a `ValueError`."""


class ValueArgumentError(ArgumentError, ValueError):
    """An argument of the right kind with a value that the function cannot take."""


class UnsupportedError(ArgumentError, NotImplementedError):
    """An argument or a value of NumPy's or JAX's that treadle lacks (yet)."""

"""Names of NumPy's that hide Python's, or name a class of treadle's."""

from __future__ import annotations

from treadle_ir import Array
from treadle_numpy.numpy.dtypes.types import bool_

__all__ = ["bool", "ndarray"]

bool = bool_
ndarray = Array

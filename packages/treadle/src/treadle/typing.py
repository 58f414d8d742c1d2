"""Types for annotations."""

from __future__ import annotations

from treadle_numpy.operands.coerce import (
    ArrayLike as ArrayLike,
)
from treadle_numpy.operands.dtypes import (
    DTypeLike as DTypeLike,
)

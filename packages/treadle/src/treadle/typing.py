"""Types for annotations."""

from __future__ import annotations

from treadle_numpy.coercion import (
    ArrayLike as ArrayLike,
)
from treadle_numpy.dtypes import (
    DTypeLike as DTypeLike,
)

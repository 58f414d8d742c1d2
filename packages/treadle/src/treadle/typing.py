"""Types for annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy.operands.dtypes import (
    DTypeLike as DTypeLike,
)

if TYPE_CHECKING:
    from treadle_numpy.operands.coerce import (
        ArrayLike as ArrayLike,
    )
else:
    import numpy as np

    from treadle_ir import Array

    # Of classes alone: `isinstance(x, ArrayLike)` works, and libraries dispatch on it.
    ArrayLike = Array | np.ndarray | np.bool_ | np.number | bool | int | float | complex

"""How arrays are shown."""

from __future__ import annotations

import numpy as np

from treadle_ir import flags, integer_or_none
from treadle_numpy.operands.coerce import ArrayLike

__all__ = ["array_repr", "array_str", "get_printoptions", "printoptions", "set_printoptions"]

get_printoptions = np.get_printoptions
set_printoptions = np.set_printoptions
printoptions = np.printoptions


def array_repr(
    arr: ArrayLike,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """The elements as `repr` shows NumPy's."""
    flags("array_repr", suppress_small=suppress_small)
    max_line_width = integer_or_none("array_repr", "max_line_width", max_line_width)
    precision = integer_or_none("array_repr", "precision", precision)
    return np.array_repr(np.asarray(arr), max_line_width, precision, suppress_small)


def array_str(
    a: ArrayLike,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """The elements as `str` shows NumPy's."""
    flags("array_str", suppress_small=suppress_small)
    max_line_width = integer_or_none("array_str", "max_line_width", max_line_width)
    precision = integer_or_none("array_str", "precision", precision)
    return np.array_str(np.asarray(a), max_line_width, precision, suppress_small)

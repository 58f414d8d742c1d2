"""How arrays are shown."""

from __future__ import annotations

import numpy as np

from treadle_ir import ArgumentError
from treadle_ir.errors import flags, integer_or_none
from treadle_numpy.operands.arrays import Elements
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.sequences import array_from

__all__ = ["array_repr", "array_str", "get_printoptions", "printoptions", "set_printoptions"]

get_printoptions = np.get_printoptions
set_printoptions = np.set_printoptions
printoptions = np.printoptions


def _elements(function: str, x: ArrayLike) -> Elements:
    return x if isinstance(x, np.ndarray) else np.asarray(array_from(function, x, None))


def _precision(function: str, given: int | None) -> int | None:
    precision = integer_or_none(function, "precision", given)
    if precision is not None and not 0 <= precision < 1 << 15:
        raise ArgumentError(f"{function}: precision must be a number of digits, got {precision}")
    return precision


def array_repr(
    arr: ArrayLike,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """Return the elements as `repr` shows NumPy's.

    Example:
        >>> print(array_repr(np.array([1, 2, 3])))
        array([1, 2, 3])
    """
    flags("array_repr", suppress_small=suppress_small)
    max_line_width = integer_or_none("array_repr", "max_line_width", max_line_width)
    precision = _precision("array_repr", precision)
    return np.array_repr(_elements("array_repr", arr), max_line_width, precision, suppress_small)


def array_str(
    a: ArrayLike,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """Return the elements as `str` shows NumPy's.

    Example:
        >>> print(array_str(np.array([1, 2, 3])))
        [1 2 3]
    """
    flags("array_str", suppress_small=suppress_small)
    max_line_width = integer_or_none("array_str", "max_line_width", max_line_width)
    precision = _precision("array_str", precision)
    return np.array_str(_elements("array_str", a), max_line_width, precision, suppress_small)

"""Methods of arrays on their elements, whose signatures differ from the functions that they call."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_ir import Array
from treadle_numpy.lax.reinterpret import viewed
from treadle_numpy.numpy.searching import finding
from treadle_numpy.numpy.ufuncs import extremes, rounding
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype


def view(self: Array, dtype: DTypeLike | None = None, type: object = None) -> Array:
    """Return the same bits read as elements of another type; the last axis gets another size if their width differs.

    Raises:
        ArgumentError: there is no last axis, or its bits make no whole number of elements.
        UnsupportedError: a class of arrays is given for `type`: there is one only.
    """
    named_only("view", type=type)
    wanted = as_dtype("view", dtype)
    return self if wanted is None else viewed(self, wanted)


def clip(self: Array, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Array:
    """Return the numbers kept between two bounds; a bound that is None is not a bound."""
    return extremes.clip(self, min, max)


def compress(
    self: Array,
    condition: ArrayLike | Sequence[bool],
    axis: int | None = None,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = 0,
    out: None = None,
) -> Array:
    """Return the parts along an axis at the places where a condition holds; of the flat array by default.

    Example:
        >>> import treadle_numpy as tnp
        >>> print(tnp.arange(3).compress([True, False, True]))
        [0 2]
    """
    return finding.compress(condition, self, axis, size=size, fill_value=fill_value, out=out)


def round(self: Array, decimals: int = 0, out: None = None) -> Array:
    """Rounded to a number of decimals, halves to even."""
    return rounding.round(self, decimals, out)

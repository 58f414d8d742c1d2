"""Comparison, element by element."""

from __future__ import annotations

from treadle_numpy.numpy.ufuncs.making import comparison

__all__ = ["equal", "greater", "greater_equal", "less", "less_equal", "not_equal"]

equal = comparison("equal", "eq", "Whether they are equal.", "print(equal(1, 1.0))\n        True")
not_equal = comparison(
    "not_equal",
    "ne",
    "Whether they differ; NaN differs from itself.",
    "print(not_equal(1, 2))\n        True",
)
less = comparison(
    "less", "lt", "Whether the first is below the second.", "print(less(1, 2))\n        True"
)
less_equal = comparison(
    "less_equal",
    "le",
    "Whether the first is not above the second.",
    "print(less_equal(2, 1))\n        False",
)
greater = comparison(
    "greater", "gt", "Whether the first is above the second.", "print(greater(2, 1))\n        True"
)
greater_equal = comparison(
    "greater_equal",
    "ge",
    "Whether the first is not below the second.",
    "print(greater_equal(1, 1))\n        True",
)

"""Comparisons and logical functions, element by element."""

from __future__ import annotations

from functools import partial

from treadle_ir import Array, Operand, ops
from treadle_ir.calling import composed
from treadle_numpy.numpy.ufuncs.making import comparison
from treadle_numpy.numpy.ufuncs.universal import universal
from treadle_numpy.operands.broadcast import broadcast
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.scalars import truth

__all__ = [
    "equal",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "not_equal",
]


def _pair(name: str, x: object, y: object) -> list[Operand]:
    return broadcast(name, [truth(name, 0, x), truth(name, 1, y)])


@partial(universal, identity=True)
@composed
def logical_and(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Return whether both are true (not zero).

    Example:
        >>> print(logical_and(True, 2))
        True
    """
    return ops.and_(*_pair("logical_and", x, y))


@partial(universal, identity=False)
@composed
def logical_or(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Return whether either is true (not zero).

    Example:
        >>> print(logical_or(False, 2))
        True
    """
    return ops.or_(*_pair("logical_or", x, y))


@partial(universal, identity=False)
@composed
def logical_xor(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Return whether exactly one is true (not zero).

    Example:
        >>> print(logical_xor(True, 2))
        False
    """
    return ops.xor(*_pair("logical_xor", x, y))


@composed
def logical_not(x: ArrayLike, /) -> Array:
    """Return whether it is zero.

    Example:
        >>> print(logical_not(0))
        True
    """
    return ops.not_(truth("logical_not", 0, x))


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

"""Truth: logical functions."""

from __future__ import annotations

from functools import partial

from treadle_ir import Array, Operand, ops
from treadle_ir.calling import composed
from treadle_numpy.numpy.ufuncs.universal import universal
from treadle_numpy.operands.broadcast import broadcast
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.truth import truth

__all__ = ["logical_and", "logical_not", "logical_or", "logical_xor"]


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

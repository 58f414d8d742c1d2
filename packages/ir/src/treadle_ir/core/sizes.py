"""Sizes that may be symbolic: the interface for the rest of treadle, without importing the implementation.

Sizes are annotated as `int`. In a program with symbolic sizes, some are `Symbolic`, and act as integers: they can be
added, multiplied and compared. This module has the other operations on sizes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treadle_ir.symbolic.scope import SymbolicScope


class Symbolic(ABC):
    """The base of symbolic dimensions (`treadle_ir.symbolic.SymbolicDimension`)."""

    __slots__ = ()
    scope: SymbolicScope

    @abstractmethod
    def chosen(self, kind: str, other: object) -> Any:
        """Return the `max` or `min` of this and another size. Any: a size."""

    @abstractmethod
    def bounds(self) -> tuple[float, float]:
        """Return the least and the greatest value under the constraints; infinite if none is known."""

    @abstractmethod
    def variables(self) -> set[str]:
        """Return the names of the variables in this size."""


def is_symbolic(shape: Iterable[object]) -> bool:
    """Return whether any size of a shape is symbolic.

    Example:
        >>> is_symbolic((2, 3))
        False
    """
    return any([isinstance(n, Symbolic) for n in shape])


def is_symbolic_dim(p: object) -> bool:
    """Return whether a size is a symbolic dimension.

    Example:
        >>> is_symbolic_dim(3)
        False
    """
    return isinstance(p, Symbolic)


def max_dim(left: Any, right: Any) -> Any:
    """Return the greater of two sizes; a symbolic dimension if it is not known which it is. Any: sizes.

    Example:
        >>> max_dim(2, 3)
        3
    """
    if isinstance(left, Symbolic):
        return left.chosen("max", right)
    return right.chosen("max", left) if isinstance(right, Symbolic) else max(left, right)


def min_dim(left: Any, right: Any) -> Any:
    """Return the lesser of two sizes; a symbolic dimension if it is not known which it is. Any: sizes.

    Example:
        >>> min_dim(2, 3)
        2
    """
    if isinstance(left, Symbolic):
        return left.chosen("min", right)
    return right.chosen("min", left) if isinstance(right, Symbolic) else min(left, right)


def symbolic_dim_bounds(dimension: Any) -> tuple[float, float]:
    """Return the least and the greatest value that a size can have; infinite if none is known. Any: a size.

    Raises:
        ArgumentError: it is not a size.

    Example:
        >>> from treadle_ir.symbolic import SymbolicScope, read_dimension
        >>> symbolic_dim_bounds(read_dimension("2*b + 1", SymbolicScope(["b <= 8"])))
        (3, 17)
    """
    if isinstance(dimension, Symbolic):
        return dimension.bounds()
    from treadle_ir.errors.argument_checks import integer  # noqa: PLC0415 - it imports this module

    number = integer("symbolic_dim_bounds", "dimension", dimension)
    return number, number


def variables_of(size: object) -> set[str]:
    """Return the names of the variables in a size; none for an integer."""
    return size.variables() if isinstance(size, Symbolic) else set()


def scope_of(shapes: Iterable[Iterable[object]]) -> SymbolicScope | None:
    """Return the scope of the first symbolic dimension among shapes, or None."""
    for shape in shapes:
        for size in shape:
            if isinstance(size, Symbolic):
                return size.scope
    return None

"""Sizes that may be symbolic: what the rest of treadle asks of them, without importing what they can do.

Annotations of sizes say `int`. Where a program leaves sizes open, some are `Symbolic`, and act as integers: they add,
multiply and compare. What needs more than that of a size is here.
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
        """The `max` or `min` of this and another size. Any: a size."""

    @abstractmethod
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value under the constraints; infinite where none is known."""

    @abstractmethod
    def variables(self) -> set[str]:
        """The names of the sizes that it is made of."""


def is_symbolic(shape: Iterable[object]) -> bool:
    """Whether a size of a shape is symbolic.

    Example:
        >>> is_symbolic((2, 3))
        False
    """
    return any([isinstance(n, Symbolic) for n in shape])


def is_symbolic_dim(p: object) -> bool:
    """Whether a size is a symbolic dimension.

    Example:
        >>> is_symbolic_dim(3)
        False
    """
    return isinstance(p, Symbolic)


def max_dim(left: Any, right: Any) -> Any:
    """The greater of two sizes; a dimension where it is not known which. Any: sizes.

    Example:
        >>> max_dim(2, 3)
        3
    """
    if isinstance(left, Symbolic):
        return left.chosen("max", right)
    return right.chosen("max", left) if isinstance(right, Symbolic) else max(left, right)


def min_dim(left: Any, right: Any) -> Any:
    """The lesser of two sizes; a dimension where it is not known which. Any: sizes.

    Example:
        >>> min_dim(2, 3)
        2
    """
    if isinstance(left, Symbolic):
        return left.chosen("min", right)
    return right.chosen("min", left) if isinstance(right, Symbolic) else min(left, right)


def symbolic_dim_bounds(dimension: Any) -> tuple[float, float]:
    """The least and the greatest value that a size can have; infinite where none is known. Any: a size.

    Raises:
        ArgumentError: it is no size.

    Example:
        >>> from treadle_ir.symbolic import SymbolicScope, read_dimension
        >>> symbolic_dim_bounds(read_dimension("2*b + 1", SymbolicScope(["b <= 8"])))
        (3, 17)
    """
    if isinstance(dimension, Symbolic):
        return dimension.bounds()
    from treadle_ir.errors.argument_checks import integer  # noqa: PLC0415 - it knows sizes

    number = integer("symbolic_dim_bounds", "dimension", dimension)
    return number, number


def variables_of(size: object) -> set[str]:
    """The names that a size is made of; none of a known one."""
    return size.variables() if isinstance(size, Symbolic) else set()


def scope_of(shapes: Iterable[Iterable[object]]) -> SymbolicScope | None:
    """The scope of the first symbolic dimension among shapes, if there is one."""
    for shape in shapes:
        for size in shape:
            if isinstance(size, Symbolic):
                return size.scope
    return None

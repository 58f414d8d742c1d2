"""`SymbolicDimension`: a size that is not known yet, and acts as an integer where that can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn, cast, final

import numpy as np

from treadle_ir.core.sizes import Symbolic
from treadle_ir.errors.kinds import ArgumentError, ShapeError, SymbolicSizeError
from treadle_ir.symbolic.polynomial import Polynomial, constant, substituted
from treadle_ir.symbolic.scope import SymbolicScope
from treadle_ir.tracing.array import Array

_HIGHEST_POWER: Final = 16
_COMPARISONS: Final = {">=": "ge", ">": "gt", "<=": "le", "<": "lt"}


@final
class SymbolicDimension(Symbolic):
    """A polynomial over the sizes that a program leaves open; made by `export.symbolic_shape`.

    Adding, subtracting, multiplying, `//`, `%`, `max_dim` and `min_dim` give dimensions. Comparisons are decided by
    the constraints, or refused; `==` is False where the sizes can differ. In arithmetic with arrays and floats it is
    an integer scalar.

    Raises:
        SymbolicSizeError: by what needs the number itself: `int`, `range`, a comparison that can be either.
    """

    __slots__ = ("__weakref__", "_hash", "polynomial", "scope")
    __array_ufunc__ = None  # NumPy's scalars leave arithmetic to dimensions

    polynomial: Polynomial
    scope: SymbolicScope
    _hash: int

    def __init__(self, polynomial: Polynomial, scope: SymbolicScope) -> None:
        object.__setattr__(self, "polynomial", polynomial)
        object.__setattr__(self, "scope", scope)
        object.__setattr__(self, "_hash", hash((polynomial, scope)))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"SymbolicDimension is immutable; `{name}` cannot be set")

    def __reduce__(self) -> tuple[Any, ...]:
        return read_dimension, (str(self), self.scope)

    def __copy__(self) -> SymbolicDimension:
        return self

    def __deepcopy__(self, memo: object) -> SymbolicDimension:
        return self

    def __str__(self) -> str:
        return str(self.polynomial)

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    # --- arithmetic ---

    def __add__(self, other: object) -> Any:
        found = self._operand(other)
        if found is None:
            return _as_value("add", self, other)
        return made(self.polynomial + found, self.scope)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        found = self._operand(other)
        if found is None:
            return _as_value("sub", self, other)
        return made(self.polynomial - found, self.scope)

    def __rsub__(self, other: object) -> Any:
        found = self._operand(other)
        if found is None:
            return _as_value("rsub", self, other)
        return made(found - self.polynomial, self.scope)

    def __mul__(self, other: object) -> Any:
        found = self._operand(other)
        if found is None:
            return _as_value("mul", self, other)
        return made(self.polynomial * found, self.scope)

    __rmul__ = __mul__

    def __floordiv__(self, other: object) -> Any:
        return self._divided("floordiv", other, swapped=False)

    def __rfloordiv__(self, other: object) -> Any:
        return self._divided("floordiv", other, swapped=True)

    def __mod__(self, other: object) -> Any:
        return self._divided("mod", other, swapped=False)

    def __rmod__(self, other: object) -> Any:
        return self._divided("mod", other, swapped=True)

    def _divided(self, kind: str, other: object, *, swapped: bool) -> Any:
        found = self._operand(other)
        if found is None:
            return _as_value(("r" if swapped else "") + kind, self, other)
        left, right = (found, self.polynomial) if swapped else (self.polynomial, found)
        if not right.terms:
            raise ZeroDivisionError("integer division or modulo by zero")
        return made(self.scope.operation(kind, left, right), self.scope)

    def __divmod__(self, other: object) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self, other: object) -> tuple[Any, Any]:
        return other // self, other % self

    def __pow__(self, exponent: object) -> Any:
        if isinstance(exponent, int) and 0 <= exponent <= _HIGHEST_POWER:
            return made(self.polynomial.power(exponent), self.scope)
        return _as_value("pow", self, exponent)

    def __rpow__(self, base: object) -> Any:
        return _as_value("rpow", self, base)

    def __truediv__(self, other: object) -> Any:
        return _as_value("truediv", self, other)

    def __rtruediv__(self, other: object) -> Any:
        return _as_value("rtruediv", self, other)

    def __neg__(self) -> SymbolicDimension | int:
        negative: SymbolicDimension | int = made(self.polynomial.scaled(-1), self.scope)
        return negative

    def __pos__(self) -> SymbolicDimension:
        return self

    def __abs__(self) -> SymbolicDimension | int:
        return self if self >= 0 else -self

    # --- comparison ---

    def __eq__(self, other: object) -> Any:
        if isinstance(other, SymbolicDimension):
            return self.polynomial == other.polynomial and self.scope == other.scope
        return _as_value("eq", self, other) if _is_array(other) else False  # a known size is an int

    def __ne__(self, other: object) -> Any:
        return _as_value("ne", self, other) if _is_array(other) else not self == other

    def __hash__(self) -> int:
        return self._hash

    def __ge__(self, other: object) -> Any:
        return self._compared(other, ">=", 0)

    def __gt__(self, other: object) -> Any:
        return self._compared(other, ">", 1)

    def __le__(self, other: object) -> Any:
        return self._compared(other, "<=", 0)

    def __lt__(self, other: object) -> Any:
        return self._compared(other, "<", 1)

    def _compared(self, other: object, relation: str, least: int) -> Any:
        found = self._operand(other)
        if found is None:
            return _as_value(_COMPARISONS[relation], self, other)
        difference = self.polynomial - found
        if relation[0] == "<":
            difference = difference.scaled(-1)
        low, high = self.scope.bounds(difference)
        if low >= least:
            return True
        if high < least:
            return False
        raise undecided(f"{self} {relation} {other}", difference - constant(least), self.scope)

    def __bool__(self) -> bool:
        low, high = self.scope.bounds(self.polynomial)
        if low > 0 or high < 0:
            return True
        raise undecided(f"{self} != 0", self.polynomial - constant(1), self.scope)

    # --- as an integer ---

    def __index__(self) -> int:
        raise SymbolicSizeError(
            f"the symbolic dimension {self} was used where its value is needed: by int, range, or a static argument",
            fix="use treadle's functions, which take symbolic sizes, or export the function for a known size",
        )

    __int__ = __index__
    __float__ = __index__

    # --- as an array ---

    def __treadle_array__(self) -> Any:
        """Return its value as a weak integer scalar, in a program that is being staged."""
        from treadle_ir.primitives.creation import dimension_size  # noqa: PLC0415 - it knows types, which know sizes

        size: Any = self
        return dimension_size(size)

    # --- further questions ---

    def _operand(self, other: object) -> Polynomial | None:
        """Return `other` as a polynomial of the same scope, or None if arithmetic of sizes does not accept it."""
        if isinstance(other, SymbolicDimension):
            if other.scope is not self.scope and other.scope != self.scope:
                raise ArgumentError(
                    f"the symbolic dimensions {self} and {other} are of different scopes: {self.scope} and "
                    f"{other.scope}",
                    fix="make both with one call of symbolic_shape, or pass scope=... to the second",
                )
            return other.polynomial
        if isinstance(other, (int, np.integer)):
            return constant(int(other))
        return None

    def bounds(self) -> tuple[float, float]:
        """Return the least and the greatest value under the constraints; infinite where none is known."""
        low, high = self.scope.bounds(self.polynomial)
        return cast("tuple[float, float]", (low, high))

    def chosen(self, kind: str, other: object) -> Any:
        """Return the `max` or `min` of this and another size; a dimension where it is not known which. Any: as `made`.

        Raises:
            ShapeError: `other` is not a size.
        """
        found = self._operand(other)
        if found is None:
            raise ShapeError(f"{kind}: {self} and {other!r} are not both sizes")
        return made(self.scope.operation(kind, self.polynomial, found), self.scope)

    def variables(self) -> set[str]:
        """Return the names of the sizes that it is made of."""
        return self.polynomial.variables()

    def at(
        self, values: Mapping[str, SymbolicDimension | int], scope: SymbolicScope
    ) -> SymbolicDimension | int:
        """Return the dimension with other sizes, symbolic or not, for its names; in their scope."""
        known = {name: polynomial_of(value) for name, value in values.items()}
        found: SymbolicDimension | int = made(
            substituted(self.polynomial, known, scope.operation), scope
        )
        return found


def polynomial_of(size: SymbolicDimension | int) -> Polynomial:
    """Return a size as a polynomial."""
    return size.polynomial if isinstance(size, SymbolicDimension) else constant(size)


def made(polynomial: Polynomial, scope: SymbolicScope) -> Any:
    """Return the size that a polynomial is: an `int` when it is constant. Any: annotations of shapes say `int`."""
    polynomial = scope.normal(polynomial)
    number = polynomial.constant
    return int(number) if number is not None else SymbolicDimension(polynomial, scope)


def read_dimension(text: str, scope: SymbolicScope) -> Any:
    """Return the size that a text denotes. Any: as `made`.

    Raises:
        ArgumentError: it is none.
    """
    from treadle_ir.symbolic.parsing import Reader  # noqa: PLC0415 - only texts need it

    return made(Reader(text, scope, "dimension").dimension(), scope)


def read_shape(
    text: str, scope: SymbolicScope, like: Sequence[int | None] | None = None
) -> tuple[Any, ...]:
    """Parse the sizes in `text`, with placeholders filled from `like`. Any: as `made`.

    Raises:
        ArgumentError: it does not parse.
    """
    from treadle_ir.symbolic.parsing import Reader  # noqa: PLC0415 - only texts need it

    sizes = Reader(text, scope, "shape").shape(like)
    return tuple([made(each, scope) if isinstance(each, Polynomial) else each for each in sizes])


def undecided(question: str, difference: Polynomial, scope: SymbolicScope) -> SymbolicSizeError:
    """Return the error for a comparison that the constraints do not decide."""
    known = f" under the constraints {', '.join(scope.constraints)}" if scope.constraints else ""
    number = difference.offset
    wanted = f"{difference - constant(number)} >= {-number}"
    return SymbolicSizeError(
        f"the comparison `{question}` of symbolic dimensions is inconclusive{known}",
        fix=f'if it always holds, add it: symbolic_shape(..., constraints=["{wanted}"]); sizes of arrays outside of a '
        "program that is being staged must be known",
    )


def _as_value(name: str, dimension: SymbolicDimension, other: object) -> Any:
    """Apply the operator `name` to the dimension's value as an array, if `other` is not a size. Any: its result."""
    if other is None or isinstance(other, (str, tuple, list)):
        return NotImplemented
    return getattr(dimension.__treadle_array__(), f"__{name}__")(
        other.__treadle_array__() if isinstance(other, SymbolicDimension) else other
    )


def _is_array(value: object) -> bool:
    return isinstance(value, (Array, np.ndarray, np.generic)) and not isinstance(value, np.integer)

"""Zeros that need no array, and what stands for linear operands, as rules of libraries see them."""

from __future__ import annotations

from typing import final

from treadle.core import AbstractValue, aval_of, type_of_aval
from treadle_autodiff import Zero as _Zero, materialise
from treadle_ir import Array, type_of
from treadle_ir.calling import as_array


@final
class Zero:
    """A tangent that is known to be zero."""

    def __init__(self, aval: AbstractValue) -> None:
        self.aval = aval

    @staticmethod
    def from_primal_value(value: object) -> Zero:
        """Return the zero tangent of a value."""
        return Zero(aval_of(type_of(as_array(value)).tangent()))

    def instantiate(self) -> Array:
        """Return an array of zeros."""
        return zeros_like_aval(self.aval)

    def __repr__(self) -> str:
        return f"Zero({self.aval})"


@final
class UndefinedPrimal:
    """Stands in a transposition for an operand in which the operation is linear."""

    def __init__(self, aval: AbstractValue) -> None:
        self.aval = aval

    def __repr__(self) -> str:
        return f"UndefinedPrimal({self.aval})"


def is_undefined_primal(x: object) -> bool:
    """Return whether a value stands for an operand in which an operation is linear."""
    return type(x) is UndefinedPrimal


def zeros_like_aval(aval: AbstractValue) -> Array:
    """Return an array of zeros of a type."""
    return as_array(materialise(_Zero(type_of_aval(aval))))

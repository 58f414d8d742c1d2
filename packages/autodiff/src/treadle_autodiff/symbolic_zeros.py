"""Symbolic zeros: rules with `symbolic_zeros=True` receive and return them for zero tangents and cotangents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

from treadle_autodiff.tangents import Zero, presented, zeros
from treadle_autodiff.user_function import Tree
from treadle_ir import ArgumentError, Array, ArrayType, Operand, type_of
from treadle_ir.calling import as_array, refuse_others, type_like
from treadle_ir.core import Typed
from treadle_ir.errors import flags
from treadle_ir.primitives.call import Given
from treadle_ir.tree import PyTreeDef, flatten_leaves_and_structure, tree_map


@final
class SymbolicZero(Typed):
    """A tangent or cotangent that is known to be zero: a leaf in the place of an array.

    `aval` is what is known of the array that it stands for; anything with a shape and an element type, such as a
    `ShapeDtypeStruct`, makes one.

    Raises:
        ArgumentError: `aval` has no shape and element type.

    Example:
        >>> import numpy as np
        >>> zero = SymbolicZero(np.ones((2, 3), np.float32))
        >>> zero.shape, zero.dtype
        ((2, 3), dtype('float32'))
    """

    __slots__ = ("aval", "type")

    def __init__(self, aval: Any) -> None:  # Any: whatever has a shape and an element type
        self.type = aval if isinstance(aval, ArrayType) else type_like("SymbolicZero", aval)
        self.aval = aval

    @staticmethod
    def from_primal_value(val: Operand) -> SymbolicZero:
        """Return the zero tangent of an array: of its type, of element type float0 where that has no tangents.

        Example:
            >>> SymbolicZero.from_primal_value(1.5).dtype
            dtype('float32')
        """
        return SymbolicZero(type_of(as_array(val)).tangent())

    def __repr__(self) -> str:
        return "SymbolicZero"


@final
@dataclass(frozen=True)
class CustomVJPPrimal:
    """An argument of a forward rule with `symbolic_zeros=True`: its value, and whether it has a tangent."""

    value: Any  # of whatever kind the leaf is
    perturbed: bool


def custom_vjp_primal_tree_values(tree: Tree) -> Tree:
    """Return the values of a tree of `CustomVJPPrimal`s.

    Raises:
        ArgumentError: a leaf is something else.

    Example:
        >>> custom_vjp_primal_tree_values((CustomVJPPrimal(1.0, True), {"a": CustomVJPPrimal(2.0, False)}))
        (1.0, {'a': 2.0})
    """

    def value(leaf: object) -> object:
        if not isinstance(leaf, CustomVJPPrimal):
            raise ArgumentError(
                f"custom_vjp_primal_tree_values: a leaf is of type {type(leaf)}, not a CustomVJPPrimal",
                fix="use it on arguments of a forward rule that was set with symbolic_zeros=True",
            )
        return leaf.value

    return tree_map(value, tree)


def zero_from_primal(val: Tree, symbolic_zeros: bool = False) -> Tree:
    """Return the zero tangent of an array, or of each array of a tree: an array of zeros, or a symbolic zero.

    Raises:
        ArgumentError: a leaf of `val` is neither an array nor a number, or `symbolic_zeros` is not a boolean.

    Example:
        >>> import numpy as np
        >>> print(zero_from_primal(np.ones(2, np.float32)))
        [0. 0.]
        >>> zero_from_primal({"a": 1.0}, symbolic_zeros=True)
        {'a': SymbolicZero}
    """
    flags("zero_from_primal", symbolic_zeros=symbolic_zeros)

    def zero(leaf: Tree) -> Array | SymbolicZero:
        array = as_array(leaf)
        type = type_of(array).tangent()
        return SymbolicZero(type) if symbolic_zeros else presented(Zero(type), type_of(array))

    return tree_map(zero, val)


def shown_zeros(
    given: Given, types: Sequence[ArrayType], symbolic: bool
) -> list[Operand | SymbolicZero]:
    """Return tangents of primals of these types in the form for a rule: zeros are symbolic, or arrays."""

    def make(type: ArrayType) -> Operand | SymbolicZero:
        return SymbolicZero(type) if symbolic else as_array(zeros(type))

    return [
        make(type.tangent()) if tangent is None else as_array(tangent)
        for tangent, type in zip(given, types, strict=True)
    ]


def flatten_tangents(tree: Tree, what: str) -> tuple[list[Array | SymbolicZero], PyTreeDef]:
    """Apply `flatten_arrays` to a tree that may have symbolic zeros for leaves.

    Raises:
        ArgumentError: a leaf is not an array, a number or a symbolic zero.
    """
    leaves, structure = flatten_leaves_and_structure(tree)
    numbers = [0.0 if isinstance(leaf, SymbolicZero) else leaf for leaf in leaves]
    refuse_others(tree, numbers, what)
    return [
        leaf if isinstance(leaf, SymbolicZero) else as_array(leaf) for leaf in leaves
    ], structure

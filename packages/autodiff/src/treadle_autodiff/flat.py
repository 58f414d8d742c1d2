"""Users' functions take and give trees; derivatives are taken of functions of flat operands.

Here are the way from one to the other and back, and the checks of what users pass in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, final

import numpy as np

from treadle_autodiff.dual import DualTracer
from treadle_autodiff.tangents import Tangent, Zero
from treadle_ir import (
    ArgumentError,
    Operand,
    Operands,
    ShapeError,
    StructureError,
    as_array,
    float0,
    ops,
    type_of,
)
from treadle_ir.tree import (
    explain_difference,
    flatten_leaves_and_structure,
    keystr,
    tree_flatten_with_path,
    tree_unflatten,
)

Tree: TypeAlias = Any  # a pytree: any Python object
Flattened: TypeAlias = tuple[list[Operand], Any]  # leaves and structure


def flatten_arrays(tree: Tree, what: str) -> Flattened:
    """Leaves and structure of a tree of arrays; a leaf that is none is named by its path.

    Raises:
        ArgumentError: a leaf is not an array or a number.
    """
    leaves, structure = flatten_leaves_and_structure(tree)
    refuse_others(tree, leaves, what)
    return list(map(as_array, leaves)), structure


def refuse_others(tree: Tree, leaves: Sequence[object], what: str) -> None:
    """Raise if a leaf of the tree is not an array or a number, and name it by its path.

    Raises:
        ArgumentError: there is one.
    """
    for leaf in leaves:
        try:
            type_of(leaf)
        except ArgumentError as error:
            paths, _ = tree_flatten_with_path(tree)
            path = next(keystr(path) for path, other in paths if other is leaf)
            raise ArgumentError(
                f"{what}{path} is {leaf!r} of type {type(leaf)}, which is not an array or a number",
                fix="mark it static, close over it, or register its class as a pytree",
            ) from error


def argument_positions(
    argnums: int | Sequence[int], count: int, what: str, never: str
) -> tuple[int, ...]:
    """Positions among `count` positional arguments, counted from the front.

    `what` names the option, and `never` says what keyword arguments are not.

    Raises:
        ArgumentError: they are not integers, or there is no such argument.
    """
    given = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    for i in given:
        if not isinstance(i, (int, np.integer)):
            raise ArgumentError(
                f"{what} must be integers, but one is {i!r} of type {type(i).__name__}"
            )
        if not -count <= i < count:
            raise ArgumentError(
                f"{what} is {argnums}, but the function was called with {count} positional "
                f"argument{'s' if count != 1 else ''}",
                fix=f"count positional arguments from 0; keyword arguments are not {never}",
            )
    return tuple(int(i) % count for i in given)


def same_structure(what: str, structure: object, other_name: str, other: object) -> None:
    """Refuse two trees of different structure, naming the paths.

    Raises:
        StructureError: they differ.
    """
    if structure != other:
        lines = "; ".join(explain_difference(structure, other))  # type: ignore[arg-type]
        raise StructureError(
            f"{what} and {other_name} must be pytrees of one structure, but they differ {lines}",
            fix=f"build {what} with treadle.tree.map over {other_name}",
        )


def check_tangent(what: str, primal: object, tangent: Operand) -> Tangent:
    """A tangent checked against its primal's type; integers take float0 tangents, which are zero.

    Raises:
        ShapeError: shapes differ or the element type is not the primal's.
    """
    expected, given = type_of(primal).tangent(), type_of(tangent)
    if expected.dtype == float0:
        if given.dtype != float0 or given.shape != expected.shape:
            raise ShapeError(
                f"{what} is {given}, but the primal is {type_of(primal)}, whose tangents are {expected}",
                fix="pass np.zeros(shape, dtype=treadle.float0), or convert the primal to a floating type",
            )
        return Zero(expected)
    if given.shape != expected.shape or given.dtype != expected.dtype:
        if given.weak and given.shape == expected.shape == ():
            return ops.convert(tangent, dtype=expected.dtype)  # a Python number
        raise ShapeError(
            f"{what} is {given}, but the primal is {expected.strong()}; they must have one shape and element type",
            fix=f"convert or broadcast it to {expected.strong()}",
        )
    return tangent


def check_tangents(what: str, primals: Operands, tangents: Operands) -> list[Tangent]:
    """`check_tangent` of each; `what` is followed by the number of the tangent.

    Raises:
        ShapeError: shapes differ or the element type is not the primal's.
    """
    return [
        check_tangent(f"{what} {i}", primal, tangent)
        for i, (primal, tangent) in enumerate(zip(primals, tangents, strict=True))
    ]


def _flatten_results(output: Tree) -> Flattened:
    return flatten_arrays(output, "the function's result ")


@final
class FlatFunction:
    """A user's function as one of flat operands, which remembers what is no operand.

    `arguments` makes the positional arguments of flat operands. After the call there are the `structure` of the
    results, and `aux`: with `has_aux` the second thing that the function returned, alone in a tuple, else ().
    """

    __slots__ = ("_arguments", "_aux", "_flatten", "_fun", "_has_aux", "_name", "structure")

    def __init__(
        self,
        name: str,
        fun: Callable[..., Tree],
        arguments: Callable[[Operands], Sequence[Tree]],
        has_aux: bool = False,
        flatten: Callable[[Tree], Flattened] = _flatten_results,
    ) -> None:
        self._name, self._fun, self._arguments = name, fun, arguments
        self._has_aux, self._flatten = has_aux, flatten
        self._aux: Tree = None
        self.structure: Any = None

    def __call__(self, *operands: Operand) -> Operands:
        """Run the function; errors are named after the transformation."""
        output = self._fun(*self._arguments(operands))
        if self._has_aux:
            if not isinstance(output, tuple) or len(output) != 2:
                raise ArgumentError(
                    f"{self._name}: with has_aux=True the function must return a pair (result, aux), "
                    f"but it returned {type(output).__name__}",
                    fix="return `result, aux`, or drop has_aux",
                )
            output, self._aux = output
        results, self.structure = self._flatten(output)
        return results

    def tree(self, leaves: Sequence[Tree]) -> Tree:
        """Leaves in the structure of the results."""
        return tree_unflatten(self.structure, leaves)

    @property
    def aux(self) -> tuple[Tree, ...]:
        """The auxiliary output, its tracers of a transformation that is over replaced by their primals."""
        if not self._has_aux:
            return ()
        leaves, structure = flatten_leaves_and_structure(self._aux)
        released = [
            leaf.primal if isinstance(leaf, DualTracer) and leaf.trace.closed else leaf
            for leaf in leaves
        ]
        return (tree_unflatten(structure, released),)

"""A user's function at a point, ready to be differentiated: what jvp, linearize, vjp and grad share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from treadle_autodiff.dual import DualTracer
from treadle_ir import ArgumentError, UnsupportedError
from treadle_ir.calling import TreeFunction, array_results, results_and_aux
from treadle_ir.tree import PyTreeDef, flatten_leaves_and_structure, tree_unflatten

Tree: TypeAlias = Any  # a pytree: any Python object
# of the results, and the aux output if there is one
Aux = TypeVar("Aux")
Structured: TypeAlias = tuple[PyTreeDef, tuple[Tree, ...]]


def of_positional(
    name: str, function: Callable[..., Tree], structure: PyTreeDef, has_aux: bool
) -> TreeFunction[Structured]:
    """Wrap a function as a function of the leaves of its positional arguments, which have this structure."""
    return TreeFunction(
        function,
        lambda operands: (tree_unflatten(structure, operands), {}),
        results_and_aux(name, array_results(), has_aux),
    )


def released(aux: Aux) -> Aux:
    """Auxiliary output with the primals in the places of tracers whose transformation is over."""
    leaves, structure = flatten_leaves_and_structure(aux)
    result: Aux = tree_unflatten(
        structure,
        [
            leaf.primal if isinstance(leaf, DualTracer) and leaf.owner.closed else leaf
            for leaf in leaves
        ],
    )
    return result


def no_reduced_axes(who: str, reduce_axes: object) -> None:
    """Refuse axes to sum gradients over, an argument of earlier releases.

    Raises:
        UnsupportedError: some are given.
    """
    if not isinstance(reduce_axes, tuple) or reduce_axes:
        raise UnsupportedError(
            f"{who}: the argument `reduce_axes` is not supported",
            fix="sum the gradients yourself: `treadle.lax.psum(gradients, axis_name)`",
        )


def check_callable(function: object, name: str) -> None:
    """Refuse an object that is not a function.

    Raises:
        ArgumentError: it cannot be called.
    """
    if not callable(function):
        raise ArgumentError(
            f"{name}: the first argument must be a function, but it is {type(function).__name__}",
            fix=f"write {name}(f)(x), not {name}(f(x))",
        )

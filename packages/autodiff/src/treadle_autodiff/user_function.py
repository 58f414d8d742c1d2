"""A user's function at a point, ready to be differentiated: what jvp, linearize, vjp and grad share.

A derivative function knows which function it is the derivative of, for diagnostics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, final

from treadle_autodiff.dual import DualTracer
from treadle_ir import ArgumentError, UnsupportedError
from treadle_ir.calling import TreeFunction, array_results, results_and_aux
from treadle_ir.tree import PyTreeDef, flatten_leaves_and_structure, tree_unflatten

Tree: TypeAlias = Any  # a pytree: any Python object
# of the results, and the aux output if there is one
Aux = TypeVar("Aux")
Argnums: TypeAlias = int | Sequence[int]
_NAME: Final = "__treadle_derivative__"
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


@final
class Differentiated(NamedTuple):
    """A derivative: of which function, with respect to which arguments.

    Attributes:
        mode: the transformation: `grad`, `value_and_grad`, `jacrev` or `jacfwd`.
        function: the function that is differentiated. Any: of users.
        argnums: the positions of the differentiated arguments, as the user gave them.
        has_aux: whether the function returns auxiliary output, too.
    """

    mode: str
    function: Callable[..., Any]
    argnums: Argnums
    has_aux: bool

    def positions(self, count: int) -> tuple[int, ...]:
        """Return the positions of the differentiated arguments, counted from 0.

        Args:
            count: the number of positional arguments.
        """
        given = (self.argnums,) if isinstance(self.argnums, int) else tuple(self.argnums)
        return tuple([number % count if count else number for number in given])


def note_derivative(
    derivative: Callable[..., Any],
    mode: str,
    function: Callable[..., Any],
    argnums: Argnums,
    has_aux: bool,
) -> None:
    """Let a function know what it is the derivative of. Any: functions of users.

    Args:
        derivative: the wrapper that a transformation returns.
        mode: the transformation's name.
        function: the function that is differentiated.
        argnums: the positions of the differentiated arguments.
        has_aux: whether the function returns auxiliary output, too.
    """
    derivative.__dict__[_NAME] = mode, function, argnums, has_aux  # a plain tuple takes less time


def derivative_of(function: object) -> Differentiated | None:
    """Return what a function is the derivative of; None if it is another function.

    Wrappers inherit the attributes of the functions they wrap, so a note counts only where the function it is about is
    the function that was wrapped last.

    Args:
        function: any function, such as `grad(f)`.

    Example:
        >>> from treadle_ir import ops
        >>> from treadle_autodiff import derivative_of, grad
        >>> derivative_of(grad(ops.sine)).mode, derivative_of(ops.sine)
        ('grad', None)
    """
    names = getattr(function, "__dict__", {})
    if _NAME not in names:
        return None
    found = Differentiated(*names[_NAME])
    return found if names.get("__wrapped__") is found.function else None

"""Functions of trees as functions of flat operands: every transformation begins with this conversion.

A user's function takes and returns trees; `jvp`, `vmap`, `jit` and the loops work on flat operands. A `TreeFunction`
is the user's function as a function of flat operands. It returns two things: the flat results, and auxiliary
(non-array) output (the structure of the results, `aux`), which the flat transformations pass through (`stage_tree` and
its relatives). It stores nothing between calls, so it may run in several threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeAlias, TypeVar, final

from treadle_ir.calling.operands import as_array, operand_or_none
from treadle_ir.errors.kinds import ArgumentError
from treadle_ir.tracing.array import Array, Operand, Operands
from treadle_ir.tree import (
    PyTreeDef,
    flatten_leaves_and_structure,
    keystr,
    leaf_paths,
)

Tree: TypeAlias = Any  # a pytree: any Python object
Out = TypeVar("Out")
FlatArguments: TypeAlias = Callable[[Sequence[Any]], tuple[Sequence[Tree], dict[str, Tree]]]


@final
class TreeFunction(Generic[Out]):
    """A function of trees as a function of flat operands, which returns flat results and auxiliary output.

    `arguments` makes the positional and keyword arguments from the flat operands; `results` flattens the result of the
    function.
    """

    __slots__ = ("_arguments", "_results", "function")

    def __init__(
        self,
        function: Callable[..., Tree],
        arguments: FlatArguments,
        results: Callable[[Tree], tuple[Operands, Out]],
    ) -> None:
        self.function = function
        self._arguments = arguments
        self._results = results

    def __call__(self, *operands: Operand) -> tuple[Operands, Out]:
        """Run the function."""
        args, kwargs = self._arguments(operands)
        return self._results(self.function(*args, **kwargs))


def flatten_arrays(tree: Tree, what: str) -> tuple[list[Array], PyTreeDef]:
    """Return leaves and structure of a tree of arrays and numbers, with the leaves converted to arrays.

    `what` begins messages and is followed by the path of a leaf: "argument 0", "the function's result ".

    Raises:
        ArgumentError: a leaf is not an array or a number.
    """
    leaves, structure = flatten_leaves_and_structure(tree)
    refuse_others(tree, leaves, what)
    return list(map(as_array, leaves)), structure


def refuse_others(tree: Tree, leaves: Sequence[object], what: str) -> None:
    """Refuse a tree with a leaf that is not an array or a number; the error names it by its path.

    Raises:
        ArgumentError: there is such a leaf.
    """
    for number, leaf in enumerate(leaves):
        if not isinstance(leaf, Array) and operand_or_none(leaf) is None:
            path = keystr(leaf_paths(tree)[number])
            raise no_array(
                what, path, leaf, "mark it static, close over it, or register its class as a pytree"
            )


def no_array(what: str, path: str, leaf: object, fix: str) -> ArgumentError:
    """Return the error for a leaf that is neither an array nor a number; `what` ends with a space if it is a result.

    Example:
        >>> print(no_array("the result ", "", "a", "close over it"))
        the result is 'a' of type <class 'str'>, which is not an array or a number
    """
    from treadle_ir.refs.references import is_reference  # noqa: PLC0415 - for the message

    shown = f"{leaf!r:.200} of type {type(leaf)}"
    if what.endswith(" "):
        fix = "return arrays, numbers, or trees of them"
    elif is_reference(leaf):
        shown = leaf.what
        fix = "pass what it holds, `ref[...]`, or let the function close over the reference"
    return ArgumentError(
        f"{(what + path).rstrip()} is {shown}, which is not an array or a number",
        fix=fix,
    )


def array_results(
    what: str = "the function's result ",
) -> Callable[[Tree], tuple[Operands, PyTreeDef]]:
    """Return a function that flattens a result, which is a tree of arrays, to its leaves and its structure."""
    return lambda tree: flatten_arrays(tree, what)


def results_and_aux(
    name: str, results: Callable[[Tree], tuple[Operands, Out]], has_aux: bool
) -> Callable[[Tree], tuple[Operands, tuple[Out, tuple[Tree, ...]]]]:
    """Return a function that flattens a result, which is with `has_aux` a pair `(result, aux)`, and passes on `aux`.

    The auxiliary output of the flat function is a pair: the auxiliary output of `results`, and a tuple with `aux`, or
    an empty one. `name` begins messages.

    Raises:
        ArgumentError: raised by the returned function, if `has_aux` is set and the result is not a pair.
    """

    def split(output: Tree) -> tuple[Operands, tuple[Out, tuple[Tree, ...]]]:
        aux: tuple[Tree, ...] = ()
        if has_aux:
            if not isinstance(output, (tuple, list)) or len(output) != 2:
                raise ArgumentError(
                    f"{name}: with has_aux=True the function must return a pair (result, aux), "
                    f"but it returned {type(output).__name__}",
                    fix="return `result, aux`, or drop has_aux",
                )
            output, second = output
            aux = (second,)
        flat, out = results(output)
        return flat, (out, aux)

    return split

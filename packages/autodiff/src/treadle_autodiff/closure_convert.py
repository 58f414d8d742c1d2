"""closure_convert: a function with the traced arrays that it closes over as arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treadle_autodiff.checked_tangents import same_structure
from treadle_autodiff.closed_references import stage_with_references
from treadle_autodiff.pushed_references import GivenReferences, has_references
from treadle_autodiff.user_function import Tree, check_callable
from treadle_ir import ArgumentError, Operand, type_of
from treadle_ir.calling import TreeFunction, array_results, flatten_arrays
from treadle_ir.core import dtypes
from treadle_ir.tracing import Tracer, interpret_unchecked as interpret
from treadle_ir.tree import tree_unflatten


def closure_convert(
    fun: Callable[..., Tree], *example_args: Tree
) -> tuple[Callable[..., Tree], list[Any]]:  # Any: traced arrays
    """A function and the arrays that it closes over and that may be differentiated, so that they can be passed to it.

    Those are traced arrays of floating and complex elements: for functions of functions with derivative rules of their
    own, which cover arguments only.

    Args:
        fun: a function of trees of arrays.
        example_args: arguments like those it will be called with; shapes and element types matter only. References
            are read and written when the converted function is called, also those that `fun` closes over.

    Returns:
        `converted, hoisted`: `converted(*args, *hoisted)` is `fun(*args)`.

    Raises:
        ArgumentError: an argument is not a tree of arrays, or `converted` is called without all that was hoisted.
        StructureError: `converted` is called with arguments of another structure.

    Example:
        >>> from treadle_autodiff import closure_convert, grad
        >>> from treadle_ir import ops
        >>> def loss(y):
        ...     converted, hoisted = closure_convert(lambda x: ops.multiply(x, y), 1.0)
        ...     return converted(3.0, *hoisted)
        >>> print(grad(loss)(2.0))
        3.0
    """
    check_callable(fun, "closure_convert")
    if has_references(example_args):
        return _of_references(fun, example_args)
    leaves, structure = flatten_arrays(example_args, "closure_convert: argument ")
    function = TreeFunction(
        fun,
        lambda operands: (tree_unflatten(structure, operands), {}),
        array_results("closure_convert: result "),
    )
    found = stage_with_references(function, [type_of(leaf) for leaf in leaves])
    staged, out = found.staged, found.out
    is_hoisted = [
        isinstance(x, Tracer) and dtypes.is_inexact(type_of(x).dtype) for x in staged.captured
    ]
    hoisted = [x for x, flag in zip(staged.captured, is_hoisted, strict=True) if flag]

    def converted(*args_and_hoisted: Tree) -> Tree:
        count = len(args_and_hoisted) - len(hoisted)
        if count != len(example_args):
            raise ArgumentError(
                f"closure_convert: the converted function takes {len(example_args)} arguments and the "
                f"{len(hoisted)} arrays that were hoisted, but got {len(args_and_hoisted)}",
                fix="call converted(*args, *hoisted)",
            )
        args, given = args_and_hoisted[:count], iter(args_and_hoisted[count:])
        operands, args_structure = flatten_arrays(args, "closure_convert: argument ")
        same_structure(
            "arguments of the converted function", args_structure, "the examples", structure
        )
        captured: list[Operand] = [
            next(given) if flag else x for x, flag in zip(staged.captured, is_hoisted, strict=True)
        ]
        results = interpret(staged.program, *captured, *found.held(), *operands)
        found.store(results[found.own_count :])
        return tree_unflatten(out, results[: found.own_count])

    return converted, hoisted


def _of_references(
    fun: Callable[..., Tree], example_args: tuple[Tree, ...]
) -> tuple[Callable[..., Tree], list[Any]]:
    """`closure_convert` with references among the arguments: what they hold is given to a pure function."""
    examples = GivenReferences(example_args, "args")
    examples.check_once("closure_convert")
    pure = examples.pure("closure_convert", fun, False)
    function, hoisted = closure_convert(lambda values: pure(values)[0], examples.values)

    def converted(*args_and_hoisted: Tree) -> Tree:
        count = len(args_and_hoisted) - len(hoisted)
        given = GivenReferences(args_and_hoisted[: max(count, 0)], "args")
        same_structure(
            "arguments of the converted function",
            given.structure,
            "the examples",
            examples.structure,
        )
        given.check_like("closure_convert", examples)
        given.check_once("closure_convert")
        output, held = function(given.values, *args_and_hoisted[count:])
        given.store(held)
        return output

    return converted, hoisted

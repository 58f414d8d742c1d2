"""closure_convert: a function with the traced arrays that it closes over as arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treadle_autodiff.checked_tangents import same_structure
from treadle_autodiff.user_function import Tree, check_callable
from treadle_ir import ArgumentError, Operand, type_of
from treadle_ir.calling import TreeFunction, array_results, flatten_arrays
from treadle_ir.core import dtypes
from treadle_ir.tracing import Tracer, interpret_unchecked as interpret, stage_tree
from treadle_ir.tree import tree_unflatten


def closure_convert(
    fun: Callable[..., Tree], *example_args: Tree
) -> tuple[Callable[..., Tree], list[Any]]:  # Any: traced arrays
    """A function and the arrays that it closes over and that may be differentiated, so that they can be passed to it.

    Those are traced arrays of floating and complex elements: for functions of functions with derivative rules of their
    own, which cover arguments only.

    Args:
        fun: a function of trees of arrays.
        example_args: arguments like those it will be called with; shapes and element types matter only.

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
    leaves, structure = flatten_arrays(example_args, "closure_convert: argument ")
    function = TreeFunction(
        fun,
        lambda operands: (tree_unflatten(structure, operands), {}),
        array_results("closure_convert: result "),
    )
    staged, out = stage_tree(function, *[type_of(leaf).unsharded for leaf in leaves])
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
        return tree_unflatten(out, interpret(staged.program, *captured, *operands))

    return converted, hoisted

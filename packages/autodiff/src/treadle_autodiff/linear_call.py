"""linear_call: a linear function with a transpose of the user's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treadle_autodiff.checked_tangents import same_structure
from treadle_autodiff.custom_function import exact
from treadle_autodiff.user_function import Tree
from treadle_ir import ArrayType, Operand, Operands, Staged, bind, type_of
from treadle_ir.calling import TreeFunction, as_rule, flatten_arrays, ruled
from treadle_ir.core import unsharded
from treadle_ir.errors import functions
from treadle_ir.primitives.linear_call import LinearCall
from treadle_ir.tracing import interned, share_captures, stage_tree
from treadle_ir.tree import PyTreeDef, tree_unflatten


def linear_call(
    fun: Callable[[Tree, Tree], Tree],
    fun_transpose: Callable[[Tree, Tree], Tree],
    residual_args: Tree,
    linear_args: Tree,
) -> Tree:
    """`fun(residual_args, linear_args)`, where the function is linear in its second argument and has this transpose.

    Reverse mode runs `transpose_fun` instead of a transpose derived from `fun`: for functions whose transpose
    is known by a better formula, or not known to treadle. What the functions close over are residuals, too. Forward
    mode differentiates `fun` by its residuals as any other function.

    Args:
        fun: from residuals and linear arguments, trees of arrays, to a tree of arrays.
        fun_transpose: from residuals and cotangents of the results of `fun` to cotangents of `linear_args`.
        residual_args: a tree of arrays.
        linear_args: a tree of arrays.

    Raises:
        ArgumentError: an argument is not a tree of arrays, or a function is none.
        StructureError, ShapeError: the transpose does not return what is like `linear_args`.

    Example:
        >>> from treadle_autodiff import grad, linear_call
        >>> from treadle_ir import ops
        >>> def divided(x, by):
        ...     return linear_call(lambda r, x: ops.divide(x, r), lambda r, ct: ops.divide(ct, r), by, x)
        >>> print(divided(6.0, 4.0), grad(divided)(6.0, 4.0))
        1.5 0.25
    """
    functions("linear_call", fun=fun, fun_transpose=fun_transpose)
    residuals, of_residuals = flatten_arrays(residual_args, "linear_call: residual_args")
    linear, of_linear = flatten_arrays(linear_args, "linear_call: linear_args")
    types = [type_of(x) for x in residuals]
    linear_types = [type_of(x) for x in linear]
    called = as_rule("fun of linear_call", "residual_args, linear_args", fun)
    forward, (out, out_types) = _staged(called, (of_residuals, of_linear), [*types, *linear_types])

    def transpose(residuals: Tree, cotangents: Tree) -> Tree:
        returned = ruled(
            "fun_transpose of linear_call",
            "residuals, cotangents",
            fun_transpose,
            residuals,
            cotangents,
        )
        leaves, structure = flatten_arrays(returned, "linear_call: result of fun_transpose ")
        same_structure(
            "what fun_transpose returned", structure, "linear_args of linear_call", of_linear
        )
        rule = "fun_transpose of linear_call"
        pairs = zip(linear_types, leaves, strict=True)
        return [exact(rule, "cotangent", type, leaf) for type, leaf in pairs]

    cotangents = [type.tangent() for type in out_types]
    backward, _ = _staged(transpose, (of_residuals, out), [*types, *cotangents])
    programs, captured = share_captures(
        [forward.program, backward.program], [forward.captured, backward.captured]
    )
    programs = [interned(*pair) for pair in zip((fun, fun_transpose), programs, strict=True)]
    call = LinearCall(programs[0], programs[1], len(captured) + len(residuals))
    return tree_unflatten(out, bind(call, *captured, *residuals, *linear))


def _staged(
    function: Callable[[Tree, Tree], Tree],
    structures: tuple[PyTreeDef, PyTreeDef],
    types: Sequence[ArrayType],
) -> tuple[Staged, tuple[PyTreeDef, list[ArrayType]]]:
    """Stage a function of two trees as a program, with the structure and the types of its results."""
    count = structures[0].num_leaves

    def arguments(operands: Sequence[Operand]) -> tuple[list[Tree], dict[str, Tree]]:
        parts = operands[:count], operands[count:]
        return [tree_unflatten(*pair) for pair in zip(structures, parts, strict=True)], {}

    def results(output: Tree) -> tuple[Operands, tuple[PyTreeDef, list[ArrayType]]]:
        leaves, structure = flatten_arrays(output, "linear_call: result ")
        return leaves, (structure, [type_of(leaf) for leaf in leaves])

    return stage_tree(TreeFunction(function, arguments, results), *unsharded(types))

"""vjp is linearize, then transpose; over pytrees, with the checks that users need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from treadle_autodiff.dual import DualTracer
from treadle_autodiff.jvp import jvp_flat
from treadle_autodiff.linearize import linearize_flat
from treadle_autodiff.tangents import Tangent, Zero, materialise, presented
from treadle_autodiff.transpose import transpose
from treadle_ir import (
    ArgumentError,
    ArrayType,
    Operand,
    Operands,
    ShapeError,
    StructureError,
    as_array,
    dtypes,
    float0,
    ops,
    stage,
    type_of,
)
from treadle_ir.tree import (
    explain_difference,
    flatten_leaves_and_structure,
    keystr,
    tree_flatten_with_path,
    tree_unflatten,
)

Tree = Any  # a pytree: any Python object
Flattened = tuple[list[Operand], Any]


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


def jvp(
    fun: Callable[..., Tree],
    primals: Sequence[Tree],
    tangents: Sequence[Tree],
    has_aux: bool = False,
) -> tuple[Tree, ...]:
    """The value of a function and its derivative in one direction (forward mode).

    Returns `(results, result_tangents)`, with `has_aux` `(results, result_tangents, aux)`.

    Raises:
        StructureError, ShapeError: primals and tangents do not match.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_autodiff import jvp
        >>> jvp(ops.sine, (np.float32(0.0),), (np.float32(2.0),))
        (array(0., dtype=float32), array(2., dtype=float32))
    """
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise ArgumentError(
            "jvp: primals and tangents must be tuples or lists of arguments, but they are "
            f"{type(primals).__name__} and {type(tangents).__name__}",
            fix="write jvp(f, (x,), (dx,))",
        )
    leaves, structure = flatten_arrays(tuple(primals), "primals")
    tangent_leaves, tangent_structure = flatten_arrays(tuple(tangents), "tangents")
    same_structure("tangents", tangent_structure, "primals", structure)
    checked = [
        check_tangent(f"jvp: tangent {i}", primal, tangent)
        for i, (primal, tangent) in enumerate(zip(leaves, tangent_leaves, strict=True))
    ]
    shape: list[Any] = []
    aux: list[Tree] = []

    def flat(*operands: Operand) -> Operands:
        output = fun(*tree_unflatten(structure, operands))
        if has_aux:
            output, extra = _pair(output, "jvp")
            aux.append(extra)
        results, out_structure = flatten_arrays(output, "the function's result ")
        shape.append(out_structure)
        return results

    results, result_tangents = jvp_flat(flat, leaves, checked)
    outputs = (
        tree_unflatten(shape[0], results),
        tree_unflatten(shape[0], [presented(t) for t in result_tangents]),
    )
    return (*outputs, _released(aux[0])) if has_aux else outputs


def _pair(output: Tree, name: str) -> tuple[Tree, Tree]:
    if not isinstance(output, tuple) or len(output) != 2:
        raise ArgumentError(
            f"{name}: with has_aux=True the function must return a pair (result, aux), "
            f"but it returned {type(output).__name__}",
            fix="return `result, aux`, or drop has_aux",
        )
    return output


def _released(aux: Tree) -> Tree:
    """Auxiliary output with the tracers of a transformation that is over replaced by their primals."""
    leaves, structure = flatten_leaves_and_structure(aux)
    released = [
        leaf.primal if isinstance(leaf, DualTracer) and leaf.trace.closed else leaf
        for leaf in leaves
    ]
    return tree_unflatten(structure, released)


def linearize(fun: Callable[..., Tree], *primals: Tree, has_aux: bool = False) -> tuple[Tree, ...]:
    """The value of a function, and its derivative there as a linear function that can be applied many times.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_autodiff import linearize
        >>> y, f_jvp = linearize(ops.sine, np.float32(0.0))
        >>> f_jvp(np.float32(3.0))
        array(3., dtype=float32)
    """
    leaves, structure = flatten_arrays(primals, "argument ")
    nonzero = [dtypes.is_inexact(type_of(leaf).dtype) for leaf in leaves]
    shape: list[Any] = []
    aux: list[Tree] = []

    def flat(*operands: Operand) -> Operands:
        output = fun(*tree_unflatten(structure, operands))
        if has_aux:
            output, extra = _pair(output, "linearize")
            aux.append(extra)
        results, out_structure = flatten_arrays(output, "the function's result ")
        shape.append(out_structure)
        return results

    linearized = linearize_flat(flat, leaves, nonzero)

    def f_jvp(*tangents: Tree) -> Tree:
        tangent_leaves, tangent_structure = flatten_arrays(tangents, "tangent ")
        same_structure("the tangents", tangent_structure, "the primals", structure)
        checked = [
            check_tangent(f"linearize: tangent {i}", primal, tangent)
            for i, (primal, tangent) in enumerate(zip(leaves, tangent_leaves, strict=True))
        ]
        given = [materialise(t) for t, flag in zip(checked, nonzero, strict=True) if flag]
        return tree_unflatten(shape[0], [presented(t) for t in linearized.tangents(*given)])

    outputs = (tree_unflatten(shape[0], linearized.results), f_jvp)
    return (*outputs, _released(aux[0])) if has_aux else outputs


def vjp(fun: Callable[..., Tree], *primals: Tree, has_aux: bool = False) -> tuple[Tree, ...]:
    """The value of a function, and the function from cotangents of it to cotangents of the arguments.

    Returns `(results, f_vjp)`, with `has_aux` `(results, f_vjp, aux)`; `f_vjp(ct)` returns a tuple with one
    cotangent per argument (float0 zeros for integers).

    Raises:
        StructureError, ShapeError: from `f_vjp`, when the cotangent does not match the results.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_autodiff import vjp
        >>> y, f_vjp = vjp(ops.multiply, np.float32(2.0), np.float32(5.0))
        >>> f_vjp(np.float32(1.0))
        (array(5., dtype=float32), array(2., dtype=float32))
    """
    leaves, structure = flatten_arrays(primals, "argument ")
    nonzero = [dtypes.is_inexact(type_of(leaf).dtype) for leaf in leaves]
    shape: list[Any] = []
    aux: list[Tree] = []

    def flat(*operands: Operand) -> Operands:
        output = fun(*tree_unflatten(structure, operands))
        if has_aux:
            output, extra = _pair(output, "vjp")
            aux.append(extra)
        results, out_structure = flatten_arrays(output, "the function's result ")
        shape.append(out_structure)
        return results

    linearized = linearize_flat(flat, leaves, nonzero)

    def f_vjp(cotangents: Tree) -> tuple[Tree, ...]:
        given, given_structure = flatten_arrays(cotangents, "cotangent ")
        same_structure("the cotangents", given_structure, "the results", shape[0])
        checked = [
            check_tangent(f"vjp: cotangent {i}", result, cotangent)
            for i, (result, cotangent) in enumerate(zip(linearized.results, given, strict=True))
        ]
        incoming = [ct for ct, zero in zip(checked, linearized.zero, strict=True) if zero is None]
        outgoing = iter(transpose(linearized.program, linearized.captured, incoming))
        gradients = [
            presented(next(outgoing) if flag else Zero(type_of(leaf).tangent()))
            for leaf, flag in zip(leaves, nonzero, strict=True)
        ]
        result: tuple[Tree, ...] = tree_unflatten(structure, gradients)
        return result

    outputs = (tree_unflatten(shape[0], linearized.results), f_vjp)
    return (*outputs, _released(aux[0])) if has_aux else outputs


def linear_transpose(
    fun: Callable[..., Tree], *primals: Tree
) -> Callable[[Tree], tuple[Tree, ...]]:
    """The transpose of a function that is linear: from cotangents of its results to cotangents of arguments.

    `primals` give shapes and element types only; they may be `ShapeDtypeStruct`s.
    """
    leaves, structure = flatten_leaves_and_structure(primals)
    types = [
        ArrayType(tuple(leaf.shape), leaf.dtype)
        if not isinstance(leaf, (int, float))
        else type_of(leaf)
        for leaf in leaves
    ]
    shape: list[Any] = []

    def flat(*operands: Operand) -> Operands:
        results, out_structure = flatten_arrays(
            fun(*tree_unflatten(structure, operands)), "the result "
        )
        shape.append(out_structure)
        return results

    staged = stage(flat, *types)

    def transposed(cotangents: Tree) -> tuple[Tree, ...]:
        given, given_structure = flatten_arrays(cotangents, "cotangent ")
        same_structure("the cotangents", given_structure, "the results", shape[0])
        outgoing = transpose(staged.program, staged.captured, given)
        result: tuple[Tree, ...] = tree_unflatten(structure, [presented(ct) for ct in outgoing])
        return result

    return transposed

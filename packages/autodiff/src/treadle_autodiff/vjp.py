"""jvp, linearize, vjp and linear_transpose over pytrees, as users call them. vjp is linearize, then transpose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from treadle_autodiff.flat import (
    FlatFunction,
    Tree,
    check_tangents,
    flatten_arrays,
    same_structure,
)
from treadle_autodiff.jvp import jvp_flat
from treadle_autodiff.linearize import Linearized, linearize_flat
from treadle_autodiff.tangents import Tangent, Zero, materialise, presented
from treadle_autodiff.transpose import transpose
from treadle_ir import ArgumentError, ArrayType, Operands, dtypes, stage, type_of
from treadle_ir.tree import flatten_leaves_and_structure, tree_unflatten


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
    checked = check_tangents("jvp: tangent", leaves, tangent_leaves)
    call = FlatFunction("jvp", fun, partial(tree_unflatten, structure), has_aux)
    results, result_tangents = jvp_flat(call, leaves, checked)
    return call.tree(results), call.tree(list(map(presented, result_tangents))), *call.aux


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
    nonzero = differentiable(leaves)
    call = FlatFunction("linearize", fun, partial(tree_unflatten, structure), has_aux)
    linearized = linearize_flat(call, leaves, nonzero)

    def f_jvp(*tangents: Tree) -> Tree:
        tangent_leaves, tangent_structure = flatten_arrays(tangents, "tangent ")
        same_structure("the tangents", tangent_structure, "the primals", structure)
        checked = check_tangents("linearize: tangent", leaves, tangent_leaves)
        given = [materialise(t) for t, flag in zip(checked, nonzero, strict=True) if flag]
        return call.tree(list(map(presented, linearized.tangents(*given))))

    return call.tree(linearized.results), f_jvp, *call.aux


def differentiable(leaves: Operands) -> list[bool]:
    """Which operands have tangents: those of floating and complex types."""
    return [dtypes.is_inexact(type_of(leaf).dtype) for leaf in leaves]


def pulled(
    linearized: Linearized,
    cotangents: Sequence[Tangent],
    primals: Operands,
    nonzero: Sequence[bool],
) -> list[Tangent]:
    """One cotangent per primal, of one per result; zero where the primal is not differentiated."""
    incoming = [ct for ct, zero in zip(cotangents, linearized.zero, strict=True) if zero is None]
    outgoing = iter(transpose(linearized.program, linearized.captured, incoming))
    return [
        next(outgoing) if flag else Zero(type_of(primal).tangent())
        for primal, flag in zip(primals, nonzero, strict=True)
    ]


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
    nonzero = differentiable(leaves)
    call = FlatFunction("vjp", fun, partial(tree_unflatten, structure), has_aux)
    linearized = linearize_flat(call, leaves, nonzero)

    def f_vjp(cotangents: Tree) -> tuple[Tree, ...]:
        given, given_structure = flatten_arrays(cotangents, "cotangent ")
        same_structure("the cotangents", given_structure, "the results", call.structure)
        checked = check_tangents("vjp: cotangent", linearized.results, given)
        outgoing = pulled(linearized, checked, leaves, nonzero)
        gradients: tuple[Tree, ...] = tree_unflatten(structure, list(map(presented, outgoing)))
        return gradients

    return call.tree(linearized.results), f_vjp, *call.aux


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
    call = FlatFunction("linear_transpose", fun, partial(tree_unflatten, structure))
    staged = stage(call, *types)

    def transposed(cotangents: Tree) -> tuple[Tree, ...]:
        given, given_structure = flatten_arrays(cotangents, "cotangent ")
        same_structure("the cotangents", given_structure, "the results", call.structure)
        outgoing = transpose(staged.program, staged.captured, given)
        result: tuple[Tree, ...] = tree_unflatten(structure, list(map(presented, outgoing)))
        return result

    return transposed

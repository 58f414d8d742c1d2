"""fwd_and_bwd: the two passes of a derivative as two functions, so that each can be compiled once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from treadle_autodiff.linear_maps import linearized_signature
from treadle_autodiff.linearize import linearize_tree
from treadle_autodiff.user_function import Tree, check_callable, of_positional, released
from treadle_autodiff.vjp import differentiable
from treadle_autodiff.vjp_function import VJP, vjp_function
from treadle_ir import ArgumentError
from treadle_ir.calling import flatten_arrays
from treadle_ir.errors import flags
from treadle_ir.tracing import positions
from treadle_ir.tree import opened_leaves, tree_unflatten


def fwd_and_bwd(
    fun: Callable[..., Tree], argnums: int | Sequence[int], has_aux: bool = False
) -> tuple[Callable[..., Tree], Callable[[Any, Tree], Tree]]:
    """Return the forward and the backward pass of a function's derivative.

    Returns `fwd, bwd`: `fwd(*args)` returns the result and the residuals (and `aux` with `has_aux`), a tree of arrays;
    `bwd(residuals, cotangents)` the cotangents of the arguments `argnums`, a tuple where that is a sequence.

    Raises:
        ArgumentError: `fun` is not a function; by the calls: there is no such argument, one is not a tree of arrays,
            or residuals are of something else.
        StructureError, ShapeError: by `bwd`: cotangents are not like the result.

    Example:
        >>> from treadle_autodiff import fwd_and_bwd
        >>> from treadle_ir import ops
        >>> fwd, bwd = fwd_and_bwd(ops.multiply, argnums=(0, 1))
        >>> y, residuals = fwd(3.0, 4.0)
        >>> print(y, *bwd(residuals, 1.0))
        12.0 4.0 3.0
    """
    check_callable(fun, "fwd_and_bwd")
    flags("fwd_and_bwd", has_aux=has_aux)
    one = not isinstance(argnums, (tuple, list))

    def fwd(*args: Tree) -> tuple[Tree, ...]:
        places = positions(argnums, len(args), "fwd_and_bwd: argnums", "differentiated")
        chosen = tuple([args[place] for place in places])

        def of_chosen(*given: Tree) -> Tree:
            every = list(args)
            for place, argument in zip(places, given, strict=True):
                every[place] = argument
            return fun(*every)

        leaves, structure = flatten_arrays(chosen, "fwd_and_bwd: argument ")
        nonzero = differentiable(leaves, structure)
        function = of_positional("fwd_and_bwd", of_chosen, structure, has_aux)
        given = opened_leaves(chosen)
        linearized, (out, aux) = linearize_tree(function, leaves, nonzero, given)
        derivative = linearized_signature(
            "fwd_and_bwd", linearized, leaves, structure, nonzero, out
        )
        residuals = vjp_function(derivative, linearized.captured, leaves, given)
        return tree_unflatten(out, linearized.results), residuals, *released(aux)

    def bwd(residuals: Any, cotangents: Tree) -> Tree:
        if not isinstance(residuals, VJP):
            raise ArgumentError(
                f"fwd_and_bwd: residuals are of type {type(residuals).__name__}, not what fwd returned",
                fix="call bwd(residuals, cotangents) with the second thing that fwd returned",
            )
        arguments = residuals(cotangents)
        return arguments[0] if one else arguments

    return fwd, bwd

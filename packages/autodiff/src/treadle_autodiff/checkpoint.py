"""checkpoint: recompute instead of storing; and names for what is stored nevertheless."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar, overload

from treadle_autodiff.user_function import Tree, check_callable
from treadle_ir import ArgumentError, Operand, Operands, UnsupportedError, bind, ops
from treadle_ir.calling import as_array, flatten_arrays, refuse_others
from treadle_ir.errors import alias, functions, sequence, shown, wraps
from treadle_ir.primitives.call import Checkpoint, CheckpointPolicy
from treadle_ir.refs import Cell, as_body, discharged, holding, store, without_references
from treadle_ir.sharding import types_here
from treadle_ir.tracing import interned, over_mesh_of, positions, stage_tree, take_apart
from treadle_ir.tree import PyTreeDef, tree_leaves, tree_unflatten

P = ParamSpec("P")
R = TypeVar("R", bound=Any)  # the bound is what parameters of a lambda get from pyright


@overload
def checkpoint(
    fun: Callable[P, R],
    *,
    prevent_cse: bool | Sequence[bool] = True,
    policy: CheckpointPolicy | None = None,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
) -> Callable[P, R]: ...
@overload
def checkpoint(
    *,
    prevent_cse: bool | Sequence[bool] = True,
    policy: CheckpointPolicy | None = None,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def checkpoint(
    fun: Callable[..., Tree] | None = None,
    *,
    prevent_cse: bool | Sequence[bool] = True,
    policy: CheckpointPolicy | None = None,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    concrete: None = None,
) -> Callable[..., Tree]:
    """Recompute intermediate values of a function in the backward pass instead of storing them.

    The function's arguments are stored, and the results that the policy names.

    Args:
        fun: the function; without it, a decorator.
        prevent_cse: keep the compiler from merging the recomputation with the forward pass, which would
            store everything after all. It can be off, and is a little faster off, where the two are in different
            programs or loops, as in the body of a `scan`. One boolean for each positional argument is taken for on
            if one of them is.
        policy: decides by primitive which results are stored nevertheless (`checkpoint_policies`).
        static_argnums: positional arguments that are Python values instead of arrays, such as flags; from the end
            where negative.
        static_argnames: the same for keyword arguments, by name.
        concrete: must be None.

    Returns:
        A function of the same arguments and results. Without `fun`, a decorator.

    Raises:
        UnsupportedError: `concrete` is given.
        ArgumentError: by the call: an argument or a result is not an array, or there is no such static argument.

    Example:
        >>> from treadle_autodiff import grad
        >>> from treadle_ir import ops
        >>> layer = checkpoint(lambda x, twice: ops.sine(ops.sine(x)) if twice else ops.sine(x), static_argnums=1)
        >>> print(round(float(grad(layer)(0.0, True)), 3))
        1.0
    """
    if concrete is not None:
        raise UnsupportedError(
            "checkpoint: the argument `concrete` is not supported",
            fix="name the arguments that are Python values: `static_argnums=(1,)`",
        )
    if fun is None:
        return functools.partial(
            checkpoint,
            prevent_cse=prevent_cse,
            policy=policy,
            static_argnums=static_argnums,
            static_argnames=static_argnames,
        )
    check_callable(fun, "checkpoint")
    if policy is not None:
        functions("checkpoint", policy=policy)
    names = (static_argnames,) if isinstance(static_argnames, str) else static_argnames
    names = sequence("checkpoint", "static_argnames", names)
    function = fun

    @wraps(function)
    def checkpointed(*args: Tree, **kwargs: Tree) -> Tree:
        static = positions(static_argnums, len(args), "checkpoint: static_argnums", "static")
        apart = _prevents(prevent_cse, args)
        arguments = take_apart(args, kwargs, static, names)
        given, with_references = without_references(arguments.leaves)
        if len(given) == len(arguments.leaves):
            refuse_others(arguments.rebuilt(given), given, "checkpoint: argument ")
        leaves = list(map(as_array, given))

        def run(cells: Sequence[Cell]) -> Tree:
            held, of_held = flatten_arrays([cell.load() for cell in cells], "refs")

            def flat(*operands: Operand) -> tuple[Operands, PyTreeDef]:
                own, values = operands[: len(leaves)], operands[len(leaves) :]
                args, kwargs = arguments.rebuilt(with_references(own))
                with holding(cells, tree_unflatten(of_held, values)) as after:
                    results, structure = flatten_arrays(
                        function(*args, **kwargs), "checkpoint: result "
                    )
                    return [*results, *tree_leaves(after())], structure

            operands = [*leaves, *held]
            staged, out = stage_tree(as_body(flat), *types_here(operands))
            primitive = Checkpoint(interned(function, staged.program), policy, prevent_cse=apart)
            results = bind(primitive, *staged.captured, *operands)
            store(cells, tree_unflatten(of_held, results[out.num_leaves :]))
            return tree_unflatten(out, results[: out.num_leaves])

        with over_mesh_of(leaves):
            return discharged(run, forgets=True)

    return checkpointed


remat = alias(checkpoint, "remat")


def checkpoint_name(x: Tree, name: str) -> Tree:
    """The array itself, or a tree of arrays, under a name that checkpoint policies can refer to.

    Raises:
        ArgumentError: the name is not a string, or a leaf is not an array or a number.

    Example:
        >>> import numpy as np
        >>> print(checkpoint_name(np.ones(2), "kept"))
        [1. 1.]
    """
    if not isinstance(name, str):
        raise ArgumentError(f"checkpoint_name: the name is {shown(name)}, but must be a string")
    leaves, structure = flatten_arrays(x, "checkpoint_name: x")
    return tree_unflatten(structure, [ops.checkpoint_name(leaf, label=name) for leaf in leaves])


def _prevents(prevent_cse: bool | Sequence[bool], args: tuple[Tree, ...]) -> bool:
    """Return whether `prevent_cse` is on for any argument."""
    if isinstance(prevent_cse, bool):
        return prevent_cse
    if (
        not isinstance(prevent_cse, (tuple, list))
        or len(prevent_cse) != len(args)
        or not all(isinstance(each, bool) for each in prevent_cse)
    ):
        raise ArgumentError(
            f"checkpoint: prevent_cse is {shown(prevent_cse)}, but must be a boolean, or one for each of "
            f"{len(args)} positional arguments",
            fix="write prevent_cse=True",
        )
    return any(prevent_cse)

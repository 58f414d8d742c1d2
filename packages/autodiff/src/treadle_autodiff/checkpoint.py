"""checkpoint: recompute instead of storing, and the policies that say what is stored nevertheless."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar, final, overload

from treadle_autodiff.user_function import Tree, check_callable
from treadle_ir import (
    Primitive,
    TreeFunction,
    array_results,
    as_array,
    bind,
    positions,
    refuse_others,
    stage_tree,
    take_apart,
    type_of,
)
from treadle_ir.primitives.call import Checkpoint, CheckpointName, CheckpointPolicy
from treadle_ir.primitives.contract import DotGeneral
from treadle_ir.tree import tree_unflatten

P = ParamSpec("P")
R = TypeVar("R", bound=Any)  # the bound is what parameters of a lambda get from pyright


@overload
def checkpoint(
    fun: Callable[P, R],
    *,
    prevent_cse: bool = True,
    policy: CheckpointPolicy | None = None,
    static_argnums: int | Sequence[int] = (),
) -> Callable[P, R]: ...
@overload
def checkpoint(
    *,
    prevent_cse: bool = True,
    policy: CheckpointPolicy | None = None,
    static_argnums: int | Sequence[int] = (),
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def checkpoint(
    fun: Callable[..., Tree] | None = None,
    *,
    prevent_cse: bool = True,
    policy: CheckpointPolicy | None = None,
    static_argnums: int | Sequence[int] = (),
) -> Callable[..., Tree]:
    """A function whose intermediate values are recomputed in the backward pass, not stored for it.

    Stored are the function's arguments, and the results that the policy names.

    Args:
        fun: the function; without it, a decorator.
        prevent_cse: keep the compiler from merging the recomputation with the forward pass, which would
            store everything after all. It can be off, and is a little faster off, where the two are in different
            programs or loops, as in the body of a `scan`.
        policy: says by primitive which results are stored nevertheless (`checkpoint_policies`).
        static_argnums: positional arguments that are no arrays but Python values, such as flags; from the end
            where negative.

    Raises:
        ArgumentError: by the call: an argument or a result is no array, or there is no such static argument.

    Example:
        >>> from treadle_autodiff import grad
        >>> from treadle_ir import ops
        >>> layer = checkpoint(lambda x, twice: ops.sine(ops.sine(x)) if twice else ops.sine(x), static_argnums=1)
        >>> print(round(float(grad(layer)(0.0, True)), 3))
        1.0
    """
    if fun is None:
        return functools.partial(
            checkpoint, prevent_cse=prevent_cse, policy=policy, static_argnums=static_argnums
        )
    check_callable(fun, "checkpoint")
    function = fun

    @functools.wraps(function)
    def checkpointed(*args: Tree, **kwargs: Tree) -> Tree:
        static = positions(static_argnums, len(args), "checkpoint: static_argnums", "static")
        arguments = take_apart(args, kwargs, static)
        given = arguments.leaves
        refuse_others(arguments.rebuilt(given), given, "checkpoint: argument ")
        leaves = list(map(as_array, given))
        tree = TreeFunction(function, arguments.rebuilt, array_results("checkpoint: result "))
        staged, out = stage_tree(tree, *[type_of(leaf) for leaf in leaves])
        primitive = Checkpoint(staged.program, policy, prevent_cse=prevent_cse)
        return tree_unflatten(out, bind(primitive, *staged.captured, *leaves))

    return checkpointed


def _saves_dots(primitive: Primitive) -> bool:
    return primitive.name in ("dot_general", "convolution")


def _saves_plain_dots(primitive: Primitive) -> bool:
    return isinstance(primitive, DotGeneral) and not any(primitive.batching)


def _saves_everything(primitive: Primitive) -> bool:
    return True


def _saves_nothing(primitive: Primitive) -> bool:
    return False


@final
class checkpoint_policies:  # noqa: N801 - a namespace, JAX's name
    """What `checkpoint` stores nevertheless; pass one as `policy`."""

    everything_saveable = staticmethod(_saves_everything)
    nothing_saveable = staticmethod(_saves_nothing)
    dots_saveable = staticmethod(_saves_dots)
    checkpoint_dots = staticmethod(_saves_dots)
    dots_with_no_batch_dims_saveable = staticmethod(_saves_plain_dots)
    checkpoint_dots_with_no_batch_dims = staticmethod(_saves_plain_dots)

    @staticmethod
    def save_only_these_names(*names: str) -> CheckpointPolicy:
        """Store the arrays marked by `checkpoint_name` with one of these names, nothing else."""
        kept = frozenset(names)
        return lambda primitive: isinstance(primitive, CheckpointName) and primitive.label in kept

    @staticmethod
    def save_any_names_but_these(*names: str) -> CheckpointPolicy:
        """Store the arrays marked by `checkpoint_name` unless they have one of these names."""
        dropped = frozenset(names)
        return lambda primitive: (
            isinstance(primitive, CheckpointName) and primitive.label not in dropped
        )

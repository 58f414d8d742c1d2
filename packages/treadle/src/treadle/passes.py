"""The forward and the backward pass of a derivative, each compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import treadle_autodiff
from treadle_ir.errors import flags
from treadle_runtime import jit


# Any: functions of trees, and trees
def fwd_and_bwd(
    fun: Callable[..., Any],
    argnums: int | Sequence[int],
    has_aux: bool = False,
    jitted: bool = True,
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the forward and the backward pass of a function's derivative, as two functions that are compiled once
    each.

    Unlike the function that `vjp` returns, `bwd` is the same one for all calls.

    Args:
        fun: the function.
        argnums: the positional arguments to differentiate by, counted from 0.
        has_aux: `fun` returns a pair `(result, aux)`; `aux` is handed through.
        jitted: compile both; without it, they run as they are.

    Returns:
        `fwd, bwd`: `fwd(*args)` returns `(result, residuals)`, with `has_aux` `(result, residuals, aux)`;
        `bwd(residuals, cotangents)` the cotangents of the arguments, a tuple where `argnums` is a sequence.

    Raises:
        ArgumentError: `fun` is not a function, or a flag is not a boolean; by the calls: there is no such argument,
            one is not a tree of arrays, or residuals are of something else.
        StructureError, ShapeError: by `bwd`: cotangents are not like the result.

    Example:
        >>> import treadle
        >>> fwd, bwd = treadle.fwd_and_bwd(lambda x, y: x * y, argnums=(0, 1))
        >>> y, residuals = fwd(3.0, 4.0)
        >>> print(y, *bwd(residuals, 1.0))
        12.0 4.0 3.0
    """
    flags("fwd_and_bwd", jitted=jitted)
    fwd, bwd = treadle_autodiff.fwd_and_bwd(fun, argnums, has_aux)
    return (jit(fwd), jit(bwd)) if jitted else (fwd, bwd)

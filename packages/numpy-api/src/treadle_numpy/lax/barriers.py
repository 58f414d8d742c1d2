"""What stops derivatives, and what stops a compiler."""

from __future__ import annotations

from typing import TypeVar, cast

import numpy as np

from treadle_ir import Array, ops
from treadle_ir.core.dtypes import is_inexact
from treadle_ir.tree import tree_flatten, tree_map, tree_unflatten
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import coerce
from treadle_numpy.operands.sequences import array_from

__all__ = ["optimization_barrier", "stop_gradient"]

AnyTree = TypeVar("AnyTree")


def _stopped(x: object) -> object:
    if not isinstance(x, (Array, np.ndarray, np.generic, float, complex)):
        return x
    operand = coerce("stop_gradient", 0, x)
    return array_of(ops.stop_gradient(operand)) if is_inexact(operand.dtype) else x


def stop_gradient(x: AnyTree) -> AnyTree:
    """Return `x` unchanged, as a constant to derivatives.

    Args:
        x: a pytree of arrays. Leaves that are neither floating nor complex have no derivative, and are returned as
            they are.

    Returns:
        A pytree with the structure, shapes, dtypes and values of `x`.

    Example:
        >>> print(stop_gradient({"x": np.array([1.0, 2.0])})["x"])
        [1. 2.]
    """
    return cast("AnyTree", tree_map(_stopped, x))


def optimization_barrier(operand: AnyTree, /) -> AnyTree:
    """Return the same values, across which a compiler does not move work; for trees, all leaves at once.

    Raises:
        ArgumentError: a leaf is neither an array nor a number.

    Example:
        >>> x, y = optimization_barrier((np.array([1.0, 2.0]), np.array([3])))
        >>> print(x, y)
        [1. 2.] [3]
    """
    leaves, structure = tree_flatten(operand)
    if not leaves:
        return operand
    arrays = [array_from("optimization_barrier", leaf, None) for leaf in leaves]
    return cast("AnyTree", tree_unflatten(structure, ops.optimization_barrier(*arrays)))

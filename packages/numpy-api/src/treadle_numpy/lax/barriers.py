"""What stops derivatives, and what stops a compiler."""

from __future__ import annotations

from typing import TypeVar, cast

import numpy as np

from treadle_ir import Array, ops
from treadle_ir.dtypes import is_inexact
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
    """The same values as a constant to derivatives; for trees, each leaf."""
    return cast("AnyTree", tree_map(_stopped, x))


def optimization_barrier(operand: AnyTree, /) -> AnyTree:
    """The same values, across which a compiler does not move work."""
    leaves, structure = tree_flatten(operand)
    if not leaves:
        return operand
    arrays = [array_from("optimization_barrier", leaf, None) for leaf in leaves]
    return cast("AnyTree", tree_unflatten(structure, ops.optimization_barrier(*arrays)))

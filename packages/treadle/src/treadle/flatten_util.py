"""A tree of arrays as one vector, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import treadle_numpy as tnp
from treadle_ir import ArrayType, Operand, ShapeError, type_of
from treadle_ir.tree import flatten_leaves_and_structure, tree_unflatten

Tree = Any  # a pytree: any Python object


def ravel_pytree(pytree: Tree) -> tuple[Operand, Callable[[Operand], Tree]]:
    """The leaves of a tree in one vector, and the function that makes the tree from such a vector.

    Example:
        >>> from treadle.flatten_util import ravel_pytree
        >>> flat, unravel = ravel_pytree({"a": 1.0, "b": [2.0, 3.0]})
        >>> [float(x) for x in flat]
        [1.0, 2.0, 3.0]
    """
    leaves, structure = flatten_leaves_and_structure(pytree)
    arrays = [tnp.asarray(leaf) for leaf in leaves]
    types = [type_of(array) for array in arrays]
    if not arrays:
        return tnp.zeros((0,)), lambda flat: tree_unflatten(structure, [])
    flat = tnp.concatenate([tnp.ravel(array) for array in arrays])

    def unravel(vector: Operand) -> Tree:
        return tree_unflatten(structure, _parts(vector, types))

    return flat, unravel


def _parts(vector: Operand, types: list[ArrayType]) -> list[Operand]:
    total = sum(type.size for type in types)
    given = type_of(vector).shape
    if given != (total,):
        raise ShapeError(
            f"unravel: the vector has shape {given}, but the tree has {total} elements"
        )
    parts: list[Operand] = []
    start = 0
    for type in types:
        part = tnp.reshape(tnp.asarray(vector)[start : start + type.size], type.shape)
        parts.append(tnp.astype(part, type.dtype))
        start += type.size
    return parts

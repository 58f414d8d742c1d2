"""A tree of arrays as one vector, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final

import treadle_numpy as tnp
from treadle_ir import Array, ArrayType, DType, DTypeError, Operand, ShapeError, type_of
from treadle_ir.errors import boundaries
from treadle_ir.process import frozen
from treadle_ir.tree import PyTreeDef, flatten_leaves_and_structure, tree_unflatten

Tree = Any  # a pytree: any Python object


def ravel_pytree(pytree: Tree) -> tuple[Operand, Callable[[Operand], Tree]]:
    """Return the leaves of a tree in one vector, and the function that makes the tree from such a vector.

    Leaves of several element types are converted to a type that holds them all, and back. Of one type they are left
    as they are, and so is what the function is given: a vector of another type, or weakly typed, makes leaves that
    are so.

    Example:
        >>> from treadle.flatten_util import ravel_pytree
        >>> flat, unravel = ravel_pytree({"a": 1.0, "b": [2.0, 3.0]})
        >>> [float(x) for x in flat]
        [1.0, 2.0, 3.0]
    """
    leaves, structure = flatten_leaves_and_structure(pytree)
    arrays = [tnp.asarray(leaf) for leaf in leaves]
    types = tuple([type_of(array) for array in arrays])
    if not arrays:
        return tnp.zeros((0,)), _Unravel(structure, types, None)
    common = tnp.result_type(*[type.dtype for type in types])
    mixed = any(type.dtype != common for type in types)
    if mixed:
        arrays = [tnp.astype(array, common) for array in arrays]
    flat = tnp.concatenate([tnp.ravel(array) for array in arrays])
    return flat, _Unravel(structure, types, common if mixed else None)


@final
@frozen
class _Unravel:
    """Makes a tree from a vector. Equal for trees of equal structure: libraries store it in trees that are compared."""

    structure: PyTreeDef
    types: tuple[ArrayType, ...]
    mixed: DType | None  # what leaves of several element types were converted to

    def __call__(self, vector: Operand) -> Tree:
        """Return the tree.

        Raises:
            ShapeError, DTypeError: the vector does not have as many elements, or is of another type where there are
                several.
        """
        if not self.types:
            return tree_unflatten(self.structure, [])
        parts = _parts(vector, self.types)
        if self.mixed is not None:
            given = type_of(vector).dtype
            if given != self.mixed:
                raise DTypeError(
                    f"unravel: the vector is of {given}, but the tree's is of {self.mixed}"
                )
            parts = [
                tnp.astype(part, type.dtype) for part, type in zip(parts, self.types, strict=True)
            ]
        return tree_unflatten(self.structure, parts)


def _parts(vector: Operand, types: Sequence[ArrayType]) -> list[Array]:
    total = sum(type.size for type in types)
    given = type_of(vector).shape
    if given != (total,):
        raise ShapeError(
            f"unravel: the vector has shape {given}, but the tree has {total} elements"
        )
    elements = tnp.asarray(vector)
    parts = []
    start = 0
    for type in types:
        parts.append(tnp.reshape(elements[start : start + type.size], type.shape))
        start += type.size
    return parts


boundaries(__name__)

"""map: a function of each element along the leading axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, overload

from treadle_ir import ArgumentError, Array, Operand, ops
from treadle_ir.errors import functions
from treadle_ir.tracing import installed_vmap
from treadle_ir.tree import tree_map, tree_unflatten
from treadle_numpy.lax.control.scan import References, length_of, scan_flat
from treadle_numpy.lax.control.staging import flatten_operands
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.shapes import as_index
from treadle_numpy.operands.trees import Container, Tree

__all__ = ["map"]

Element = TypeVar("Element")
Result = TypeVar("Result")


@overload
def map(f: Callable[[Array], Result], xs: Operand, *, batch_size: int | None = None) -> Result: ...
@overload
def map(f: Callable[[Tree], Result], xs: Container, *, batch_size: int | None = None) -> Result: ...
@overload
def map(
    f: Callable[[Element], Result], xs: Element, *, batch_size: int | None = None
) -> Result: ...
def map(f: Callable[[Tree], Tree], xs: Tree, *, batch_size: int | None = None) -> Tree:
    """Apply `f` to each element along the leading axis, one after the other, and stack the results.

    Args:
        f: a function of one element of each array in `xs`.
        xs: a pytree of arrays with the same size of the leading axis.
        batch_size: how many elements to compute at once, by vmap: faster than one by one, with less memory than all
            at once.

    Returns:
        The results of `f`, stacked along a new leading axis.

    Raises:
        ArgumentError: batch_size is below 1.
        MissingRuleError: batch_size is given and no vmap is installed (treadle_numpy without treadle_batching).

    Example:
        >>> import numpy as np
        >>> print(map(lambda x: x * x, np.arange(3)))
        [0 1 4]
    """
    functions("map", f=f)
    if batch_size is None:

        def iteration(_: None, x: Tree) -> tuple[None, Tree]:
            return None, f(x)

        return _mapped(iteration, xs, f)
    size = as_index("map", "`batch_size`", batch_size)
    if size < 1:
        raise ArgumentError(f"map: batch_size must be at least 1, got {size}")
    batched = installed_vmap("map with batch_size")(f)
    leaves, structure = flatten_operands("map", "xs", xs)
    length = length_of("map", leaves, structure, None)
    whole = length - length % size
    arrays = [array_of(leaf) for leaf in leaves]
    parts = []
    if whole or not length:
        chunks = [
            ops.reshape(slice_along(x, 0, 0, whole), shape=(whole // size, size, *x.shape[1:]))
            for x in arrays
        ]

        def many(_: None, x: Tree) -> tuple[None, Tree]:
            return None, batched(x)

        parts.append(
            tree_map(
                lambda y: ops.reshape(y, shape=(whole, *y.shape[2:])),
                _mapped(many, tree_unflatten(structure, chunks), None),
            )
        )
    if whole < length:
        rest = [slice_along(x, 0, whole, length) for x in arrays]
        parts.append(batched(tree_unflatten(structure, rest)))
    if len(parts) > 1:
        parts = [tree_map(lambda x, y: ops.concatenate([x, y], dimension=0), *parts)]
    return parts[0]


def _mapped(
    iteration: Callable[[None, Tree], tuple[None, Tree]], xs: Tree, written: object
) -> Tree:
    try:
        elements, structure = flatten_operands("map", "xs", xs)
    except ArgumentError:
        parts = References.among("map", xs)
        if parts is None:
            raise
        return parts.scan(
            lambda inner, values: ((), _mapped(lambda _, x: inner(None, x), values, written)),
            iteration,
        )[1]
    length = length_of("map", elements, structure, None)
    _, nothing = flatten_operands("map", "", None)
    return scan_flat(
        "map", iteration, [], nothing, elements, (structure,), length, False, 1, written
    )[1]

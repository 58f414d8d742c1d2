"""Loops and branches as the Python that they stand for, under `disable_jit`.

Bodies run on values, so that these can be printed and a debugger can stop at them. Where Python cannot know a value
(the condition of a loop under vmap), and for loops without iterations, whose results only staging knows, the operation
is staged after all: each function here returns None then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from treadle_ir import Array, Operand, ops
from treadle_ir.core import promoted
from treadle_ir.core.dtypes import is_bool
from treadle_ir.errors import ConcretizationError
from treadle_ir.settings import DISABLE_JIT, current_context
from treadle_ir.tree import PyTreeDef, tree_map, tree_unflatten
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import operand_type
from treadle_numpy.operands.promote import with_dtype
from treadle_numpy.operands.trees import Tree


def plainly() -> bool:
    """Return whether bodies are to run as Python."""
    context = current_context()
    return context.instrumented and context.get(DISABLE_JIT)


def plain_scan(
    function: Callable[..., tuple[Tree, ...]],
    carry: Sequence[Operand],
    structure: PyTreeDef,
    elements: Sequence[Operand],
    element_structures: Sequence[PyTreeDef],
    length: int,
    reverse: bool,
) -> tuple[Tree, Tree] | None:
    """Return the last carry and the stacked ys; `function` returns a pair."""
    if not length:
        return None
    value = tree_unflatten(structure, [array_of(leaf) for leaf in carry])
    arrays = [array_of(x) for x in elements]
    ys: list[Tree] = []
    for i in reversed(range(length)) if reverse else range(length):
        leaves = iter([x[i] for x in arrays])
        given = [
            tree_unflatten(each, [next(leaves) for _ in range(each.num_leaves)])
            for each in element_structures
        ]
        value, y = function(value, *given)
        ys.append(y)
    if reverse:
        ys.reverse()
    return tree_map(array_of, value), tree_map(_stacked, *ys)


def _stacked(*parts: Operand) -> Array:
    arrays = [array_of(part) for part in parts]
    types = [operand_type(x) for x in arrays]
    dtype, weak = promoted(types)  # a carry may have become a float in the first iteration
    arrays = [
        array_of(with_dtype(x, type, dtype, weak)) for x, type in zip(arrays, types, strict=True)
    ]
    rows = [ops.reshape(x, shape=(1, *x.shape)) for x in arrays]
    return ops.concatenate(rows, dimension=0)


def plain_while(
    cond: Callable[[Tree], Tree],
    body: Callable[[Tree], Tree],
    carry: Sequence[Operand],
    structure: PyTreeDef,
    most: int | None,
) -> tuple[Tree] | None:
    """Return the last carry, in a tuple."""
    value = tree_unflatten(structure, [array_of(leaf) for leaf in carry])
    iteration = 0
    try:
        while iteration != most:
            goes_on = cond(value)
            if not _is_condition(goes_on):
                return None  # staging refuses it
            if not bool(goes_on):
                break
            value = body(value)
            iteration += 1
    except ConcretizationError:
        return None
    return (tree_map(array_of, value),)


def _is_condition(value: Tree) -> bool:
    kind = getattr(value, "dtype", None)
    return isinstance(value, bool) or (kind is not None and is_bool(kind) and not np.shape(value))


def plain_choice(
    index: Operand, branches: Sequence[Callable[..., Tree]], operands: Sequence[Tree]
) -> tuple[Tree] | None:
    """Return the result of the chosen branch, in a tuple; None if `index` is traced."""
    try:
        chosen = int(array_of(index))
    except ConcretizationError:
        return None
    given = [tree_map(array_of, operand) for operand in operands]
    return (tree_map(array_of, branches[min(max(chosen, 0), len(branches) - 1)](*given)),)

"""Collectives over named axes, on trees: psum, pmean, pmax, pmin, all_gather, axis_index, axis_size.

With `axis_index_groups`, lists of numbers along the axis, each participant belongs to its own group only.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Literal

import numpy as np

from treadle_ir import ArgumentError, Array, UnsupportedError, ops
from treadle_ir.errors import refused
from treadle_ir.primitives.collective import Groups
from treadle_ir.tree import tree_map
from treadle_numpy.lax.groups import as_groups
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.broadcast import promote_shapes
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.sequences import array_from
from treadle_numpy.operands.trees import Tree

__all__ = ["all_gather", "axis_index", "axis_size", "pmax", "pmean", "pmin", "psum"]


def over(f: Callable[[Array], Array], x: Tree) -> Tree:
    """Return a function of every leaf of a tree, as an array."""
    return tree_map(lambda leaf: f(array_from("asarray", leaf, None)), x)


def psum(x: Tree, axis_name: Hashable, *, axis_index_groups: object = None) -> Tree:
    """Sum every leaf of `x` over all participants of a named axis.

    Of a Python number, which all batch elements have, it is a Python number, known while the function is traced:
    `psum(1, "i")` is the number of batch elements, and can be a length or the end of a `range`. Booleans are counted.

    Args:
        x: a pytree of arrays or numbers.
        axis_name: the name of the axis, or a tuple of names.
        axis_index_groups: a partition of the participants into groups, each with a sum of its own.

    Returns:
        A pytree like `x`, with the same sums for all participants (of a group).

    Raises:
        NameError: no such axis is being mapped.
        ArgumentError: `axis_index_groups` does not have each batch element once.

    Example:
        `vmap(lambda x: x / lax.psum(x, "i"), axis_name="i")(x)` divides by the sum over the batch.

        The type of what one of four batch elements gets:

        >>> import numpy as np
        >>> from treadle_ir import ArrayType, stage
        >>> from treadle_ir.settings import named_axis
        >>> one = ArrayType((3,), np.dtype(np.float32))
        >>> with named_axis("i", 4):
        ...     staged = stage(lambda x: [psum(x, "i")], one)
        ...     count = psum(1, "i")
        >>> print(staged.program.results[0].type)
        f32[3]
        >>> count
        4
    """
    groups = as_groups("psum", axis_index_groups, axis_name, unequal=True)
    size = _equal_size(axis_name, groups)

    def total(leaf: ArrayLike) -> ArrayLike:
        if (
            size is not None
            and isinstance(leaf, (int, float, complex))
            and not isinstance(leaf, bool)
        ):
            return leaf * size
        x = array_from("asarray", leaf, None)
        if x.dtype == bool:
            x = ops.convert(x, dtype=np.dtype(np.int32))
        return ops.all_reduce(x, reduction="add", axis_name=axis_name, groups=groups)

    return tree_map(total, x)


def _equal_size(axis_name: Hashable, groups: Groups | None) -> int | None:
    """Return how many batch elements are reduced together; None if some groups are larger than others."""
    if groups is None:
        return ops.axis_size(axis_name)
    sizes = {*map(len, groups)}
    return sizes.pop() if len(sizes) == 1 else None


def pmean(x: Tree, axis_name: Hashable, *, axis_index_groups: object = None) -> Tree:
    """Average every leaf of `x` over all participants of a named axis.

    Args:
        x: a pytree of arrays or numbers.
        axis_name: the name of the axis, or a tuple of names.
        axis_index_groups: a partition of the participants into groups, each with a mean of its own.

    Returns:
        A pytree like `x`, of floating or complex dtypes.

    Raises:
        NameError: no such axis is being mapped.
        ArgumentError: `axis_index_groups` does not have each batch element once.

    Example:
        `vmap(lambda x: x - lax.pmean(x, "i"), axis_name="i")(x)` makes the mean over the batch 0.

        The type of what one of four batch elements gets:

        >>> import numpy as np
        >>> from treadle_ir import ArrayType, stage
        >>> from treadle_ir.settings import named_axis
        >>> one = ArrayType((3,), np.dtype(np.float32))
        >>> with named_axis("i", 4):
        ...     staged = stage(lambda x: [pmean(x, "i")], one)
        >>> print(staged.program.results[0].type)
        f32[3]
    """
    groups = as_groups("pmean", axis_index_groups, axis_name, unequal=True)
    size: ArrayLike | None = _equal_size(axis_name, groups)
    if size is None:  # each batch element divides by the size of its own group
        size = psum(np.int32(1), axis_name, axis_index_groups=groups)
    return tree_map(
        lambda leaf: ops.divide(*promote_shapes("true_divide", leaf, size, inexact=True)),
        psum(x, axis_name, axis_index_groups=groups),
    )


def pmax(x: Tree, axis_name: Hashable, *, axis_index_groups: object = None) -> Tree:
    """Return the maximum over all batch elements of a named axis (or of a tuple of them), of every leaf.

    Raises:
        NameError: no such axis is being mapped.
        DTypeError: the elements are complex.
        ArgumentError: `axis_index_groups` does not have each batch element once.

    Example:
        `vmap(lambda x: x / lax.pmax(x, "i"), axis_name="i")(x)` divides by the maximum over the batch.

        The type of what one of four batch elements gets:

        >>> import numpy as np
        >>> from treadle_ir import ArrayType, stage
        >>> from treadle_ir.settings import named_axis
        >>> one = ArrayType((3,), np.dtype(np.float32))
        >>> with named_axis("i", 4):
        ...     staged = stage(lambda x: [pmax(x, "i")], one)
        >>> print(staged.program.results[0].type)
        f32[3]
    """
    groups = as_groups("pmax", axis_index_groups, axis_name, unequal=True)
    return over(
        lambda leaf: ops.all_reduce(leaf, reduction="maximum", axis_name=axis_name, groups=groups),
        x,
    )


def pmin(x: Tree, axis_name: Hashable, *, axis_index_groups: object = None) -> Tree:
    """Return the minimum over all batch elements of a named axis (or of a tuple of them), of every leaf.

    Raises:
        NameError: no such axis is being mapped.
        DTypeError: the elements are complex.
        ArgumentError: `axis_index_groups` does not have each batch element once.

    Example:
        `vmap(lambda x: x - lax.pmin(x, "i"), axis_name="i")(x)` makes the minimum over the batch 0.

        The type of what one of four batch elements gets:

        >>> import numpy as np
        >>> from treadle_ir import ArrayType, stage
        >>> from treadle_ir.settings import named_axis
        >>> one = ArrayType((3,), np.dtype(np.float32))
        >>> with named_axis("i", 4):
        ...     staged = stage(lambda x: [pmin(x, "i")], one)
        >>> print(staged.program.results[0].type)
        f32[3]
    """
    groups = as_groups("pmin", axis_index_groups, axis_name, unequal=True)
    return over(
        lambda leaf: ops.all_reduce(leaf, reduction="minimum", axis_name=axis_name, groups=groups),
        x,
    )


def all_gather(
    x: Tree,
    axis_name: Hashable,
    *,
    axis_index_groups: object = None,
    axis: int = 0,
    tiled: bool = False,
    to: Literal["varying", "invarying"] = "varying",
) -> Tree:
    """Return all batch elements of every leaf, stacked along a new axis (or, `tiled`, joined along an existing one).

    Over a tuple of names, in the order of their `axis_index`.

    Args:
        x: a tree of arrays.
        axis_name: the axis, or a tuple of them.
        axis_index_groups: which batch elements are gathered together; all, unless said.
        axis: where the new axis is, or the one along which arrays are joined.
        tiled: whether arrays are joined, and not stacked.
        to: "invarying": the result is one value that all devices share, like the result of `psum`, so that a
            shard_map may return it unsharded; "varying": it counts as one value for each.

    Raises:
        NameError: no such axis is being mapped.
        ArgumentError: `axis_index_groups` does not have each batch element once, or is given with `to="invarying"`.
        UnsupportedError: `to` is "reduced": sums that are put off do not go into a shard_map.
        AxisError: the result has no such axis.

    Example:
        `vmap(lambda x: lax.all_gather(x, "i"), axis_name="i")(x)` has the whole of `x` for each batch element.

        The type of what one of four batch elements gets:

        >>> import numpy as np
        >>> from treadle_ir import ArrayType, stage
        >>> from treadle_ir.settings import named_axis
        >>> one = ArrayType((3,), np.dtype(np.float32))
        >>> with named_axis("i", 4):
        ...     staged = stage(lambda x: [all_gather(x, "i", axis=1)], one)
        >>> print(staged.program.results[0].type)
        f32[3,4]
    """

    groups = as_groups("all_gather", axis_index_groups, axis_name)
    invariant = _is_invariant(to, groups is not None)
    if axis_name == ():  # no axes leave the value unchanged
        return over(lambda leaf: leaf, x)

    def gathered(leaf: Array) -> Array:
        rank = leaf.ndim if tiled else leaf.ndim + 1
        along = as_axis("all_gather", axis, rank)
        return ops.all_gather(
            leaf, axis_name=axis_name, axis=along, tiled=tiled, groups=groups, invariant=invariant
        )

    return over(gathered, x)


def _is_invariant(to: object, in_groups: bool) -> bool:
    """Return whether what is gathered is one value that all devices share, as the argument `to` says."""
    if to == "reduced":
        raise UnsupportedError(
            "all_gather: sums that are put off do not go into a shard_map",
            fix='write to="invarying", and sum cotangents where they are needed',
        )
    if to not in ("varying", "invarying"):
        raise refused("all_gather", "to", '"varying" or "invarying"', to)
    if to == "varying":
        return False
    if in_groups:
        raise ArgumentError(
            "all_gather: what groups gather differs between them",
            fix='leave out axis_index_groups or to="invarying"',
        )
    return True


def axis_index(axis_name: Hashable) -> Array:
    """Return the index of the participant along a named axis (or along the axes of a tuple of names), an int32 scalar.

    Of a tuple of names the last one counts fastest: over `("i", "j")` it is `axis_index("i") * axis_size("j") +
    axis_index("j")`.

    Raises:
        NameError: no such axis is being mapped.

    Example:
        `vmap(lambda x: x * lax.axis_index("i"), axis_name="i")(x)` multiplies each batch element by its number.

        The type of what one of four batch elements gets:

        >>> from treadle_ir.settings import named_axis
        >>> from treadle_ir import stage
        >>> with named_axis("i", 4):
        ...     staged = stage(lambda: [axis_index("i")])
        >>> print(staged.program.results[0].type)
        i32[]
    """
    return ops.axis_index(axis_name)


def axis_size(axis_name: Hashable) -> int:
    """Return the number of batch elements along a named axis (or a tuple of them), a Python integer.

    Raises:
        NameError: no such axis is being mapped.

    Example:
        `vmap(lambda x: x / lax.axis_size("i"), axis_name="i")(x)` divides by the size of the batch. With four elements:

        >>> from treadle_ir.settings import named_axis
        >>> with named_axis("i", 4):
        ...     print(axis_size("i"))
        4
    """
    return ops.axis_size(axis_name)

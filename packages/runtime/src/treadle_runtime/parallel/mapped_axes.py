"""Which axes of its arguments and results `pmap` maps over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, final

from treadle_ir import ArgumentError, ShapeError, UnsupportedError
from treadle_ir.calling import type_like
from treadle_ir.errors import shown
from treadle_ir.process import frozen
from treadle_ir.refs import Cell
from treadle_ir.tracing import Arguments
from treadle_ir.tree import broadcast_prefix, forms, spread_prefix, tree_leaves

Tree: TypeAlias = Any  # a pytree: any Python object


@final
@frozen(eq=False)
class Elements:
    """The mapped axis of each leaf of a call, None if all elements share the leaf, and the number of elements."""

    axes: tuple[int | None, ...]
    size: int


def _is_none(x: object) -> bool:
    return x is None


def checked_axes_tree(argument: str, axes: Tree) -> Tree:
    """Return a tree of axes that the user gave, after a check; a list of the axes of all arguments becomes a tuple.

    Raises:
        ArgumentError: a leaf is neither an integer nor None.
    """
    for leaf in tree_leaves(axes, is_leaf=_is_none):
        if leaf is not None and (not isinstance(leaf, int) or isinstance(leaf, bool)):
            raise ArgumentError(
                f"pmap {argument} must be an int, None, or (nested) container with those types as leaves, "
                f"but got {shown(leaf)}",
                fix="write the number of the axis that holds the elements, or None where there is none",
            )
    return tuple(axes) if argument == "in_axes" and isinstance(axes, list) else axes


def _each(axes: Tree, static: Sequence[int], count: int) -> Tree:
    """Return the axes of the positional arguments that are not static."""
    if not isinstance(axes, tuple):
        return axes
    if len(axes) != count:
        raise ShapeError(
            f"pmap in_axes has {len(axes)} entries, but there are {count} positional arguments",
            fix="give one entry for each positional argument, static ones too: an axis, or None for an argument that "
            "all elements share",
        )
    return tuple([axis for number, axis in enumerate(axes) if number not in static])


def elements_of(
    arguments: Arguments, in_axes: Tree, static: Sequence[int], count: int, given: int | None
) -> Elements:
    """Return the mapped axes of a call with these arguments; keyword arguments are mapped along their first axis.

    Args:
        arguments: the arguments of the call.
        in_axes: the axes that the user gave for the positional arguments.
        static: the numbers of the static arguments.
        count: the number of positional arguments, including static ones.
        given: the number of elements, if the user gives it.

    Raises:
        ShapeError: the axes are not a prefix of the arguments, do not exist, or have different sizes.
        ArgumentError: an argument is not an array.
        UnsupportedError: an argument is a mutable reference, or of a user-defined type.
    """
    if forms(arguments.structure):
        raise UnsupportedError(
            "pmap: an argument is of a user-defined type, which cannot be sharded",
            fix="make the value inside of the function, of arrays",
        )
    tree = arguments.structure.unflatten(arguments.leaves)
    positional = _each(in_axes, static, count)
    prefix = positional if arguments.statics is None else (positional, 0)
    try:
        axes = broadcast_prefix(prefix, tree, is_leaf=_is_none)
    except ValueError as error:
        raise ShapeError(
            f"pmap in_axes {in_axes!r} is not a prefix of the arguments: {error}",
            fix="in_axes must have the structure of the positional arguments, or stop short of it",
        ) from None
    found: list[int | None] = []
    sizes: dict[int, int] = {}
    for number, (leaf, axis) in enumerate(zip(arguments.leaves, axes, strict=True)):
        if isinstance(leaf, Cell):
            raise UnsupportedError(
                f"pmap: {arguments.paths()[number]} is {leaf.what}, which cannot be sharded",
                fix="pass what it holds, and write the result into it: ref[...] = pmap(f)(ref[...])",
            )
        try:
            shape = type_like("pmap", leaf).shape
        except ArgumentError as error:
            error.add_note(f"  while: looking at {arguments.paths()[number]} of pmap")
            raise
        if axis is None:
            found.append(None)
        elif -len(shape) <= axis < len(shape):
            found.append(axis % len(shape))
            sizes[number] = shape[axis]
        else:
            raise ShapeError(
                f"pmap was requested to map {arguments.paths()[number]} along axis {axis}, which implies that its "
                f"rank should be at least {axis + 1 if axis >= 0 else -axis}, but is only {len(shape)}",
                fix="pass in_axes=None for an argument that all elements share",
            )
    return Elements(tuple(found), _size(arguments, sizes, given))


def _size(arguments: Arguments, sizes: dict[int, int], given: int | None) -> int:
    if not sizes:
        raise ShapeError(
            "pmap requires at least one argument with a mapped axis",
            fix="give an argument an axis in in_axes, or use vmap with axis_size",
        )
    distinct = {*sizes.values()}
    if len(distinct) > 1:
        paths = arguments.paths()
        lines = "; ".join([f"{paths[number]} has {size}" for number, size in sizes.items()])
        raise ShapeError(
            f"pmap got inconsistent sizes for array axes to be mapped: {lines}",
            fix="mapped axes must have one size; pass in_axes=None for arguments that all elements share",
        )
    (size,) = distinct
    if given is not None and given != size:
        raise ShapeError(
            f"Specified axis_size {given} doesn't match received axis_size {size}",
            fix="leave axis_size out: the arguments determine it",
        )
    return size


def result_axes(out_axes: Tree, results: Tree, ranks: Sequence[int]) -> list[int | None]:
    """Return the mapped axis of each leaf of the results; None if all elements share the leaf.

    `ranks` are the numbers of axes of the leaves without the mapped axis.

    Raises:
        ShapeError: the axes are not a prefix of the results, or do not exist.
    """
    try:
        axes = spread_prefix("pmap: out_axes and results", out_axes, results, _is_none)
    except ValueError as error:
        raise ShapeError(
            f"pmap out_axes {out_axes!r} is not a prefix of the results: {error}",
            fix="out_axes must have the structure of the results, or stop short of it",
        ) from None
    found: list[int | None] = []
    for axis, rank in zip(axes, ranks, strict=True):
        if axis is not None and not -rank - 1 <= axis <= rank:
            raise ShapeError(
                f"pmap out_axes is {axis}, but the result with its elements has {rank + 1} axes",
                fix=f"choose an axis from {-rank - 1} to {rank}",
            )
        found.append(None if axis is None else axis % (rank + 1))
    return found

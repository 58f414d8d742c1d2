"""`in_nzs` and `saveable_args`: booleans that say something of the arguments, and such as say it of results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from treadle_autodiff.user_function import Tree
from treadle_ir import ArgumentError
from treadle_ir.errors import shown
from treadle_ir.tree import PyTreeDef, tree_flatten


def flags_of_leaves(function: str, name: str, given: Tree, structure: PyTreeDef) -> list[bool]:
    """Return one boolean for each leaf of the arguments, from a tree that is a prefix of them.

    Raises:
        ArgumentError: a leaf is not a boolean, or the tree is not such a prefix.
    """
    flags, prefix = tree_flatten(given)
    for flag in flags:
        if not isinstance(flag, bool):
            raise ArgumentError(
                f"{function}: {name} must be a tree of booleans, but holds {shown(flag)} of {type(flag)}",
                fix=f"give one boolean for each argument: `{name}=(True, False)`",
            )
    return _spread(f"{function}: {name}", iter(flags), prefix, structure)


def _spread(
    what: str, flags: Iterator[bool], prefix: PyTreeDef, structure: PyTreeDef
) -> list[bool]:
    """Return one flag for each leaf; containers match where they have as many children, whatever they are."""
    if prefix.is_leaf():
        return [next(flags)] * structure.num_leaves
    given, children = prefix.children(), structure.children()
    if structure.is_leaf() or len(given) != len(children):
        raise ArgumentError(
            f"{what} has {len(given)} parts where the arguments have {len(children)}",
            fix="leave out what is within an argument, or give one boolean for each part of it",
        )
    parts = zip(given, children, strict=True)
    return [flag for one, other in parts for flag in _spread(what, flags, one, other)]


def note_out_nzs(
    derivative: Callable[..., Any], has_tangent: Sequence[bool], results: PyTreeDef
) -> None:
    """Give the derivative a tree of booleans, `out_nzs`: which results have tangents that may not be zero."""
    derivative.out_nzs = flags_like(has_tangent, results)  # type: ignore[attr-defined]


def flags_like(flags: Sequence[bool], structure: PyTreeDef) -> Tree:
    """Return flags, one for each leaf, in the structure; containers other than lists and dicts become tuples."""
    return _tree(iter(flags), structure)


def _tree(flags: Iterator[bool], structure: PyTreeDef) -> Tree:
    if structure.is_leaf():
        return next(flags)
    node = structure.node_data()
    if node is None or node[0] is type(None):
        return None
    kind, keys = node
    parts = [_tree(flags, child) for child in structure.children()]
    if kind is dict:
        return dict(zip(keys, parts, strict=True))
    return parts if kind is list else tuple(parts)

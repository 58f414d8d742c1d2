"""`in_nzs` of `vjp` and `linearize`: which arguments have tangents at all, and so which results have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from treadle_autodiff.user_function import Tree
from treadle_ir import ArgumentError, shown
from treadle_ir.tree import PyTreeDef, tree_flatten


def among(function: str, nonzero: Sequence[bool], in_nzs: Tree, structure: PyTreeDef) -> list[bool]:
    """The leaves that have tangents, without those that `in_nzs` says have none.

    Raises:
        ArgumentError: `in_nzs` holds what is no boolean, or is no prefix of the arguments.
    """
    flags, prefix = tree_flatten(in_nzs)
    for flag in flags:
        if not isinstance(flag, bool):
            raise ArgumentError(
                f"{function}: in_nzs must be a tree of booleans, but holds {shown(flag)} of {type(flag)}",
                fix="give one boolean for each argument: `in_nzs=(True, False)`",
            )
    asked = _spread(function, iter(flags), prefix, structure)
    return [has and wanted for has, wanted in zip(nonzero, asked, strict=True)]


def _spread(
    function: str, flags: Iterator[bool], prefix: PyTreeDef, structure: PyTreeDef
) -> list[bool]:
    """One flag for each leaf; containers match where they have as many children, whatever they are."""
    if prefix.is_leaf():
        return [next(flags)] * structure.num_leaves
    given, children = prefix.children(), structure.children()
    if structure.is_leaf() or len(given) != len(children):
        raise ArgumentError(
            f"{function}: in_nzs has {len(given)} parts where the arguments have {len(children)}",
            fix="leave out what is within an argument, or give one boolean for each part of it",
        )
    parts = zip(given, children, strict=True)
    return [flag for one, other in parts for flag in _spread(function, flags, one, other)]


def note_out_nzs(
    derivative: Callable[..., Any], has_tangent: Sequence[bool], results: PyTreeDef
) -> None:
    """Give the derivative a tree of booleans, `out_nzs`: which results have tangents that may not be zero."""
    derivative.out_nzs = _tree(iter(has_tangent), results)  # type: ignore[attr-defined]


def _tree(flags: Iterator[bool], structure: PyTreeDef) -> Tree:
    """Flags in tuples, lists and dictionaries; tuples stand for containers of other kinds."""
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

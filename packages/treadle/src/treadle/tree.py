"""Trees by their short names: `treadle.tree.map`, `treadle.tree.leaves`."""

from __future__ import annotations

import re as _re
from typing import TypeVar as _TypeVar

from treadle.tree_text import show as show
from treadle_ir import tree as _tree
from treadle_ir.errors import alias as _alias, boundaries
from treadle_ir.tree import static as static

_F = _TypeVar("_F")


def _short(function: _F, name: str) -> _F:
    """Return the function `tree_<name>` as `name`, whose documentation has the short names, too."""
    named = _alias(function, name, __name__)
    named.__doc__ = _re.sub(r"\btree_(?!util)", "", function.__doc__ or "")
    return named


all = _short(_tree.tree_all, "all")
broadcast = _short(_tree.tree_broadcast, "broadcast")
flatten = _short(_tree.tree_flatten, "flatten")
flatten_with_path = _short(_tree.tree_flatten_with_path, "flatten_with_path")
leaves = _short(_tree.tree_leaves, "leaves")
leaves_with_path = _short(_tree.tree_leaves_with_path, "leaves_with_path")
map = _short(_tree.tree_map, "map")
map_with_path = _short(_tree.tree_map_with_path, "map_with_path")
reduce = _short(_tree.tree_reduce, "reduce")
reduce_associative = _short(_tree.tree_reduce_associative, "reduce_associative")
structure = _short(_tree.tree_structure, "structure")
transpose = _short(_tree.tree_transpose, "transpose")
unflatten = _short(_tree.tree_unflatten, "unflatten")

__all__ = [
    "all",
    "broadcast",
    "flatten",
    "flatten_with_path",
    "leaves",
    "leaves_with_path",
    "map",
    "map_with_path",
    "reduce",
    "reduce_associative",
    "show",
    "static",
    "structure",
    "transpose",
    "unflatten",
]

boundaries(__name__)

"""A tree as text: a line for each leaf, with its path and its type."""

from __future__ import annotations

from typing import Any

from treadle_ir import TreadleError, type_of
from treadle_ir.errors import integer, shown
from treadle_ir.tree import keystr, tree_flatten_with_path


def show(tree: Any, *, most: int = 50) -> str:  # Any: a tree
    """Return the leaves of a tree as text: a line for each, with its path and its type, after a line of totals.

    Args:
        tree: the tree; its leaves are arrays, or any other objects, which are shown by their values.
        most: the number of leaves that are shown; of more, the first ones.

    Raises:
        ArgumentError: `most` is not an integer.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.tree import show
        >>> print(show({"layers": [{"w": tnp.ones((3, 4)), "b": tnp.zeros(4)}], "step": 7, "name": "small"}))
        4 leaves, 17 elements
          ['layers'][0]['b']  f32[4]
          ['layers'][0]['w']  f32[3,4]
          ['name']            'small'
          ['step']            i32[]*  7
    """
    most = integer("tree.show", "most", most)
    leaves, _ = tree_flatten_with_path(tree)
    rows = [(keystr(path), _described(leaf)) for path, leaf in leaves[: max(most, 0)]]
    width = max([len(path) for path, _ in rows], default=0)
    elements = sum([_size(leaf) for _, leaf in leaves])
    lines = [
        f"{_counted(len(leaves), 'leaf', 'leaves')}, {_counted(elements, 'element', 'elements')}"
    ]
    lines += [f"  {path:<{width}}  {text}" for path, text in rows]
    if len(leaves) > len(rows):
        lines.append(f"  … {_counted(len(leaves) - len(rows), 'more leaf', 'more leaves')}")
    return "\n".join(lines)


def _described(leaf: object) -> str:
    """Return the type of an array, with the value of a Python number; another object as a message would show it."""
    try:
        kind = str(type_of(leaf))
    except TreadleError:
        return shown(leaf)
    return f"{kind}  {leaf!r}" if isinstance(leaf, bool | int | float | complex) else kind


def _size(leaf: object) -> int:
    try:
        size: int = type_of(leaf).size
    except (TreadleError, AttributeError):
        return 0
    return size


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"

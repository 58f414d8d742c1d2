"""`jax._src.tree_util`: for flax.nnx and orbax, which open nodes and ask for their classes, and for flax's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, final

from treadle.tree_util import (
    KeyPath,
    PyTreeDef,
    keystr,
    tree_flatten_with_path,
    treedef_is_leaf,
)
from treadle_ir.tree import (
    default_registry as _nodes,
    flatten_one_level as flatten_one_level,
)


class _Entry(NamedTuple):
    """How nodes of a class are opened and built, as JAX's table says it."""

    to_iter: Callable[[Any], Any]
    from_iter: Callable[[Any, Any], Any]


@final
class _Registry(Mapping[type, _Entry]):
    """treadle's table of nodes, read as JAX's."""

    def __getitem__(self, cls: type) -> _Entry:
        kind = _nodes.kinds[cls]
        if kind is None:
            raise KeyError(cls)
        return _Entry(kind.open, lambda meta, children: kind.build(meta, tuple(children)))

    def __contains__(self, cls: object) -> bool:
        return isinstance(cls, type) and _nodes.kinds[cls] is not None

    def __iter__(self) -> Iterator[type]:
        return iter([cls for cls in _nodes.registered if cls in self])

    def __len__(self) -> int:
        return sum(1 for _ in self)


_registry = _Registry()


def prefix_errors(
    prefix_tree: Any, full_tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> list[Callable[[str], ValueError]]:
    """Return, for each mismatch of a tree and its prefix, a function from the prefix's name to an error."""
    found: list[Callable[[str], ValueError]] = []
    todo: list[tuple[KeyPath, Any, Any]] = [((), prefix_tree, full_tree)]
    while todo:
        path, prefix, full = todo.pop()
        if is_leaf is not None and is_leaf(prefix):
            continue
        expected, outline = _opened(prefix)
        if treedef_is_leaf(outline):
            continue
        got, other = _opened(full)
        if outline != other:
            found.append(_differs(keystr(path), prefix, full))
            continue
        pairs = zip(reversed(expected), reversed(got), strict=True)
        todo += [((*path, *key), x, y) for (key, x), (_, y) in pairs]
    return found


def _opened(tree: Any) -> tuple[list[tuple[KeyPath, Any]], PyTreeDef]:
    """Return the children of a node with their keys, and the node with leaves in their places."""
    return tree_flatten_with_path(tree, is_leaf=lambda x: x is not tree)


def _differs(place: str, prefix: Any, full: Any) -> Callable[[str], ValueError]:
    return lambda name: ValueError(
        f"{name} is not a prefix: at {name}{place} it has a {type(prefix).__name__} of {len(_opened(prefix)[0])}, "
        f"where the tree has a {type(full).__name__} of {len(_opened(full)[0])}"
    )

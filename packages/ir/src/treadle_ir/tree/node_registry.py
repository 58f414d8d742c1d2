"""The registry of node types for users: the functions on trees, as methods of one object.

Libraries that flatten trees one level at a time receive this object, or import it; there is only one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, final

from treadle_ir.tree.dataclass import register_dataclass
from treadle_ir.tree.flatten import tree_flatten, tree_flatten_with_path
from treadle_ir.tree.functions import flatten_one_level, flatten_one_level_with_keys
from treadle_ir.tree.paths import KeyEntry, KeyPath, Leaf, Tree
from treadle_ir.tree.registry import is_tree_node, register_pytree_node
from treadle_ir.tree.structure import PyTreeDef


@final
class NodeRegistry:
    """The types that are nodes, and how trees of them are flattened.

    Example:
        >>> from treadle_ir.tree.node_registry import node_registry
        >>> node_registry.flatten_one_level({"b": [1], "a": 2})
        ((2, [1]), ('a', 'b'))
        >>> node_registry.flatten_one_level(2)
    """

    __slots__ = ()

    def flatten(
        self, tree: Tree, leaf_predicate: Callable[[Any], bool] | None = None
    ) -> tuple[list[Leaf], PyTreeDef]:
        """Return the leaves of a tree, and its structure."""
        return tree_flatten(tree, leaf_predicate)

    def flatten_with_path(
        self, tree: Tree, leaf_predicate: Callable[[Any, Any], bool] | None = None
    ) -> tuple[list[tuple[KeyPath, Leaf]], PyTreeDef]:
        """Return the leaves of a tree with their paths, and its structure; the predicate takes a path and a value."""
        return tree_flatten_with_path(tree, leaf_predicate, is_leaf_takes_path=True)

    def flatten_one_level(self, tree: Tree) -> tuple[Iterable[Tree], Any] | None:
        """Return the children and the metadata of a node, or None for a leaf."""
        if not is_tree_node(type(tree)):
            return None
        children, meta = flatten_one_level(tree)
        return tuple(children), meta

    def flatten_one_level_with_keys(
        self, tree: Tree
    ) -> tuple[Iterable[tuple[KeyEntry, Tree]], Any] | None:
        """Return the children of a node with their keys, and the metadata, or None for a leaf."""
        if not is_tree_node(type(tree)):
            return None
        children, meta = flatten_one_level_with_keys(tree)
        return tuple(children), meta

    def is_node(self, type: type) -> bool:
        """Return whether values of exactly this type are nodes."""
        return is_tree_node(type)

    def register_node(
        self,
        type: type,
        to_iterable: Callable[[Any], tuple[Iterable[Tree], Any]],
        from_iterable: Callable[[Any, Any], Any],
        to_iterable_with_keys: Callable[[Any], tuple[Iterable[tuple[KeyEntry, Tree]], Any]]
        | None = None,
    ) -> None:
        """Make a class a node, as `register_pytree_node` does."""
        register_pytree_node(type, to_iterable, from_iterable, to_iterable_with_keys)

    def register_dataclass_node(
        self, nodetype: type, data_fields: Sequence[str], meta_fields: Sequence[str], /
    ) -> None:
        """Make a dataclass a node, as `register_dataclass` does."""
        register_dataclass(nodetype, data_fields, meta_fields)


node_registry: Final = NodeRegistry()

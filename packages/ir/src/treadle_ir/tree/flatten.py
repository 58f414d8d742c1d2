"""Flattening of trees: one of the three hot paths, run on the arguments of each jitted call.

It is fast because it makes no Python call per leaf. A container's children are first asked, in C, whether all are
leaves (`LEAF_TYPES.issuperset(map(type, children))`); if so, they are appended in one step. Only mixed
containers are traversed child by child. An explicit stack replaces recursion, so depth is bounded by
`MAX_DEPTH` alone. Lists that contain themselves are detected sooner, below `DEEP` levels.

Structures are codes in post-order (`treadle_ir.tree.structure`): the number of leaves between two entries is how
far the list of leaves has grown since the last entry.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol, TypeAlias

from treadle_ir.errors.argument_checks import functions
from treadle_ir.errors.kinds import TreeError
from treadle_ir.tree.opaque import OPAQUE, SHOWN
from treadle_ir.tree.paths import KeyEntry, KeyPath, Leaf, Tree, place
from treadle_ir.tree.registry import (
    DICT,
    KINDS,
    LEAF_TYPES,
    LIST,
    LONG_DICT,
    TUPLE,
    Kind,
    sorted_keys,
)
from treadle_ir.tree.structure import LEAF, PyTreeDef, flat_tuple, make_structure

IsLeaf: TypeAlias = Callable[[Any], bool]  # Any: it is called with nodes and leaves of all types


class Kinds(Protocol):
    """The kind of each node type, which opens its nodes; None for types of leaves."""

    def __getitem__(self, cls: type, /) -> Kind | None: ...


MAX_DEPTH = 100_000
MOST_OPENED = 10_000  # nodes visited without a check of depth: more may be an endless tree
FEW = 8  # children that are visited one by one; of more it is first tested in C whether all are leaves
DEEP = 1_000  # from this depth on, nodes that contain themselves are searched for

all_leaf_types = LEAF_TYPES.issuperset


def flatten_leaves_and_structure(tree: Tree) -> tuple[list[Leaf], PyTreeDef]:
    """Return the leaves and the structure of a tree: the fast entry point, without a predicate.

    Raises:
        ValueError: a dict has keys that cannot be sorted, or the tree contains itself.

    Example:
        >>> flatten_leaves_and_structure((1, 2))
        ([1, 2], PyTreeDef((*, *)))
    """
    kind = KINDS[type(tree)]
    if kind is None:
        return [tree], LEAF
    if kind is TUPLE and all_leaf_types(map(type, tree)):
        leaves = [*tree]
        return leaves, flat_tuple(len(leaves))
    leaves = []
    try:
        code = take_apart(tree, leaves, None)
    except TreeError as error:
        raise with_place(error, tree, None) from error.__cause__
    return leaves, make_structure(tuple(code), len(leaves))


def flatten_around(tree: Tree, is_leaf: IsLeaf) -> tuple[list[Leaf], PyTreeDef]:
    """Flatten as `flatten_leaves_and_structure` does, but keep subtrees for which `is_leaf` is true as leaves.

    Example:
        >>> flatten_around([(1, 2), 3], lambda x: isinstance(x, tuple))
        ([(1, 2), 3], PyTreeDef([*, *]))
    """
    leaves: list[Leaf] = []
    try:
        code = take_apart(tree, leaves, is_leaf)
    except TreeError as error:
        raise with_place(error, tree, is_leaf) from error.__cause__
    return leaves, make_structure(tuple(code), len(leaves))


def tree_flatten(tree: Tree, is_leaf: IsLeaf | None = None) -> tuple[list[Leaf], PyTreeDef]:
    """Flatten a tree into its leaves and its structure.

    `is_leaf` is called with each node and leaf; a subtree for which it returns true becomes a leaf.

    Raises:
        ValueError: a dict has keys that cannot be sorted, or the tree contains itself.

    Example:
        >>> tree_flatten({"b": [1, None], "a": 2})
        ([2, 1], PyTreeDef({'a': *, 'b': [*, None]}))
        >>> tree_flatten([1, None], is_leaf=lambda x: x is None)
        ([1, None], PyTreeDef([*, *]))
    """
    if is_leaf is None and not OPAQUE:
        return flatten_leaves_and_structure(tree)
    leaves: list[Leaf] = []
    try:
        code = take_apart(tree, leaves, is_leaf, SHOWN if OPAQUE else KINDS)
    except TreeError as error:
        raise with_place(error, tree, is_leaf) from error.__cause__
    return leaves, make_structure(tuple(code), len(leaves))


def take_apart(
    tree: Tree, leaves: list[Leaf], is_leaf: IsLeaf | None, kinds: Kinds = KINDS
) -> list[Any]:
    """Append a tree's leaves to the list `leaves`, and return its code."""
    bulk = all_leaf_types
    if is_leaf is not None:
        functions("tree_flatten", is_leaf=is_leaf)
    code: list[Any] = []
    emit, leaf = code.append, leaves.append
    counted = len(leaves)
    stack: list[tuple[Iterator[Tree], Any]] = []
    push = stack.append
    children: Sequence[Tree]
    todo: Iterator[Tree] = iter((tree,))
    below: tuple[Any, int, Any]
    anchor: Tree = None
    entry: Any = None  # of the node whose children `todo` are; None for the tree itself
    while True:
        for child in todo:
            if is_leaf is not None and is_leaf(child):
                leaf(child)
                continue
            kind = kinds[type(child)]
            if kind is None:
                leaf(child)
                continue
            if kind is DICT and len(child) < LONG_DICT:
                try:
                    keys = tuple(sorted(child))
                except Exception:
                    keys = sorted_keys(child)  # raises, and says which keys
                children = [*map(child.__getitem__, keys)]
                below = (kind, len(keys), keys)
            elif kind is TUPLE or kind is LIST:
                children = child
                below = (kind, len(child), None)
            else:
                children, meta = kind.open(child)
                below = (kind, len(children), meta)
            if is_leaf is None and bulk(map(type, children)):
                leaves += children
                if len(leaves) != counted:
                    emit(len(leaves) - counted)
                    counted = len(leaves)
                emit(below)
                continue
            push((todo, entry))
            if len(stack) > DEEP:
                if len(stack) == DEEP + 1:
                    anchor = child  # an ancestor of all that is deeper
                elif child is anchor or len(stack) > MAX_DEPTH:
                    raise too_deep(child is anchor)
            todo, entry = iter(children), below
            break
        else:
            if len(leaves) != counted:
                emit(len(leaves) - counted)
                counted = len(leaves)
            if entry is None:
                return code
            emit(entry)
            todo, entry = stack.pop()


def tree_leaves(tree: Tree, is_leaf: IsLeaf | None = None) -> list[Leaf]:
    """Return the leaves of a tree.

    Example:
        >>> tree_leaves({"b": [1, None], "a": 2})
        [2, 1]
    """
    return tree_flatten(tree, is_leaf)[0] if is_leaf is not None or OPAQUE else opened_leaves(tree)


def opened_leaves(tree: Tree) -> list[Leaf]:
    """Return the leaves that transformations see: they open values that users see as one leaf.

    As it makes no structure, it takes two thirds of the time of flattening.

    Example:
        >>> opened_leaves({"b": [1, None], "a": 2})
        [2, 1]
    """
    kinds, bulk = KINDS, all_leaf_types
    leaves: list[Leaf] = []
    todo: list[Tree] = [tree]  # the next one last
    children: Sequence[Tree]
    try:
        for _ in range(MOST_OPENED):
            if not todo:
                return leaves
            node = todo.pop()
            kind = kinds[type(node)]
            if kind is None:
                leaves.append(node)
                continue
            if kind is DICT:
                children = [*map(node.__getitem__, sorted(node))]
            else:
                children = node if kind is TUPLE or kind is LIST else kind.open(node)[0]
            if bulk(map(type, children)):
                leaves += children
            else:
                todo += children[::-1]
    except Exception:
        pass  # raised again, with its place and what to do
    return flatten_leaves_and_structure(tree)[0]


def leaves_in_any_order(tree: Tree) -> list[Leaf]:
    """Return the leaves that `opened_leaves` returns, in the order in which they are visited.

    Half of the time of opening goes into sorting the keys of dicts, which waiting for arrays does not need.

    Example:
        >>> leaves_in_any_order({"b": [1, None], "a": 2})
        [2, 1]
    """
    kinds = KINDS
    leaves: list[Leaf] = []
    todo: list[Tree] = [tree]  # grows while it is iterated over
    children: Collection[Tree]
    try:
        for node in islice(todo, MOST_OPENED):
            kind = kinds[type(node)]
            if kind is None:
                leaves.append(node)
                continue
            if kind is DICT:
                children = node.values()
            elif kind is TUPLE or kind is LIST:
                children = node
            else:
                children = kind.open(node)[0]
            if len(children) > FEW and all_leaf_types(map(type, children)):
                leaves += children
            else:
                todo += children
    except Exception:
        pass  # raised again, with its place and what to do
    else:
        if len(todo) <= MOST_OPENED:
            return leaves
    return flatten_leaves_and_structure(tree)[0]


def tree_structure(tree: Tree, is_leaf: IsLeaf | None = None) -> PyTreeDef:
    """Return the structure of a tree.

    Example:
        >>> tree_structure({"b": [1, None], "a": 2})
        PyTreeDef({'a': *, 'b': [*, None]})
    """
    return tree_flatten(tree, is_leaf)[1]


def tree_flatten_with_path(
    tree: Tree, is_leaf: Callable[..., bool] | None = None, is_leaf_takes_path: bool = False
) -> tuple[list[tuple[KeyPath, Leaf]], PyTreeDef]:
    """Flatten a tree into pairs of path and leaf, and its structure.

    With `is_leaf_takes_path`, the predicate is called as `is_leaf(path, value)`.

    Example:
        >>> from treadle_ir.tree import keystr
        >>> [(keystr(path), leaf) for path, leaf in tree_flatten_with_path({"a": [1, 2]})[0]]
        [("['a'][0]", 1), ("['a'][1]", 2)]
    """
    if is_leaf is not None:
        functions("tree_flatten_with_path", is_leaf=is_leaf)
    return _with_paths(tree, is_leaf, is_leaf_takes_path, SHOWN if OPAQUE else KINDS)


def leaf_paths(tree: Tree) -> list[KeyPath]:
    """Return the paths of the leaves that transformations see: they open values that users see as one leaf.

    Example:
        >>> from treadle_ir.tree import keystr
        >>> [keystr(path) for path in leaf_paths({"a": [1, 2]})]
        ["['a'][0]", "['a'][1]"]
    """
    return [path for path, _ in _with_paths(tree, None, False, KINDS)[0]]


def _with_paths(
    tree: Tree, is_leaf: Callable[..., bool] | None, is_leaf_takes_path: bool, kinds: Kinds
) -> tuple[list[tuple[KeyPath, Leaf]], PyTreeDef]:
    leaves: list[tuple[KeyPath, Leaf]] = []
    code: list[Any] = []
    counted = 0
    path: list[KeyEntry] = []  # begins with a key that stands for the tree itself
    stack: list[tuple[Iterator[tuple[KeyEntry, Tree]], Any]] = []
    todo: Iterator[tuple[KeyEntry, Tree]] = iter(((None, tree),))
    anchor: Tree = None
    entry: Any = None
    while True:
        for key, child in todo:
            if is_leaf is not None and (
                is_leaf((*path, key)[1:], child) if is_leaf_takes_path else is_leaf(child)
            ):
                leaves.append(((*path, key)[1:], child))
                continue
            kind = kinds[type(child)]
            if kind is None:
                leaves.append(((*path, key)[1:], child))
                continue
            try:
                if kind.open_with_keys is not None:
                    keys, children, meta = kind.open_with_keys(child)
                else:
                    children, meta = kind.open(child)
                    keys = kind.keys(len(children), meta)
                if len(stack) >= DEEP:
                    if len(stack) == DEEP:
                        anchor = child  # an ancestor of all that is deeper
                    elif child is anchor or len(stack) >= MAX_DEPTH:
                        raise too_deep(child is anchor)
            except TreeError as error:
                here = (*path, key)[1:]
                shown = here if len(here) <= 20 else here[:20]
                error.add_note(f"  at {place(shown)}{'' if here is shown else ' ...'}")
                raise
            stack.append((todo, entry))
            path.append(key)
            todo, entry = zip(keys, children, strict=True), (kind, len(children), meta)
            break
        else:
            if len(leaves) != counted:
                code.append(len(leaves) - counted)
                counted = len(leaves)
            if entry is None:
                return leaves, make_structure(tuple(code), len(leaves))
            code.append(entry)
            path.pop()
            todo, entry = stack.pop()


def tree_leaves_with_path(
    tree: Tree, is_leaf: Callable[..., bool] | None = None, is_leaf_takes_path: bool = False
) -> list[tuple[KeyPath, Leaf]]:
    """Return the leaves of a tree, each as a pair of its path and the leaf.

    Example:
        >>> tree_leaves_with_path((5,))
        [((SequenceKey(idx=0),), 5)]
    """
    return tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)[0]


def too_deep(circular: bool) -> TreeError:
    """Return the error for a tree that contains itself, or is too deep."""
    error = TreeError(
        "flatten: the tree contains itself"
        if circular
        else f"flatten: the tree is more than {MAX_DEPTH} levels deep"
    )
    error.add_note("  fix: look for a container that contains itself")
    return error


def with_place(error: TreeError, tree: Tree, is_leaf: IsLeaf | None) -> TreeError:
    """Return the error with the path at which flattening failed, found by flattening again with paths."""
    try:
        tree_flatten_with_path(tree, is_leaf)
    except TreeError as located:
        return located
    return error

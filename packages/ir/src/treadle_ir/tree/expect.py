"""Flattening of a tree whose structure is expected: it returns the same leaves, at a third of the cost.

A jitted function is called with trees of one structure again and again. When the structure is known, keys need no
sorting, and no code has to be made, hashed and compared; and sibling nodes of one structure, like the layers of a
model, are opened together, in C. They are also built together, where most nodes are alike.

Only dicts, lists, tuples, namedtuples and None are expected: a structure with other nodes has no expectation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice, repeat
from operator import itemgetter
from typing import Any, TypeAlias, final

from treadle_ir.tree.flatten import all_leaf_types
from treadle_ir.tree.paths import Leaf, Tree
from treadle_ir.tree.registry import DICT, LIST, NAMEDTUPLE, NONE, TUPLE
from treadle_ir.tree.structure import PyTreeDef

MAX_TURNS = 64  # nested levels whose nodes differ: each takes one level of recursion

Below: TypeAlias = (
    "Node | tuple[Node | None, ...] | None"  # for all children; or for each; or None: leaves
)


@final
class Node:
    """An expected node: its class, the number of its children, how they are read, and their expected nodes."""

    __slots__ = ("arity", "below", "build", "have_arity", "have_class", "open", "turns")
    turns: int

    def __init__(self, kind: Any, arity: int, meta: Any, below: Below) -> None:
        keys: tuple[Any, ...] = meta if kind is DICT else ()
        node_type = meta if kind is NAMEDTUPLE else kind.node_type
        self.have_class: Callable[[Iterable[Any]], bool] = frozenset({node_type}).issuperset
        self.have_arity = None if kind is NONE else frozenset({arity}).issuperset
        self.open: Callable[[Any], Iterable[Tree]] | None = (
            None  # None: iterating over the node yields its children
        )
        self.arity = arity
        self.build: Callable[[Iterable[tuple[Tree, ...]]], Iterable[Tree]]  # many at once
        if kind is DICT:
            self.build = _building_dicts(keys)
        elif kind is LIST:
            self.build = lambda many: map(list, many)
        elif kind is NAMEDTUPLE:
            self.build = lambda many: map(node_type._make, many)
        else:
            self.build = iter
        if len(keys) == 1:
            self.open = lambda node: (node[keys[0]],)
        elif keys:
            self.open = itemgetter(*keys)
        self.below = below
        if isinstance(below, Node):
            self.turns = below.turns
        else:
            self.turns = 1 + max([each.turns for each in below or () if each], default=0)


def _building_dicts(
    keys: tuple[Any, ...],
) -> Callable[[Iterable[tuple[Tree, ...]]], Iterable[Tree]]:
    """Return a builder of many dicts with these keys; dict displays for few keys take a third of the time."""
    if len(keys) == 1:
        (a,) = keys
        return lambda many: [{a: x} for (x,) in many]
    if len(keys) == 2:
        a, b = keys
        return lambda many: [{a: x, b: y} for x, y in many]
    if len(keys) == 3:
        a, b, c = keys
        return lambda many: [{a: x, b: y, c: z} for x, y, z in many]
    return lambda many: map(dict, map(zip, repeat(keys), many))


@final
class Expectation:
    """A structure, with fast functions that flatten a tree which should have it, and build such a tree.

    `regular` is true if most of its nodes are alike, so that `build` is faster than `structure.unflatten`.
    """

    __slots__ = ("_root", "regular", "structure")

    def __init__(self, structure: PyTreeDef, root: Node, *, regular: bool) -> None:
        self.structure = structure
        self.regular = regular
        self._root = root

    def take(self, tree: Tree) -> list[Leaf] | None:
        """Return the leaves of a tree if it has this structure, else None.

        Example:
            >>> from treadle_ir.tree import tree_structure
            >>> expected = expectation(tree_structure({"b": 1, "a": (2, 3)}))
            >>> expected.take({"a": (5, 6), "b": 7})
            [5, 6, 7]
            >>> expected.take({"a": (5, 6, 7)}) is None
            True
        """
        leaves: list[Leaf] = []
        try:
            alike = _take(self._root, [tree], leaves)
        except KeyError:
            return None
        return leaves if alike and all_leaf_types(map(type, leaves)) else None

    def build(self, leaves: Iterable[Leaf]) -> Tree:
        """Return the tree of this structure with these leaves, whose number must be right.

        Example:
            >>> from treadle_ir.tree import tree_structure
            >>> expectation(tree_structure([{"b": 1, "a": 2}, {"b": 3, "a": 4}])).build("xyzw")
            [{'a': 'x', 'b': 'y'}, {'a': 'z', 'b': 'w'}]
        """
        return next(_build(self._root, 1, iter(leaves)))


def expectation(structure: PyTreeDef) -> Expectation | None:
    """Return the expectation of a structure; None if it is a leaf, or has nodes of other kinds."""
    made: dict[Any, Node] = {}  # equal nodes are one object, so that they are compared by identity
    stack: list[Node | None] = []
    for entry in structure.code:
        if isinstance(entry, int):
            stack += [None] * entry
            continue
        kind, arity, meta = entry
        if kind not in (DICT, LIST, TUPLE, NAMEDTUPLE, NONE):
            return None
        children = tuple(stack[len(stack) - arity :])
        del stack[len(stack) - arity :]
        first = children[0] if children else None
        alike = all([child is first for child in children])
        known = (kind, arity, meta, id(first) if alike else tuple(map(id, children)))
        node = made.get(known)
        if node is None:
            node = made[known] = Node(kind, arity, meta, first if alike else children)
        if node.turns > MAX_TURNS:
            return None
        stack.append(node)
    root = stack[0]
    if root is None:
        return None
    return Expectation(structure, root, regular=structure.num_leaves >= 16 * len(made))


def _take(expected: Node, nodes: list[Tree], leaves: list[Leaf]) -> bool:
    """Append the leaves of `nodes`, which should all have one structure; return False if a node does not have it."""
    while expected.have_class(map(type, nodes)):
        if expected.have_arity is None:
            return True
        if not expected.have_arity(map(len, nodes)):
            return False
        open = expected.open
        children = [*chain.from_iterable(nodes if open is None else map(open, nodes))]
        below = expected.below
        if below is None:
            leaves += children
            return True
        if isinstance(below, tuple):
            # Node by node: leaves come in the order of the nodes.
            for child, each in zip(children, below * len(nodes), strict=True):
                if each is None:
                    leaves.append(child)
                elif not _take(each, [child], leaves):
                    return False
            return True
        expected, nodes = below, children
    return False


def _build(expected: Node, count: int, leaves: Iterator[Leaf]) -> Iterator[Tree]:
    """Yield `count` nodes of one structure, built from the next leaves."""
    levels: list[tuple[Node, int]] = []
    below: Below = expected
    while isinstance(below, Node):
        levels.append((below, count))
        count *= below.arity
        below = below.below
    children: Iterator[Tree] = leaves
    if below:  # nodes that differ
        each = [
            next(leaves) if node is None else next(_build(node, 1, leaves))
            for node in below * (count // len(below))
        ]
        children = iter(each)
    for node, several in reversed(levels):
        if node.have_arity is None:
            children = repeat(None, several)
        elif node.arity:
            together = zip(*[children] * node.arity, strict=False)  # `leaves` may have more
            children = iter([*node.build(islice(together, several))])
        else:
            children = iter([*node.build([()] * several)])
    return children

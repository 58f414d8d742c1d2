"""Functions of trees for users: map, reduce, transpose, broadcast, flatten one level."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar, final

from treadle_ir.errors.argument_checks import functions, refused, sequence
from treadle_ir.errors.kinds import TreeError
from treadle_ir.tree.difference import explain_difference, prefix_error, shallow
from treadle_ir.tree.flatten import (
    IsLeaf,
    flatten_leaves_and_structure,
    opened_leaves,
    tree_flatten,
    tree_flatten_with_path,
    tree_leaves,
    tree_structure,
)
from treadle_ir.tree.paths import GetAttrKey, KeyEntry, Leaf, Tree
from treadle_ir.tree.registry import DICT, KINDS, TUPLE, register_pytree_node
from treadle_ir.tree.structure import PyTreeDef, build, join, make_structure, open_up_to

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

T = TypeVar("T")


@final
class Unspecified:
    """The default of an argument that may be None."""


UNSPECIFIED: Final = Unspecified()
SAME_STRUCTURE = "give trees of the first one's structure, or end that earlier with is_leaf"


def tree_unflatten(treedef: PyTreeDef, leaves: Iterable[Leaf]) -> Tree:
    """Build a tree from its structure and its leaves: the inverse of `tree_flatten`.

    Raises:
        ValueError: there are too many or too few leaves.

    Example:
        >>> leaves, structure = tree_flatten({"b": [1, 2], "a": 3})
        >>> tree_unflatten(structure, [-leaf for leaf in leaves])
        {'a': -3, 'b': [-1, -2]}
    """
    return _structure("tree_unflatten", treedef).unflatten(leaves)


def matching_columns(
    operation: str, structure: PyTreeDef, rest: tuple[Tree, ...]
) -> list[list[Tree]]:
    """Flatten the further trees of a map up to the structure of the first one.

    Raises:
        ValueError: a further tree does not begin with the structure of the first.
    """
    columns: list[list[Tree]] = []
    for number, tree in enumerate(rest, 1):
        column = open_up_to(structure.code, tree)
        if column is None:
            names = f"{operation}: tree 0 and tree {number}"
            raise prefix_error(names, structure.code, tree, SAME_STRUCTURE)
        columns.append(column)
    return columns


def tree_map(f: Callable[..., Any], tree: Tree, *rest: Tree, is_leaf: IsLeaf | None = None) -> Tree:
    """Apply a function to each leaf of a tree, and the subtrees at the same place in the further trees.

    Raises:
        ValueError: a further tree does not begin with the structure of the first.

    Example:
        >>> tree_map(lambda x, y: x + y, {"a": 1, "b": [2]}, {"a": 10, "b": [20]})
        {'a': 11, 'b': [22]}
    """
    functions("tree_map", f=f)
    leaves, structure = tree_flatten(tree, is_leaf)
    if not rest:
        return build(structure.code, [*map(f, leaves)])
    columns = matching_columns("tree_map", structure, rest)
    return build(structure.code, [*map(f, leaves, *columns)])


def tree_map_with_path(
    f: Callable[..., Any],
    tree: Tree,
    *rest: Tree,
    is_leaf: Callable[..., bool] | None = None,
    is_leaf_takes_path: bool = False,
) -> Tree:
    """Apply a function to the path and the value of each leaf, otherwise as `tree_map`.

    Example:
        >>> from treadle_ir.tree import keystr
        >>> tree_map_with_path(lambda path, x: f"{keystr(path)}={x}", {"a": [1]})
        {'a': ["['a'][0]=1"]}
    """
    functions("tree_map_with_path", f=f)
    pairs, structure = tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)
    columns = matching_columns("tree_map_with_path", structure, rest)
    paths, leaves = [path for path, _ in pairs], [leaf for _, leaf in pairs]
    return build(structure.code, [*map(f, paths, leaves, *columns)])


def tree_all(tree: Tree, *, is_leaf: IsLeaf | None = None) -> bool:
    """Return whether all leaves of a tree are true.

    Example:
        >>> tree_all({"a": True, "b": [1, 2]}), tree_all([True, 0]), tree_all(None)
        (True, False, True)
    """
    return all(map(_truth, tree_leaves(tree, is_leaf)))


def _truth(leaf: Leaf) -> bool:
    """Return whether a leaf is true; raise an error with a fix for arrays, as NumPy's error has none."""
    if getattr(leaf, "size", 1) == 1 or isinstance(leaf, type):
        return bool(leaf)
    error = TreeError(
        f"tree_all: the truth of a leaf of type {type(leaf).__name__} with {leaf.size} elements is ambiguous"
    )
    error.add_note("  fix: reduce the leaves first: `tree.map(lambda x: x.all(), ...)`")
    raise error


def tree_reduce(
    function: Callable[[T, Any], T],
    tree: Tree,
    initializer: T | Unspecified = UNSPECIFIED,
    is_leaf: IsLeaf | None = None,
) -> T:
    """Combine the leaves from the left, as `functools.reduce`.

    Raises:
        TypeError: there is no leaf and no initializer.

    Example:
        >>> tree_reduce(lambda total, x: total + x, {"a": 1, "b": [2, 3]})
        6
    """
    functions("tree_reduce", function=function)
    leaves = tree_leaves(tree, is_leaf)
    if not isinstance(initializer, Unspecified):
        return functools.reduce(function, leaves, initializer)
    if not leaves:
        raise no_leaves("tree_reduce", "initializer")
    result: T = functools.reduce(function, leaves)
    return result


def tree_reduce_associative(
    operation: Callable[[T, T], T],
    tree: Tree,
    *,
    identity: T | Unspecified = UNSPECIFIED,
    is_leaf: IsLeaf | None = None,
) -> T:
    """Combine the leaves pairwise, in a number of rounds that is logarithmic in the number of leaves.

    Raises:
        TypeError: there is no leaf and no identity.

    Example:
        >>> tree_reduce_associative(lambda x, y: (x, y), [1, 2, 3, 4])
        ((1, 2), (3, 4))
    """
    functions("tree_reduce_associative", operation=operation)
    leaves: list[T] = tree_leaves(tree, is_leaf)
    if not leaves:
        if isinstance(identity, Unspecified):
            raise no_leaves("tree_reduce_associative", "identity")
        return identity
    while len(leaves) > 1:
        odd = leaves[-1:] if len(leaves) % 2 else []
        leaves = [*map(operation, leaves[::2], leaves[1::2]), *odd]
    return leaves[0]


def no_leaves(operation: str, argument: str) -> TreeError:
    """Return the error for reducing a tree without leaves."""
    error = TreeError(f"{operation}: the tree has no leaves, and no {argument} is given")
    error.add_note(f"  fix: give {argument}=, the result for a tree without leaves")
    return error


def tree_transpose(
    outer_treedef: PyTreeDef, inner_treedef: PyTreeDef | None, pytree_to_transpose: Tree
) -> Tree:
    """Turn a tree of structure outer of inner into a tree of structure inner of outer.

    `inner_treedef` defaults to the structure of the first subtree.

    Raises:
        ValueError, TypeError: the tree is not of that structure.

    Example:
        >>> tree_transpose(tree_structure([0, 0]), None, [{"a": 1, "b": 2}, {"a": 3, "b": 4}])
        {'a': [1, 3], 'b': [2, 4]}
    """
    for name, treedef in (("outer_treedef", outer_treedef), ("inner_treedef", inner_treedef)):
        if not isinstance(treedef, PyTreeDef) and not (name[0] == "i" and treedef is None):
            raise refused("tree_transpose", name, "a PyTreeDef", treedef)
    if inner_treedef is None:
        subtrees = outer_treedef.flatten_up_to(pytree_to_transpose)
        if not subtrees:
            error = TreeError("tree_transpose: outer_treedef has no leaves")
            error.add_note("  fix: give inner_treedef, which cannot be inferred")
            raise error
        inner_treedef = tree_structure(subtrees[0])
    leaves, structure = flatten_leaves_and_structure(pytree_to_transpose)
    expected = outer_treedef.compose(inner_treedef)
    if structure != expected:
        (line, *more) = explain_difference(expected, structure)
        error = TreeError(f"tree_transpose: expected structure and tree differ {line}")
        for text in more:
            error.add_note(f"  and {text}")
        error.add_note("  fix: give a tree whose structure is inner_treedef within outer_treedef")
        raise error
    step = inner_treedef.num_leaves
    columns = [build(outer_treedef.code, leaves[start::step]) for start in range(step)]
    return build(inner_treedef.code, columns)


def broadcast_prefix(
    prefix_tree: Tree, full_tree: Tree, is_leaf: IsLeaf | None = None
) -> list[Leaf]:
    """Repeat each leaf of a prefix for every leaf of the subtree it stands for.

    `is_leaf` is applied to the prefix only, e.g. to let None be a value in it.

    Raises:
        ValueError: `full_tree` does not begin with the structure of `prefix_tree`.

    Example:
        >>> broadcast_prefix((0, 1), ({"w": 5, "b": 6}, 7))
        [0, 0, 1]
    """
    return spread_prefix(
        "broadcast_prefix: prefix and tree", prefix_tree, full_tree, is_leaf, tree_leaves
    )


def spread_prefix(
    what: str,
    prefix_tree: Tree,
    full_tree: Tree,
    is_leaf: IsLeaf | None = None,
    leaves_of: Callable[[Tree], Sequence[Leaf]] = opened_leaves,
) -> list[Leaf]:
    """Repeat each leaf of a prefix as `broadcast_prefix` does, for every leaf that transformations see.

    `what` names the two trees in a message: `jit: in_shardings and the arguments`.

    Raises:
        TreeError: `full_tree` does not begin with the structure of `prefix_tree`.
    """
    prefix, structure = tree_flatten(prefix_tree, is_leaf)
    subtrees = open_up_to(structure.code, full_tree)
    if subtrees is None:
        raise prefix_error(
            what,
            structure.code,
            full_tree,
            "give one value for a whole subtree, or a prefix with the nodes of the tree",
        )
    result: list[Leaf] = []
    for value, subtree in zip(prefix, subtrees, strict=True):
        if KINDS[type(subtree)] is None:
            result.append(value)
        else:
            result += [value] * len(leaves_of(subtree))
    return result


def tree_broadcast(prefix_tree: Tree, full_tree: Tree, is_leaf: IsLeaf | None = None) -> Tree:
    """Extend a prefix to the structure of a tree by repeating its leaves.

    Example:
        >>> tree_broadcast({"a": 1, "b": 2}, {"a": [0, 0], "b": 0})
        {'a': [1, 1], 'b': 2}
    """
    values = broadcast_prefix(prefix_tree, full_tree, is_leaf)
    return build(tree_structure(full_tree).code, values)


# --- structures and single levels -------------------------------------------------------------------


def treedef_tuple(treedefs: Iterable[PyTreeDef]) -> PyTreeDef:
    """Return the structure of a tuple whose elements have these structures.

    Example:
        >>> treedef_tuple([tree_structure(0), tree_structure([0])])
        PyTreeDef((*, [*]))
    """
    treedefs = sequence("treedef_tuple", "treedefs", treedefs)
    codes = [_structure("treedef_tuple", treedef).code for treedef in treedefs]
    return make_structure((*join(codes), (TUPLE, len(codes), None)))


def _structure(function: str, treedef: object) -> PyTreeDef:
    if not isinstance(treedef, PyTreeDef):
        raise refused(function, "treedef", "a PyTreeDef", treedef)
    return treedef


def treedef_children(treedef: PyTreeDef) -> list[PyTreeDef]:
    """Return the structures of the root's children.

    Example:
        >>> treedef_children(tree_structure([0, (0, 0)]))
        [PyTreeDef(*), PyTreeDef((*, *))]
    """
    return _structure("treedef_children", treedef).children()


def treedef_is_leaf(treedef: PyTreeDef) -> bool:
    """Return whether a structure is a single leaf, or a single node without children.

    Example:
        >>> treedef_is_leaf(tree_structure(0)), treedef_is_leaf(tree_structure([0]))
        (True, False)
    """
    return _structure("treedef_is_leaf", treedef).num_nodes == 1


def all_leaves(iterable: Iterable[Any], is_leaf: IsLeaf | None = None) -> bool:
    """Return whether all elements of `iterable` are leaves; elements for which `is_leaf` is true count as leaves, too.

    Example:
        >>> all_leaves([1, "a"]), all_leaves([1, (2,)]), all_leaves([None])
        (True, False, False)
    """
    kinds = KINDS
    if isinstance(iterable, type) or not isinstance(iterable, Iterable):
        raise refused("all_leaves", "iterable", "an iterable", iterable)
    if is_leaf is not None:
        functions("all_leaves", is_leaf=is_leaf)
    if is_leaf is None:
        return all(kinds[type(value)] is None for value in iterable)
    return all(kinds[type(value)] is None or is_leaf(value) for value in iterable)


def flatten_one_level(tree: Tree) -> tuple[Iterable[Tree], Hashable]:
    """Return the children and the metadata of a node.

    Raises:
        ValueError: it is a leaf.

    Example:
        >>> flatten_one_level({"b": [1], "a": 2})
        ((2, [1]), ('a', 'b'))
    """
    kind = KINDS[type(tree)]
    if kind is None:
        raise TreeError(f"flatten_one_level: expected a node, got a {type(tree).__name__} leaf")
    children, meta = kind.open(tree)
    return (tuple(children) if kind is DICT else children), meta


def flatten_one_level_with_keys(
    tree: Tree,
) -> tuple[Iterable[tuple[KeyEntry, Tree]], Hashable]:
    """Return the children of a node, each with its key, and the metadata.

    Raises:
        ValueError: it is a leaf.

    Example:
        >>> flatten_one_level_with_keys([5])
        ([(SequenceKey(idx=0), 5)], None)
    """
    node, children, keys = shallow(tree)
    if node is None:
        raise TreeError(
            f"flatten_one_level_with_keys: expected a node, got a {type(tree).__name__} leaf"
        )
    return list(zip(keys, children, strict=True)), node.meta


# --- partial ----------------------------------------------------------------------------------------


@final
class Opaque:
    """A callable that `functools.partial` must not merge with; two are equal if the callables that they hide are."""

    __slots__ = ("func",)

    def __init__(self, func: Callable[..., Any]) -> None:
        """Hide a partial application."""
        self.func = func

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # Any: its arguments
        """Call the hidden callable."""
        return self.func(*args, **kwargs)

    def __eq__(self, other: object) -> bool:
        """Compare the hidden callables."""
        return type(other) is Opaque and bool(self.func == other.func)

    def __hash__(self) -> int:
        """Hash the hidden callable."""
        return hash(self.func)

    def __repr__(self) -> str:
        """Write the hidden callable."""
        return repr(self.func)


class Partial(functools.partial[T]):
    """A `functools.partial` that is a node: its arguments are children, its function is part of the structure.

    Unlike with `functools.partial`, a partial of a partial has the inner partial as its function, so that
    only the arguments given here are children.

    Example:
        >>> tree_leaves(Partial(max, 1, key=None))
        [1]
        >>> Partial(max, 1)(2)
        2
    """

    def __new__(cls, func: Callable[..., T], /, *args: Any, **kw: Any) -> Partial[T]:
        """Bind arguments."""
        functions("Partial", func=func)
        if isinstance(func, functools.partial):
            func = Opaque(func)
        return super().__new__(cls, func, *args, **kw)


register_pytree_node(
    Partial,
    lambda partial: ((partial.args, partial.keywords), partial.func),
    lambda func, children: Partial(func, *children[0], **children[1]),
    lambda partial: (
        ((GetAttrKey("args"), partial.args), (GetAttrKey("keywords"), partial.keywords)),
        partial.func,
    ),
)

"""Descriptions of structures for messages: what a structure looks like, and where two structures differ.

Everything here is for messages and `repr`; nothing is on a hot path. It works on the *code* of a
structure (defined in `treadle_ir.tree.structure`), which it first turns into `Outline`s, nodes that
point to their children. No function recurses, so depth costs nothing but memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, final

from treadle_ir.errors.kinds import TreeError
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tree.paths import KeyEntry, KeyPath, Leaf, Tree, place
from treadle_ir.tree.registry import (
    DEFAULT_DICT,
    DICT,
    KINDS,
    LIST,
    NAMEDTUPLE,
    NONE,
    ORDERED_DICT,
    TUPLE,
    Kind,
    Meta,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


# Each entry is an int or a tuple[Kind, int, Meta]; Any, because mypy narrows neither in hot loops,
# where the test is `type(entry) is int`.
Code: TypeAlias = tuple[Any, ...]

SHOWN_KEYS = 8  # longer dicts are described by what distinguishes them
SHOWN_DIFFERENCES = 20


@final
@frozen(eq=False)
class Outline:
    """A node of a structure and its children; None stands for a leaf."""

    kind: Kind
    meta: Meta
    children: Sequence[Outline | None]


Trail: TypeAlias = tuple["Trail", KeyEntry] | None  # a path as links, innermost first


def path_of(trail: Trail) -> KeyPath:
    """Return the path that the links of `trail` describe."""
    keys: list[KeyEntry] = []
    while trail is not None:
        trail, key = trail
        keys.append(key)
    return tuple(reversed(keys))


def outline(code: Code) -> Outline | None:
    """Return the root of the nodes that a code describes, each of which points to its children."""
    stack: list[Outline | None] = []
    for entry in code:
        if isinstance(entry, int):
            stack.extend([None] * entry)
        else:
            kind, arity, meta = entry
            start = len(stack) - arity
            children = stack[start:]
            del stack[start:]
            stack.append(Outline(kind, meta, children))
    return stack[0]


def node_keys(node: Outline) -> Sequence[KeyEntry]:
    """Return the keys of the children of a node."""
    return node.kind.keys(len(node.children), node.meta)


# --- writing ----------------------------------------------------------------------------------------


def write(code: Code) -> str:
    """Write a structure as a Python user would write the tree, with `*` for each leaf."""
    pieces: list[str] = []
    todo: list[Outline | str | None] = [outline(code)]
    while todo:
        item = todo.pop()
        if item is None:
            pieces.append("*")
        elif isinstance(item, str):
            pieces.append(item)
        else:
            opening, names, closing = brackets(item)
            todo.append(closing)
            for index in reversed(range(len(item.children))):
                todo.append(item.children[index])
                todo.append((", " if index else "") + names(index))
            todo.append(opening)
    return "".join(pieces)


def brackets(node: Outline) -> tuple[str, Callable[[int], str], str]:
    """Return the text before a node's children, a function of the text before each child, and the text after them."""
    kind, meta = node.kind, node.meta
    if kind is NONE:
        return "None", lambda _: "", ""
    if kind is LIST:
        return "[", lambda _: "", "]"
    if kind is TUPLE:
        return "(", lambda _: "", ",)" if len(node.children) == 1 else ")"
    if kind is DICT:
        return "{", lambda i: f"{meta[i]!r}: ", "}"
    if kind is ORDERED_DICT:
        return "OrderedDict({", lambda i: f"{meta[i]!r}: ", "})"
    if kind is DEFAULT_DICT:
        factory = getattr(meta[0], "__name__", repr(meta[0]))
        return f"defaultdict({factory}, {{", lambda i: f"{meta[1][i]!r}: ", "})"
    if kind is NAMEDTUPLE:
        return f"{meta.__name__}(", lambda i: f"{meta._fields[i]}=", ")"
    name = kind.node_type.__name__
    return f"{name}[{meta!r}](" if has_meta(meta) else f"{name}(", lambda _: "", ")"


def has_meta(meta: Meta) -> bool:
    """Return whether the metadata are worth showing: neither None nor an empty tuple."""
    return not (meta is None or (type(meta) is tuple and not meta))


def dict_keys(node: Outline) -> tuple[object, ...] | None:
    """Return the keys of a dict of any kind, or None if `node` is another node."""
    if node.kind is DICT or node.kind is ORDERED_DICT:
        return tuple(node.meta)
    return tuple(node.meta[1]) if node.kind is DEFAULT_DICT else None


def describe(node: Outline | None, other: Outline | None = None) -> str:
    """Describe a node in a few words, stressing what distinguishes it from the node `other`."""
    if node is None:
        return "a leaf"
    if node.kind is NONE:
        return "None"
    size = len(node.children)
    name = node.meta.__name__ if node.kind is NAMEDTUPLE else node.kind.node_type.__name__
    keys = dict_keys(node)
    if keys is not None:
        if node.kind is DEFAULT_DICT:
            name = f"defaultdict of {getattr(node.meta[0], '__name__', repr(node.meta[0]))}"
        if size <= SHOWN_KEYS:
            return f"{name} with keys {list(keys)}"
        theirs = set((dict_keys(other) if other is not None else None) or keys)
        own = [key for key in keys if key not in theirs]
        more = f", among them {own[:SHOWN_KEYS]}" if own else ""
        return f"{name} with {size} keys{more}"
    if node.kind is NAMEDTUPLE:
        return f"{name} ({', '.join(node.meta._fields)})"
    if node.kind is LIST or node.kind is TUPLE:
        return f"{name} of {size}"
    children = "1 child" if size == 1 else f"{size} children"
    return f"{name} with {children}" + (f" and {node.meta!r}" if has_meta(node.meta) else "")


# --- comparing --------------------------------------------------------------------------------------


def same_node(a: Outline, b: Outline) -> bool:
    """Return whether two nodes agree in kind, arity and metadata, whatever their children are."""
    return a.kind is b.kind and len(a.children) == len(b.children) and bool(a.meta == b.meta)


class HasCode(Protocol):
    """A structure, of which this module reads only the code."""

    @property
    def code(self) -> Code:
        """The nodes, in post-order."""


def explain_difference(a: HasCode, b: HasCode) -> list[str]:
    """Return a line for each place where two structures differ, with a description of both; at most twenty.

    Example:
        >>> from treadle_ir.tree import tree_structure
        >>> a, b = {"layers": [{"w": 1}]}, {"layers": [{"w": 1, "b": 2}]}
        >>> explain_difference(tree_structure(a), tree_structure(b))
        ["at ['layers'][0]: dict with keys ['w'] and dict with keys ['b', 'w']"]
    """
    lines: list[str] = []
    todo: list[tuple[Trail, Outline | None, Outline | None]] = [
        (None, outline(a.code), outline(b.code))
    ]
    while todo:
        trail, one, two = todo.pop()
        if one is None and two is None:
            continue
        if one is None or two is None or not same_node(one, two):
            if len(lines) == SHOWN_DIFFERENCES:
                lines.append("and more")
                return lines
            here = place(path_of(trail))
            lines.append(f"at {here}: {describe(one, two)} and {describe(two, one)}")
            continue
        keys = node_keys(one)
        for index in reversed(range(len(keys))):
            todo.append(((trail, keys[index]), one.children[index], two.children[index]))
    return lines


def shallow(tree: Tree) -> tuple[Outline | None, Sequence[Tree], Sequence[KeyEntry]]:
    """Open one node of a tree, and return its outline without grandchildren, its children and their keys."""
    kind = KINDS[type(tree)]
    if kind is None:
        return None, (), ()
    if kind.open_with_keys is not None:
        keys, children, meta = kind.open_with_keys(tree)
    else:
        children, meta = kind.open(tree)
        keys = kind.keys(len(children), meta)
    return Outline(kind, meta, [None] * len(children)), children, keys


def prefix_error(names: str, code: Code, tree: Tree, fix: str) -> TreeError:
    """Return the error for a tree that does not begin with a structure; it names the first difference.

    `names` begins the first line of the error: the operation, and what differs.
    """
    todo: list[tuple[Trail, Outline | None, Tree]] = [(None, outline(code), tree)]
    while todo:
        trail, expected, subtree = todo.pop()
        if expected is None:
            continue
        got, children, keys = shallow(subtree)
        if got is None or not same_node(expected, got):
            here = place(path_of(trail))
            what = f"{describe(got, expected)}{of_type(subtree) if got is None else ''}"
            error = TreeError(f"{names} differ at {here}: {describe(expected, got)} and {what}")
            error.add_note(f"  fix: {fix}")
            return error
        for index in reversed(range(len(keys))):
            todo.append(((trail, keys[index]), expected.children[index], children[index]))
    return TreeError(f"{names} differ")


def of_type(leaf: Leaf) -> str:
    """Return the words of a message that name the type of a leaf."""
    return f" of type {type(leaf).__name__}"

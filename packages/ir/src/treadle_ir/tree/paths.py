"""The place of a leaf in a tree: the keys of a path, and how a path is written.

A path is a tuple of keys, outermost first; the empty path is the tree itself. Each key knows how a
Python user would write that step, so `keystr` of a path is an expression that reaches the leaf.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, final

from treadle_ir.errors.argument_checks import flags, names, refused, sequence
from treadle_ir.process.frozen_classes import frozen

if TYPE_CHECKING:
    from collections.abc import Hashable

Tree: TypeAlias = Any  # any nesting of nodes and leaves: Python's types cannot express it
Leaf: TypeAlias = Any  # a value of any type that is not a node
KeyEntry: TypeAlias = Any  # one of the four classes below, or a user's class
KeyPath: TypeAlias = tuple[KeyEntry, ...]


@final
@frozen
class SequenceKey:
    """Element `idx` of a list or tuple."""

    idx: int

    def __str__(self) -> str:
        """Write the step as an index."""
        return f"[{self.idx}]"


@final
@frozen
class DictKey:
    """The value under `key` of a dict."""

    key: Hashable

    def __str__(self) -> str:
        """Write the step as an index."""
        return f"[{self.key!r}]"


@final
@frozen
class GetAttrKey:
    """Attribute `name` of a namedtuple, a dataclass or another object."""

    name: str

    def __str__(self) -> str:
        """Write the step as an attribute."""
        return f".{self.name}"


@final
@frozen
class FlattenedIndexKey:
    """Child `key`, counted from 0, of a node whose class gives its children no names."""

    key: int

    def __str__(self) -> str:
        """Write the step so that it cannot be taken for an index."""
        return f"[<flat index {self.key}>]"


def keystr(keys: KeyPath, *, simple: bool = False, separator: str = "") -> str:
    """Write a path as the expression that reaches its leaf.

    With `simple`, only what distinguishes each step is written; `separator` goes between steps.

    Example:
        >>> keystr((DictKey("layers"), SequenceKey(0), GetAttrKey("w")))
        "['layers'][0].w"
        >>> keystr((DictKey("layers"), SequenceKey(0)), simple=True, separator="/")
        'layers/0'
    """
    flags("keystr", simple=simple)
    names("keystr", separator=separator)
    write = simple_key if simple else str
    steps = sequence("keystr", "keys", keys)
    try:
        return (separator or "").join(map(write, steps))
    except RecursionError:
        raise refused("keystr", "keys", "a path of steps that can be written", keys) from None


def simple_key(key: KeyEntry) -> str:
    """Write one step without brackets, quotes or dots."""
    match key:
        case SequenceKey(idx):
            return str(idx)
        case DictKey(name) | FlattenedIndexKey(name) | GetAttrKey(name):
            return str(name)
        case _:
            return str(key)


def place(path: KeyPath) -> str:
    """Write a path for an error message, in words if it is empty.

    Example:
        >>> place(()), place((SequenceKey(2),))
        ('the top level', '[2]')
    """
    return keystr(path) if path else "the top level"

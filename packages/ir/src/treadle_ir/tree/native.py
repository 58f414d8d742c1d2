"""Port: trees taken apart by compiled code, where a distribution brings some.

Python is quick at containers of many leaves, and slow, next to compiled code, at nodes of a few. jaxlib has a registry
of nodes in C++; treadle_compiler installs one that knows the same classes, when jaxlib is imported. It is asked where
no `PyTreeDef` is needed: for leaves, and for maps.

It never has the last word: what it raises is dropped, and Python goes the same way again, to say what is wrong and
where, or to do what compiled code refuses (trees of any depth, predicates that return no bool). So where a flatten
function or `is_leaf` raises, it is called a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from sys import getrecursionlimit
from typing import TYPE_CHECKING, Any, Final, Protocol

from treadle_ir.tree.paths import Leaf, Tree
from treadle_ir.tree.registry import default_registry

if TYPE_CHECKING:
    from treadle_ir.tree.flatten import IsLeaf

SAFE_DEPTH: Final = 10_000
"""Compiled code is not asked where Python's limit of recursion, its only one, lets it go deeper."""


class NativeStructure(Protocol):
    """The structure of a tree, as the compiled code has it."""

    def unflatten(self, leaves: Iterable[Leaf], /) -> Tree:
        """Put leaves into this structure."""

    def flatten_up_to(self, tree: Tree, /) -> list[Tree]:
        """The subtrees where this structure has its leaves."""


class NativeRegistry(Protocol):
    """Which classes are nodes, and how trees of them are taken apart."""

    def register_node(
        self,
        cls: type,
        open: Callable[[Any], Any],
        build: Callable[[Any, tuple[Any, ...]], Any],
        /,
    ) -> object:
        """Make a class a node."""

    def flatten(self, tree: Tree, is_leaf: IsLeaf | None, /) -> tuple[list[Leaf], NativeStructure]:
        """Take a tree apart."""


def install_native(registry: NativeRegistry) -> None:
    """Ask a registry of compiled code from now on.

    It has tuples, namedtuples, lists, dicts and None as nodes, and gets all classes that are or will be registered
    but for those whose instances users see as leaves.
    """
    default_registry.mirror(registry)


def natively_flattened(
    tree: Tree, is_leaf: IsLeaf | None
) -> tuple[list[Leaf], NativeStructure] | None:
    """A tree taken apart as users see it; None where that is left to Python."""
    native = default_registry.native
    if native is None or getrecursionlimit() > SAFE_DEPTH:
        return None
    try:
        return native.flatten(tree, is_leaf)
    except Exception:
        return None


def natively_mapped(
    f: Callable[..., Any], tree: Tree, rest: tuple[Tree, ...], is_leaf: IsLeaf | None
) -> tuple[Tree] | None:
    """What `tree_map` returns, in a tuple of its own; None where that is left to Python."""
    flat = natively_flattened(tree, is_leaf)
    if flat is None:
        return None
    leaves, structure = flat
    if not rest:
        return (structure.unflatten([*map(f, leaves)]),)
    try:
        columns = [structure.flatten_up_to(each) for each in rest]
    except Exception:
        return None
    return (structure.unflatten([*map(f, leaves, *columns)]),)

"""Values that users see as leaves and transformations open: values of user-defined types.

Such a value consists of arrays, its children, and a `Form`, the metadata of its node. Transformations flatten it like
any other node, so programs hold nothing but arrays. For the tree functions that users call, the value is one leaf.

The first children may have no tangents. `tangent_structure` returns the structure of the tangents of a tree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, TypeAlias, final

from treadle_ir.tree.paths import Leaf, Tree
from treadle_ir.tree.registry import KINDS, Kind, default_registry, flat_keys
from treadle_ir.tree.structure import PyTreeDef, make_structure

Dims: TypeAlias = tuple[int | None, ...]  # for each child: its mapped axis, or None


class MappingSpec:
    """How values of a user-defined type are mapped over; each type derives its own specification from this class."""


class Form(ABC):
    """The metadata of an opaque value, which are comparable and hashable."""

    __slots__ = ()

    mutable: ClassVar[bool] = False  # whether its one child is a cell (`treadle_ir.refs.Cell`)
    aval: Any  # what `typeof` returns for such a value; Any: of a user's class

    @property
    @abstractmethod
    def fixed(self) -> int:
        """The number of leading children that have no tangents."""

    @abstractmethod
    def build(self, children: Sequence[Any]) -> Tree:
        """Return the value that has these children."""

    @abstractmethod
    def tangent(self, children: Sequence[Any]) -> Tree:
        """Return the tangent of such a value, given tangents of all its children."""

    @abstractmethod
    def tangents(self, tangent: Tree) -> list[Any]:
        """Return the tangents of all children, given the tangent of the value."""

    @abstractmethod
    def mapped(self, spec: MappingSpec, size: int) -> Dims:
        """Return the axes of the children to map over according to `spec`, where the mapped axis has this size."""

    @abstractmethod
    def stacked(self, spec: MappingSpec, size: int) -> Dims:
        """Return where the children get a new axis according to `spec` when `size` such values are stacked."""


OPAQUE: Final[dict[type, Callable[[Any], tuple[Sequence[Any], Form]]]] = {}
"""The classes of opaque values, with the functions that open them; empty in most processes, so test it first."""

# One kind for all classes: values of one form have one structure, whatever their class is.
_KIND: Final = Kind(
    Form,
    lambda value: OPAQUE[type(value)](value),
    lambda form, children: form.build(children),
    flat_keys,
)
_TANGENT: Final = Kind(
    Form,
    lambda value: OPAQUE[type(value)](value),
    lambda form, children: form.tangent(children),
    flat_keys,
)
default_registry.register(_KIND)  # it is looked up by its name when a structure is unpickled


def register_opaque(cls: type, opened: Callable[[Any], tuple[Sequence[Any], Form]]) -> None:
    """Make values of a class opaque; `opened(value)` returns the children, which are arrays, and the form.

    Raises:
        TypeError: `cls` is not a class.
        TreeError: `cls` is registered already.
    """
    default_registry.register(_KIND, cls)
    OPAQUE[cls] = opened


def opened_by(value: object) -> Form | None:
    """Return the form of an opaque value, or None for any other value."""
    opened = OPAQUE.get(type(value))
    return None if opened is None else opened(value)[1]


def forms(structure: PyTreeDef) -> list[tuple[int, int, Form]]:
    """Return for each opaque value in a structure its first leaf's position, the number of its leaves, and its form."""
    found: list[tuple[int, int, Form]] = []
    if not OPAQUE:
        return found
    leaves = 0
    for entry in structure.code:
        if isinstance(entry, int):
            leaves += entry
        elif isinstance(entry[2], Form):
            found.append((leaves - entry[1], entry[1], entry[2]))
    return found


def fixed_places(structure: PyTreeDef) -> frozenset[int]:
    """Return the positions of the leaves of opaque values that have no tangents."""
    return frozenset([first + i for first, _, form in forms(structure) for i in range(form.fixed)])


def tangent_structure(structure: PyTreeDef) -> PyTreeDef:
    """Return the structure of a tree's tangents: its own, with the tangents of opaque values instead of the values."""
    if not forms(structure):
        return structure
    code = [
        entry
        if isinstance(entry, int) or not isinstance(entry[2], Form)
        else (_TANGENT, *entry[1:])
        for entry in structure.code
    ]
    return make_structure(tuple(code), structure.num_leaves)


def tangent_leaves(structure: PyTreeDef, tangents: Tree) -> list[Leaf]:
    """Return one tangent for each leaf of a structure, given the tree of its tangents.

    Raises:
        TreeError: the trees differ.
    """
    code: list[Any] = []
    for entry in structure.code:
        whole = not isinstance(entry, int) and isinstance(entry[2], Form)
        if whole and entry[1]:
            code[-1] -= entry[1]  # its children: they stand just before it
        leaves = 1 if whole else entry
        if isinstance(leaves, int) and code and isinstance(code[-1], int):
            code[-1] += leaves
        else:
            code.append(leaves)
    found = make_structure(tuple(code)).flatten_up_to(tangents)
    for first, _, form in forms(structure):
        found[first : first + 1] = form.tangents(found[first])
    return found


@final
class _Shown:
    """The kinds of types as users see them: opaque values are leaves."""

    __slots__ = ()

    def __getitem__(self, cls: type) -> Kind | None:
        kind = KINDS[cls]
        return None if kind is _KIND else kind


SHOWN: Final = _Shown()

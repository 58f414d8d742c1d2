"""Values that users see as leaves and transformations open: values of a library's own types.

Such a value is made of arrays, its children, and of a `Form`, the metadata of its node. Transformations take it apart
as any node, so programs hold nothing but arrays. The functions on trees that users call show the value as one leaf.

The first children may have no tangents. `tangent_structure` says how the tangents of a tree are put together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, TypeAlias, final

from treadle_ir.tree.paths import Leaf, Tree
from treadle_ir.tree.registry import KINDS, Kind, default_registry, flat_keys
from treadle_ir.tree.structure import PyTreeDef, make_structure

Dims: TypeAlias = tuple[int | None, ...]  # of each child: its mapped axis, if it has one


class MappingSpec:
    """How values of a library's own type are mapped over; types derive what they need to know from it."""


class Form(ABC):
    """What an opaque value is besides its children: metadata, comparable and hashable."""

    __slots__ = ()

    mutable: ClassVar[bool] = False  # whether its one child is a cell (`treadle_ir.refs.Cell`)
    aval: Any  # what `typeof` says of such a value; Any: of a class of the library's own

    @property
    @abstractmethod
    def fixed(self) -> int:
        """How many children, the first ones, have no tangents."""

    @abstractmethod
    def build(self, children: Sequence[Any]) -> Tree:
        """The value of these children."""

    @abstractmethod
    def tangent(self, children: Sequence[Any]) -> Tree:
        """The tangent of such a value, of tangents of all children."""

    @abstractmethod
    def tangents(self, tangent: Tree) -> list[Any]:
        """The tangents of all children, of that of the value."""

    @abstractmethod
    def mapped(self, spec: MappingSpec, size: int) -> Dims:
        """Which axes of the children to map over, by a `spec`."""

    @abstractmethod
    def stacked(self, spec: MappingSpec, size: int) -> Dims:
        """Where the children get a new axis, by a `spec`, when there are `size` such values."""


OPAQUE: Final[dict[type, Callable[[Any], tuple[Sequence[Any], Form]]]] = {}
"""Classes of opaque values, with what opens them. Empty in most processes: who asks it first pays nothing."""

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
default_registry.register(_KIND)  # by its name it is found when a structure is unpickled


def register_opaque(cls: type, opened: Callable[[Any], tuple[Sequence[Any], Form]]) -> None:
    """Make values of a class opaque; `opened(value)` gives the children, which are arrays, and the form.

    Raises:
        TypeError: it is no class.
        TreeError: it is registered already.
    """
    default_registry.register(_KIND, cls)
    OPAQUE[cls] = opened


def opened_by(value: object) -> Form | None:
    """The form of an opaque value; None of any other."""
    opened = OPAQUE.get(type(value))
    return None if opened is None else opened(value)[1]


def forms(structure: PyTreeDef) -> list[tuple[int, int, Form]]:
    """For each opaque value in a structure: the position of its first leaf, the number of its leaves, its form."""
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
    """Which leaves have no tangents because they belong to opaque values."""
    return frozenset([first + i for first, _, form in forms(structure) for i in range(form.fixed)])


def tangent_structure(structure: PyTreeDef) -> PyTreeDef:
    """How tangents of a tree are put together: of one for each leaf, tangents of opaque values in their places."""
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
    """The inverse: one tangent for each leaf of a structure, of a tree of tangents.

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
    """The kinds of types as users see them: those of opaque values are leaves."""

    __slots__ = ()

    def __getitem__(self, cls: type) -> Kind | None:
        kind = KINDS[cls]
        return None if kind is _KIND else kind


SHOWN: Final = _Shown()

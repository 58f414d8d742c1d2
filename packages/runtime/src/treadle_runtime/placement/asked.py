"""Shardings as users ask for them: trees of shardings, of specifications over the mesh in force, and None."""

from __future__ import annotations

from typing import Any, Final, TypeAlias, final

from treadle_ir import AbstractMesh, PartitionSpec
from treadle_ir.errors import NoMeshError, PlacementError, refused
from treadle_ir.process import frozen
from treadle_ir.tree import PyTreeDef, spread_prefix, tree_flatten
from treadle_runtime.placement.current_mesh import get_mesh
from treadle_runtime.placement.format import Format, lies_on
from treadle_runtime.placement.named import NamedSharding
from treadle_runtime.placement.sharding import Sharding

Asked: TypeAlias = Sharding | PartitionSpec | None
_WHOLE: Final = {"in_shardings": "the arguments", "out_shardings": "the results"}


@final
@frozen
class AskedFor:
    """A tree of shardings that a user gave, as something that caches can have in their keys."""

    argument: str  # its name: `in_shardings`
    leaves: tuple[Asked, ...]
    structure: PyTreeDef

    def over(self, function: str, tree: Any) -> list[Sharding | None]:
        """The sharding of each leaf of a tree of which this is a prefix; None where nothing is said.

        Raises:
            TreeError: it is no prefix.
            PlacementError: there is a specification, and no mesh in force.
        """
        given = self.structure.unflatten(self.leaves)
        whole = _WHOLE.get(self.argument, "the arrays")
        spread = spread_prefix(
            f"{function}: {self.argument} and {whole}", given, tree, lambda each: each is None
        )
        return [concrete(function, self.argument, each) for each in spread]


def asked_for(function: str, argument: str, tree: Any) -> AskedFor | None:
    """What a user gave as a tree of shardings; None where nothing is said.

    Raises:
        ArgumentError: a leaf that is none.
        UnsupportedError: a format whose layout arrays do not have.
    """
    if tree is None:
        return None
    leaves, structure = tree_flatten(tree, is_leaf=lambda each: each is None)
    kept: list[Asked] = []
    for leaf in leaves:
        given = leaf
        if isinstance(leaf, Format):
            given = lies_on(f"{function}: {argument}", leaf)
        if given is not None and not isinstance(given, Sharding | PartitionSpec):
            raise refused(
                function, f"each leaf of {argument}", "a sharding, a PartitionSpec or None", given
            )
        kept.append(None if says_nothing(given) else given)
    if not any([each is not None for each in kept]):
        return None
    return AskedFor(argument, tuple(kept), structure)


def says_nothing(given: object) -> bool:
    """Whether it is the sharding in the type of an array on one device: over a mesh without axes or devices."""
    return isinstance(given, NamedSharding) and given.mesh.empty


def concrete(function: str, argument: str, given: Asked) -> Sharding | None:
    """A sharding with devices: of a specification over the mesh in force, and of one that stands for that mesh.

    Raises:
        PlacementError: there is no mesh in force, or one with other axes than an abstract mesh has.
    """
    if isinstance(given, NamedSharding) and isinstance(given.mesh, AbstractMesh):
        mesh = get_mesh()
        if mesh.empty or mesh.shape_tuple != given.mesh.shape_tuple:
            raise PlacementError(
                f"{function}: {argument} has {given}, whose mesh is abstract, and the mesh in force, {mesh}, "
                "has not these axes",
                fix="write it within `with treadle.set_mesh(mesh):`, or give NamedSharding a mesh of devices",
            )
        return NamedSharding(mesh, given.spec, memory_kind=given.memory_kind)
    if not isinstance(given, PartitionSpec):
        return given
    mesh = get_mesh()
    if mesh.empty:
        raise NoMeshError(
            f"{function}: {argument} has {given}, but no mesh is in force that it could be over",
            fix="write it within `with treadle.set_mesh(mesh):`, or give NamedSharding(mesh, spec)",
        )
    return NamedSharding(mesh, given)

"""Shardings that users request: trees of shardings, of specifications over the mesh in force, and None."""

from __future__ import annotations

from typing import Any, Final, TypeAlias, final

from treadle_ir import AbstractMesh, PartitionSpec
from treadle_ir.errors import NoMeshError, PlacementError, refused
from treadle_ir.process import frozen
from treadle_ir.tree import PyTreeDef, spread_prefix, tree_flatten
from treadle_runtime.placement.current_mesh import get_mesh
from treadle_runtime.placement.format import Format, sharding_of_format
from treadle_runtime.placement.named import NamedSharding
from treadle_runtime.placement.sharding import Sharding

RequestedSharding: TypeAlias = Sharding | PartitionSpec | None
_COVERED: Final = {"in_shardings": "the arguments", "out_shardings": "the results"}


@final
@frozen
class RequestedShardings:
    """A tree of shardings that a user gave, in a form that can be part of cache keys."""

    argument: str  # its name: `in_shardings`
    leaves: tuple[RequestedSharding, ...]
    structure: PyTreeDef

    def over(self, function: str, tree: Any) -> list[Sharding | None]:
        """Return the sharding of each leaf of `tree`, of which this tree is a prefix; None where unspecified.

        Raises:
            TreeError: this tree is not a prefix of `tree`.
            PlacementError: a leaf is a specification, and no mesh is in force.
        """
        given = self.structure.unflatten(self.leaves)
        covered = _COVERED.get(self.argument, "the arrays")
        spread = spread_prefix(
            f"{function}: {self.argument} and {covered}", given, tree, lambda each: each is None
        )
        return [concrete(function, self.argument, each) for each in spread]


def parse_shardings(function: str, argument: str, tree: Any) -> RequestedShardings | None:
    """Return the shardings that a user requested with a tree; None if all of them are unspecified.

    Raises:
        ArgumentError: a leaf is neither a sharding nor None.
        UnsupportedError: a leaf is a format with a layout that arrays do not have.
    """
    if tree is None:
        return None
    leaves, structure = tree_flatten(tree, is_leaf=lambda each: each is None)
    kept: list[RequestedSharding] = []
    for leaf in leaves:
        given = leaf
        if isinstance(leaf, Format):
            given = sharding_of_format(f"{function}: {argument}", leaf)
        if given is not None and not isinstance(given, Sharding | PartitionSpec):
            raise refused(
                function, f"each leaf of {argument}", "a sharding, a PartitionSpec or None", given
            )
        kept.append(None if is_unspecified(given) else given)
    if not any([each is not None for each in kept]):
        return None
    return RequestedShardings(argument, tuple(kept), structure)


def is_unspecified(given: object) -> bool:
    """Return whether `given` is the sharding in the type of an array on one device: over a mesh without axes."""
    return isinstance(given, NamedSharding) and given.mesh.empty


def concrete(function: str, argument: str, given: RequestedSharding) -> Sharding | None:
    """Return `given` as a sharding with devices: a specification, or an abstract mesh, gets the mesh in force.

    Raises:
        PlacementError: no mesh is in force, or its axes differ from the axes of the abstract mesh.
    """
    if isinstance(given, NamedSharding) and isinstance(given.mesh, AbstractMesh):
        mesh = get_mesh()
        if mesh.empty or mesh.shape_tuple != given.mesh.shape_tuple:
            raise PlacementError(
                f"{function}: {argument} has {given}, whose mesh is abstract, and the mesh in force, {mesh}, "
                "does not have these axes",
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

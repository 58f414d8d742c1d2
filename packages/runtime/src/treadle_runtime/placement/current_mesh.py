"""The mesh in force: what partition specifications without a mesh are over."""

from __future__ import annotations

from typing import Any, Final, final

from treadle_ir import AbstractMesh, PartitionSpec
from treadle_ir.errors import refused
from treadle_ir.settings import Setting, current_context, overriding, process_context
from treadle_runtime.placement.mesh import MESH, Mesh
from treadle_runtime.placement.named import NamedSharding
from treadle_runtime.placement.placement import OVER_MESH, Placement, placement_of

_NO_AXES: Final = AbstractMesh((), ())


def get_mesh() -> Mesh:
    """Return the mesh of devices in force, or a mesh without axes if none is in force.

    Example:
        >>> import treadle
        >>> treadle.sharding.get_mesh().empty
        True
    """
    mesh = current_context().get(MESH)
    return mesh if isinstance(mesh, Mesh) else _EMPTY


def get_abstract_mesh() -> AbstractMesh:
    """Return the axes of the mesh in force, or a mesh without axes if none is in force.

    Example:
        >>> get_abstract_mesh().axis_names  # no mesh is in force
        ()
    """
    mesh = current_context().get(MESH)
    if isinstance(mesh, Mesh):
        return mesh.abstract_mesh
    return mesh if isinstance(mesh, AbstractMesh) else _NO_AXES


@final
class set_mesh:  # noqa: N801 - reads as a statement
    """Set the mesh in force: `with set_mesh(mesh):` for a block; without `with`, for the process.

    Partition specifications without a mesh are over it, in `jit`, `with_sharding_constraint`, `device_put` and
    `shard_map`. New arrays, and results of operations on uncommitted arrays, are replicated over its devices; arrays
    that are committed to other devices stay there.

    Args:
        mesh: the mesh, or None for no mesh.

    Raises:
        ArgumentError: `mesh` is not a mesh.

    Example:
        >>> import treadle
        >>> with treadle.set_mesh(treadle.make_mesh((1,), ("x",))) as mesh:
        ...     treadle.sharding.get_mesh() is mesh
        True
    """

    __slots__ = ("_before", "_mesh", "_overrides", "_values")

    def __init__(self, mesh: Mesh | None) -> None:
        if mesh is not None and not isinstance(mesh, Mesh):
            raise refused("set_mesh", "mesh", "a Mesh", mesh)
        self._mesh = mesh
        over = None if mesh is None or mesh.empty else _whole_over(mesh)
        self._values: Final[list[tuple[Setting[Any], object]]] = [(MESH, mesh), (OVER_MESH, over)]
        self._before: Final = [process_context[0].get(setting) for setting, _ in self._values]
        for setting, value in self._values:
            setting.set(value)
        self._overrides: list[overriding] = []

    def __enter__(self) -> Mesh | None:
        for (setting, value), before in zip(self._values, self._before, strict=True):
            setting.set(before)  # it was for a while only, and for this thread
            self._overrides.append(setting.override(value))
            self._overrides[-1].__enter__()
        return self._mesh

    def __exit__(self, *error: object) -> None:
        while self._overrides:
            self._overrides.pop().__exit__()


@final
class use_abstract_mesh:  # noqa: N801 - reads as a statement
    """`with use_abstract_mesh(mesh):` has the axes of a mesh in force, without devices: for tracing alone.

    Raises:
        ArgumentError: it is not an AbstractMesh.
    """

    __slots__ = ("_mesh", "_override")

    def __init__(self, mesh: AbstractMesh) -> None:
        if not isinstance(mesh, AbstractMesh):
            raise refused("use_abstract_mesh", "mesh", "an AbstractMesh", mesh)
        self._mesh = mesh
        self._override = MESH.override(mesh)

    def __enter__(self) -> AbstractMesh:
        self._override.__enter__()
        return self._mesh

    def __exit__(self, *error: object) -> None:
        self._override.__exit__()


def _whole_over(mesh: Mesh) -> Placement:
    return placement_of(NamedSharding(mesh, PartitionSpec()), committed=True)


_EMPTY: Final = Mesh([], ())

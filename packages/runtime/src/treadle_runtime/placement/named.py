"""Arrays over the axes of a mesh: each axis of the array over none, one or several axes of the mesh."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import lru_cache
from math import prod
from typing import Any, ClassVar, Final, final
from weakref import WeakValueDictionary

import numpy as np

from treadle_compiler import jaxlib
from treadle_ir import AbstractMesh, ArgumentError, Operand, PartitionSpec, ops, type_of
from treadle_ir.core import (
    NO_PARTIAL_SUMS,
    ClosedDimShardings,
    DimShardings,
    check_names,
    layout_of,
    part_shape,
    parts_of,
    with_partial_sums,
)
from treadle_ir.errors import (
    PlacementError,
    ShardingError,
    integers,
    names as checked_names,
    refused,
)
from treadle_ir.process import fork_safe_lock
from treadle_ir.tracing import explicit_mesh
from treadle_runtime.client.backend import raw_kind
from treadle_runtime.placement.devices import Device
from treadle_runtime.placement.mesh import Mesh
from treadle_runtime.placement.sharding import Index, Sharding, checked_memory_kind


@final
class NamedSharding(Sharding):
    """An array over the axes of a mesh.

    Args:
        mesh: the mesh. Over an `AbstractMesh` it is a description: what lays arrays out takes the mesh in force for it.
        spec: for each axis of the array, which axes of the mesh divide it.
        memory_kind: the kind of memory of the devices; without it the one in which they compute.

    Raises:
        PlacementError: the devices have no such memory.
        ShardingError: the specification names what the mesh lacks, or names an axis twice.

    Example:
        >>> import treadle
        >>> from treadle.sharding import NamedSharding, PartitionSpec as P
        >>> NamedSharding(treadle.make_mesh((1,), ("x",)), P("x")).shard_shape((4, 2))
        (4, 2)
    """

    __slots__ = ("_raw", "mesh", "spec")
    mesh: Mesh | AbstractMesh
    spec: PartitionSpec
    _raw: dict[int, Any]  # by rank; Any: jaxlib's shardings

    _interned: ClassVar[
        WeakValueDictionary[tuple[Mesh | AbstractMesh, PartitionSpec, str], NamedSharding]
    ] = WeakValueDictionary()
    _lock: Final = fork_safe_lock()

    def __new__(
        cls, mesh: Mesh | AbstractMesh, spec: PartitionSpec, *, memory_kind: str | None = None
    ) -> NamedSharding:
        """Return the one sharding of this mesh, specification and kind of memory."""
        if not isinstance(mesh, Mesh | AbstractMesh):
            raise refused(
                "NamedSharding", "mesh", "a Mesh", mesh, fix="write NamedSharding(mesh, spec)"
            )
        if not isinstance(spec, PartitionSpec):
            raise refused(
                "NamedSharding",
                "spec",
                "a PartitionSpec",
                spec,
                fix="name the axes of the mesh in PartitionSpec(...), one entry for each axis of the array",
            )
        if mesh.empty and isinstance(mesh, Mesh):
            raise ArgumentError(
                "NamedSharding: the mesh has no axes", fix="make one with make_mesh, or set_mesh"
            )
        kind = checked_memory_kind(memory_kind, mesh.flat if isinstance(mesh, Mesh) else ())
        with cls._lock:
            found = cls._interned.get((mesh, spec, kind))
            if found is None:
                check_names(spec, mesh)
                found = object.__new__(cls)
                object.__setattr__(found, "mesh", mesh)
                object.__setattr__(found, "spec", spec)
                object.__setattr__(found, "memory_kind", kind)
                object.__setattr__(found, "_raw", {})
                cls._interned[mesh, spec, kind] = found
            return found

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"shardings are immutable; `{name}` cannot be set")

    @property
    def devices(self) -> tuple[Device, ...]:
        """The devices of the mesh, with the last axis varying fastest."""
        return self.placed.flat

    @property
    def placed(self) -> Mesh:
        """The mesh, which has devices.

        Raises:
            PlacementError: it is an AbstractMesh.
        """
        if isinstance(self.mesh, Mesh):
            return self.mesh
        raise PlacementError(
            f"{self} has no devices: its mesh is abstract",
            fix="use it within `with treadle.set_mesh(mesh):`, or give NamedSharding a mesh of devices",
        )

    @property
    def num_devices(self) -> int:
        """How many devices there are."""
        return self.mesh.size

    @property
    def is_fully_replicated(self) -> bool:
        """Whether each device has the complete array: no dimension is sharded, and no axis is unreduced."""
        sizes = self.mesh.shape
        divides = [name for names in self.layout(len(self.spec)) for name in names]
        return all(sizes[name] == 1 for name in (*divides, *self.spec.unreduced))

    def layout(self, ndim: int) -> ClosedDimShardings:
        """Return the mesh axes that partition each dimension of an array of rank `ndim`; automatic ones are unsharded.

        The unreduced axes are preserved.

        Raises:
            ShardingError: the specification has more entries than the array has dimensions.
        """
        divided = [names or () for names in layout_of(self.spec, ndim)]
        return with_partial_sums(divided, self.spec.partial)

    @property
    def replicated_axes(self) -> frozenset[str]:
        """The mesh axes along which all devices have the same: they partition no dimension and are not unreduced."""
        used = {name for names in self.layout(len(self.spec)) for name in names}
        return frozenset(self.mesh.axis_names) - used - self.spec.unreduced

    def check_compatible_aval(self, aval_shape: tuple[int, ...]) -> None:
        """Check that arrays of this rank can be sharded like this, whatever their sizes.

        Raises:
            ShardingError: they have fewer axes than the specification has entries. (Also a ValueError.)

        Example:
            >>> import treadle
            >>> from treadle.sharding import NamedSharding, PartitionSpec as P
            >>> sharding = NamedSharding(treadle.make_mesh((1,), ("x",)), P("x"))
            >>> sharding.check_compatible_aval((3, 2)), sharding.replicated_axes
            (None, frozenset())
        """
        self.layout(len(integers("check_compatible_aval", "aval_shape", aval_shape)))

    def shard_shape(self, global_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of the shard on one device.

        Raises:
            ShardingError: a dimension does not divide into equal shards, or there are too few dimensions.
        """
        return part_shape(global_shape, self.layout(len(global_shape)), self.mesh)

    def parts(self, shape: tuple[int, ...]) -> tuple[Index, ...]:
        """Return the index of each device's shard of an array of this shape, in the order of `devices`.

        Raises:
            ShardingError: a dimension does not divide into equal shards, or there are too few dimensions.
        """
        part = self.shard_shape(shape)
        columns = []
        for size, width, numbers in zip(shape, part, self.tiles(len(shape)), strict=True):
            if size == width:
                columns.append([slice(None)] * len(numbers))
            else:
                columns.append([slice(int(n) * width, (int(n) + 1) * width) for n in numbers])
        return tuple(zip(*columns, strict=True)) if columns else ((),) * len(self.devices)

    def terms(self) -> tuple[int, ...]:
        """Return the number of each device's term of the sum over unreduced axes, in the order of `devices`."""
        if not self.spec.unreduced:
            return super().terms()
        (numbers,) = tiles_of((tuple(sorted(self.spec.unreduced)),), self.placed)
        return tuple(map(int, numbers))

    def devices_indices_map(self, global_shape: tuple[int, ...]) -> Mapping[Device, Index]:
        """Return the index of each device's shard of an array of this shape.

        Raises:
            ShardingError: the array has unreduced axes, so devices have terms of a sum.
        """
        if self.spec.unreduced:
            raise ShardingError(
                f"devices_indices_map: an array over {self.spec} is a sum, of which devices have terms and not parts",
                fix="add it up first: `reshard(x, P(...))`",
            )
        return super().devices_indices_map(global_shape)

    def tiles(self, ndim: int) -> list[np.ndarray[Any, np.dtype[np.int64]]]:
        """Return, for each dimension of an array of rank `ndim`, the number of the shard that each device has."""
        return tiles_of(self.layout(ndim), self.placed)

    def is_equivalent_to(self, other: Sharding, ndim: int) -> bool:
        """Return whether `other` gives each device the same shard of every array of rank `ndim`."""
        if self is other:
            return True
        if self.memory_kind != other.memory_kind:
            return False
        if isinstance(self.mesh, AbstractMesh):
            return (
                isinstance(other, NamedSharding)
                and other.mesh == self.mesh
                and self.layout(ndim) == other.layout(ndim)
            )
        if isinstance(other, NamedSharding) and isinstance(other.mesh, AbstractMesh):
            return False
        sums = other.spec.partial if isinstance(other, NamedSharding) else NO_PARTIAL_SUMS
        if self.devices != other.devices or self.spec.partial != sums:
            return False
        if not isinstance(other, NamedSharding):
            return True  # one device
        try:
            pairs = zip(self.tiles(ndim), other.tiles(ndim), strict=True)
        except ShardingError:
            return False
        return all(np.array_equal(mine, yours) for mine, yours in pairs)

    def raw(self, ndim: int) -> Any:  # Any: jaxlib's sharding
        """Return the equivalent sharding of jaxlib for arrays of rank `ndim`."""
        found = self._raw.get(ndim)
        if found is None:
            client = jaxlib().xla_client
            listed = client.DeviceList(tuple([device.raw for device in self.devices]))
            found = self._raw[ndim] = client.GSPMDSharding(
                listed, self.tiled(ndim), memory_kind=raw_kind(self.memory_kind)
            )
        return found

    def tiled(self, ndim: int) -> Any:  # Any: jaxlib's sharding
        """Return jaxlib's numbering of the grid of shards.

        The mesh axes that partition the array come first, in the order of its dimensions, then the unreduced axes, then
        the others.
        """
        hlo = jaxlib().xla_client.HloSharding
        if self.is_fully_replicated:
            return hlo.replicate()
        layout, names = self.layout(ndim), self.mesh.axis_names
        order = [names.index(name) for each in layout for name in each]
        order += [axis for axis, name in enumerate(names) if name in self.spec.unreduced]
        order += [axis for axis in range(len(names)) if axis not in order]
        parts = list(parts_of(layout, self.mesh))
        terms = prod([self.mesh.shape[name] for name in self.spec.unreduced])
        copies = self.mesh.size // prod(parts) // terms
        kinds = jaxlib().xla_client.OpSharding.Type
        return hlo.iota_tile(
            tuple(parts + [terms] * (terms > 1) + [copies] * (copies > 1)),
            reshape_dims=self.mesh.axis_sizes,
            transpose_perm=order,
            subgroup_types=[kinds.UNREDUCED] * (terms > 1) + [kinds.REPLICATED] * (copies > 1),
        )

    def update(
        self, *, mesh: Mesh | AbstractMesh | None = None, spec: PartitionSpec | None = None
    ) -> NamedSharding:
        """Return a copy with the mesh or the specification replaced."""
        return NamedSharding(
            self.mesh if mesh is None else mesh,
            self.spec if spec is None else spec,
            memory_kind=self.memory_kind,
        )

    def with_memory_kind(self, kind: str) -> NamedSharding:
        """Return the same sharding in another kind of memory of the devices.

        Raises:
            PlacementError: they have no such memory.
        """
        checked_names("with_memory_kind", kind=kind)
        return NamedSharding(self.mesh, self.spec, memory_kind=kind)

    def __reduce__(self) -> tuple[Any, ...]:
        return _over_axes, (self.mesh, self.spec, self.memory_kind)

    def __repr__(self) -> str:
        memory = f", memory_kind={self.memory_kind}" if isinstance(self.mesh, Mesh) else ""
        return f"NamedSharding(mesh={self.mesh!s}, spec={self.spec}{memory})"


def _over_axes(mesh: Mesh | AbstractMesh, spec: PartitionSpec, memory_kind: str) -> NamedSharding:
    return NamedSharding(mesh, spec, memory_kind=memory_kind)


@lru_cache(maxsize=256)
def tiles_of(layout: ClosedDimShardings, mesh: Mesh) -> list[np.ndarray[Any, np.dtype[np.int64]]]:
    """Return, for each dimension of an array, the number of the shard that each device of a mesh has."""
    places = dict(
        zip(
            mesh.axis_names,
            np.indices(mesh.axis_sizes).reshape(len(mesh.axis_sizes), -1),
            strict=True,
        )
    )
    sizes = mesh.shape
    found = []
    for names in layout:
        numbers = np.zeros(len(mesh.flat), np.int64)
        for name in names:
            numbers = numbers * sizes[name] + places[name]
        found.append(numbers)
    return found


def layout_from_tiles(
    tiles: list[np.ndarray[Any, np.dtype[np.int64]]], mesh: Mesh
) -> DimShardings | None:
    """Return the mesh axes that partition each dimension into the shards numbered by `tiles`; None if none do."""
    layout: list[tuple[str, ...]] = []
    for numbers in tiles:
        grid = np.asarray(numbers).reshape(mesh.axis_sizes)
        steps = {}
        for axis, name in enumerate(mesh.axis_names):
            if mesh.axis_sizes[axis] > 1:
                step = int(np.take(grid, 1, axis).flat[0]) - int(grid.flat[0])
                if step:
                    steps[name] = step
        layout.append(tuple(sorted(steps, key=lambda name: -steps[name])))
    used = [*itertools.chain.from_iterable(layout)]
    if len({*used}) != len(used):
        return None
    same = zip(tiles_of(tuple(layout), mesh), tiles, strict=True)
    return tuple(layout) if all(np.array_equal(a, b) for a, b in same) else None


def layout_on(sharding: NamedSharding, mesh: Mesh, ndim: int) -> ClosedDimShardings:
    """Return the axes of another mesh of the same devices that partition each dimension as `sharding` does.

    Raises:
        ShardingError: the axes of `mesh` cannot express `sharding`.
    """
    if sharding.mesh is mesh or sharding.mesh.shape_tuple == mesh.shape_tuple:
        return sharding.layout(ndim)
    found = None
    if not sharding.spec.partial.axes:
        found = layout_from_tiles(sharding.tiles(ndim), mesh)
    if found is None:
        raise ShardingError(
            f"an array over {sharding.mesh} with {sharding.spec} meets another over {mesh}: "
            "the first cannot be sharded over the axes of the second",
            fix="put both on one mesh with device_put(x, NamedSharding(mesh, spec))",
        )
    return tuple([names or () for names in found])


def constrained(x: Operand, sharding: Sharding, *, even: bool = True) -> Operand:
    """Return the traced array `x` constrained to `sharding`; with `even`, its shards must have equal sizes.

    Raises:
        ShardingError: `x` cannot be sharded like this.
    """
    if not isinstance(sharding, NamedSharding):
        return x  # the placement of the compiled program decides where a traced array is
    shape = type_of(x).shape
    if even or explicit_mesh() is not None:
        part_shape(shape, sharding.layout(len(shape)), sharding.mesh)
    return ops.sharding_constraint(
        x,
        mesh=sharding.mesh.axes,
        layout=layout_of(sharding.spec, len(shape)),
        device_ids=tuple([device.id for device in sharding.devices]),
    )


def in_memory(x: Operand, sharding: Sharding) -> Operand:
    """Return the traced array `x`, transferred to the kind of memory that `sharding` names."""
    return ops.to_memory(x, kind=sharding.memory_kind)

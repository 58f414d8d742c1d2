"""Programs over several devices: the devices, and the shardings of parameters and results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

import treadle_compiler as compiler
from treadle_ir import AbstractMesh, ArrayType, PartitionSpec, Program
from treadle_ir.core import (
    NO_PARTIAL_SUMS,
    DimShardings,
    OverMesh,
    layout_of,
    parts_of,
    spec_of,
    with_partial_sums,
)
from treadle_ir.errors import PlacementError
from treadle_ir.primitives.memory import DEVICE_MEMORY
from treadle_ir.settings import current_context
from treadle_runtime.placement.devices import Device
from treadle_runtime.placement.mesh import MESH, Mesh, concrete_mesh
from treadle_runtime.placement.named import NamedSharding, layout_from_tiles, layout_on
from treadle_runtime.placement.placement import BASE, PlacedType, Placement, placement_of
from treadle_runtime.placement.resolve import resolve
from treadle_runtime.placement.sharding import Sharding

if TYPE_CHECKING:
    from treadle_compiler import LoadedExecutable, Memories, Partitioning, Tiles

_REPLICATED: Final = PartitionSpec()

Meshes: TypeAlias = tuple[tuple[AbstractMesh, tuple[int, ...]], ...]
"""Meshes that a program names, each with the numbers of its devices; no numbers if it may be any devices."""


def meshes_of(program: Program) -> Meshes:
    """Return the meshes that a program names, each once, with the numbers of their devices."""
    meshes: dict[tuple[AbstractMesh, tuple[int, ...]], None] = {}
    for each in (program, *program.nested()):
        for equation in each.equations:
            primitive = equation.primitive
            if isinstance(primitive, OverMesh):
                meshes[primitive.mesh, primitive.device_ids] = None
    return tuple(meshes)


def placement_for(
    program: Program,
    operands: Sequence[PlacedType],
    default: Placement,
    name: str,
    describe: Callable[[int], str],
    asked: Iterable[Sharding] = (),
) -> Placement:
    """Return the placement on which a program runs: of its committed operands, or over the devices that it requests.

    `asked` are the shardings that were requested for its parameters and results. Over several devices the placement is
    fully replicated.

    Raises:
        PlacementError: operands are committed to different devices, or to devices that the program does not request.
    """
    placement = resolve(operands, default, name, describe)
    meshes = meshes_of(program)
    for sharding in (*asked, *_requested_shardings(meshes, placement)):
        if placement.committed:
            if placement.devices != sharding.devices:
                raise PlacementError(
                    f"{name} is over the devices {_ids(sharding)}, but its arguments are committed "
                    f"to {_ids(placement.sharding)}",
                    fix="put the arguments there with device_put(x, sharding), or leave them uncommitted",
                )
        else:
            placement = placement_of(sharding, committed=True)
    count = placement.sharding.num_devices
    for mesh, _ in meshes:
        if count not in (1, mesh.size):
            raise PlacementError(
                f"{name} shards arrays over {mesh.size} devices, but its arguments are over {count}",
                fix=f"shard the arguments over a mesh of {mesh.size} devices with device_put",
            )
    return fully_replicated(placement)


def _requested_shardings(meshes: Meshes, placement: Placement) -> list[Sharding]:
    found: list[Sharding] = []
    for mesh, ids in meshes:
        if ids:
            platform = placement.device.backend.platform
            found.append(NamedSharding(concrete_mesh(mesh, ids, platform), _REPLICATED))
        else:
            current = current_context().get(MESH)
            if isinstance(current, Mesh) and current.shape_tuple == mesh.shape_tuple:
                found.append(NamedSharding(current, _REPLICATED))
    return found


def _ids(sharding: Sharding) -> str:
    return str([device.id for device in sharding.devices])


def fully_replicated(placement: Placement) -> Placement:
    """Return the fully replicated placement over the devices of `placement`."""
    if placement is BASE:  # its device is not looked up before it is needed
        return placement
    sharding = placement.sharding
    if not isinstance(sharding, NamedSharding):
        return placement.compute_placement or placement
    return placement_of(NamedSharding(sharding.mesh, _REPLICATED), committed=True)


def memories(
    placement: Placement,
    operands: Sequence[PlacedType],
    results: int,
    wanted: Sequence[Sharding | None] = (),
) -> Memories | None:
    """Return the kinds of memory of operands and requested results; None if all are in the devices' own memory.

    Operands on other devices are transferred to the own memory of the program's devices.
    """
    given = [
        each.placement.sharding.memory_kind
        if each.placement.compute_placement and each.placement.devices == placement.devices
        else None
        for each in operands
    ]
    asked = [None if each is None else each.memory_kind for each in wanted] or [None] * results
    if not any(given) and all(kind in (None, DEVICE_MEMORY) for kind in asked):
        return None
    return compiler.Memories(tuple(given), tuple(asked))


def partitioning(
    placement: Placement,
    operands: Sequence[PlacedType],
    results: Sequence[ArrayType],
    wanted: Sequence[Sharding | None] = (),
) -> Partitioning | None:
    """Return the shardings of parameters and results over the devices of a program; None for a single device.

    `wanted` are the shardings that were requested for results. Operands on other devices become fully replicated.

    Raises:
        ShardingError: an operand's or a result's sharding cannot be expressed in the axes of the program's mesh.
    """
    sharding = placement.sharding
    if sharding.num_devices == 1:
        return None
    assert isinstance(sharding, NamedSharding)
    mesh = sharding.placed

    def partition_of(each: Sharding, ndim: int) -> DimShardings:
        if isinstance(each, NamedSharding) and each.devices == mesh.flat:
            return layout_on(each, mesh, ndim)
        return ((),) * ndim

    parameters = [partition_of(x.placement.sharding, x.type.ndim) for x in operands]
    asked = wanted or (None,) * len(results)
    ends: list[DimShardings | None] = []
    for type_, each in zip(results, asked, strict=True):
        if each is None:
            ends.append(None)
        else:
            each.shard_shape(type_.shape)  # raises an error if it does not fit
            ends.append(
                layout_of(each.spec, type_.ndim)
                if isinstance(each, NamedSharding) and each.mesh.shape_tuple == mesh.shape_tuple
                else partition_of(each, type_.ndim)
            )
    return compiler.Partitioning(mesh.axes, tuple(parameters), tuple(ends))


def result_placements(
    executable: LoadedExecutable,
    placement: Placement,
    results: Sequence[ArrayType],
    wanted: Sequence[Sharding | None],
    kinds: Sequence[str],
) -> list[Placement | None]:
    """Return the placements of a program's results over several devices; None if a result's shards are unequal.

    `kinds` are the kinds of memory in which the program has its results.
    """
    sharding = placement.sharding
    assert isinstance(sharding, NamedSharding)
    asked = wanted or (None,) * len(results)
    found: list[Placement | None] = []
    if not results:
        return found  # XLA reports a sharding for the empty tuple, which is not a result
    every = zip(results, asked, kinds, compiler.output_tiles(executable), strict=True)
    for type_, each, kind, tiles in every:
        if each is not None and PartitionSpec.UNCONSTRAINED not in getattr(each, "spec", ()):
            found.append(placement_of(each.with_memory_kind(kind), committed=True))
            continue
        layout = None if tiles is None else layout_from_tiles(tiles[: type_.ndim], sharding.placed)
        if layout is not None:
            layout = (*layout, *((),) * (type_.ndim - len(layout)))
            layout = with_partial_sums(
                layout, each.spec.partial if isinstance(each, NamedSharding) else NO_PARTIAL_SUMS
            )
        if layout is not None and _divides(type_, layout, sharding.placed):
            named = NamedSharding(sharding.placed, spec_of(layout), memory_kind=kind)
            found.append(placement_of(named, committed=True))
        else:
            found.append(None)
    return found


def inner_sharding(
    reported: Any,  # an HloSharding of jaxlib, or None
    placement: Placement,
    ndim: int,
) -> Sharding:
    """Return the sharding of an array within a program that XLA has reported; fully replicated if it reported none.

    If the axes of the program's mesh cannot express it, it is over a mesh of its own.
    """
    sharding = placement.sharding
    if not isinstance(sharding, NamedSharding):
        return sharding
    tiles = None if reported is None else compiler.tiles_of(reported)
    if tiles is None:
        return NamedSharding(sharding.placed, _REPLICATED)
    layout = layout_from_tiles(tiles[:ndim], sharding.placed)
    if layout is not None:
        return NamedSharding(sharding.placed, spec_of(layout))
    return sharding_of_tiles(tiles[:ndim], sharding.placed.flat)


def sharding_of_tiles(tiles: Tiles, devices: Sequence[Device]) -> NamedSharding:
    """Return a sharding, over a mesh of its own, in which `tiles` number each device's shard along each dimension."""
    order = np.lexsort([*reversed(tiles)]) if tiles else np.arange(len(devices))
    sizes = [int(each.max()) + 1 for each in tiles]
    names = [f"axis{number}" for number in range(len(tiles))]
    grid = np.array(devices)[order].reshape(*sizes, -1)
    return NamedSharding(Mesh(grid, (*names, "rest")), PartitionSpec(*names))


def _divides(type: ArrayType, layout: DimShardings, mesh: Mesh) -> bool:
    pairs = zip(type.shape, parts_of(layout, mesh), strict=True)
    return all(size % count == 0 for size, count in pairs)

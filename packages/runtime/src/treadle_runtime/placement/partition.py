"""Programs over several devices: which devices, and how parameters and results lie over them."""

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

_WHOLE: Final = PartitionSpec()

Meshes: TypeAlias = tuple[tuple[AbstractMesh, tuple[int, ...]], ...]
"""Meshes that a program speaks of, each with the numbers of its devices, none where any will do."""


def meshes_of(program: Program) -> Meshes:
    """The meshes that a program speaks of, each once, with the numbers of their devices."""
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
    """Where a program runs: where its committed operands are, or over the devices that it asks for.

    `asked` are the shardings that were named for its parameters and results. Over several devices the placement is that
    of an array that each of them has whole.

    Raises:
        PlacementError: operands are committed to different places, or to others than the program asks for.
    """
    placement = resolve(operands, default, name, describe)
    meshes = meshes_of(program)
    for sharding in (*asked, *_asked_for(meshes, placement)):
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
                f"{name} lays arrays over {mesh.size} devices, but its arguments are over {count}",
                fix=f"lay the arguments over a mesh of {mesh.size} devices with device_put",
            )
    return whole(placement)


def _asked_for(meshes: Meshes, placement: Placement) -> list[Sharding]:
    found: list[Sharding] = []
    for mesh, ids in meshes:
        if ids:
            platform = placement.device.backend.platform
            found.append(NamedSharding(concrete_mesh(mesh, ids, platform), _WHOLE))
        else:
            current = current_context().get(MESH)
            if isinstance(current, Mesh) and current.shape_tuple == mesh.shape_tuple:
                found.append(NamedSharding(current, _WHOLE))
    return found


def _ids(sharding: Sharding) -> str:
    return str([device.id for device in sharding.devices])


def whole(placement: Placement) -> Placement:
    """Where an array is that each of these devices has whole."""
    if placement is BASE:  # whose device is not looked up before somebody asks for it
        return placement
    sharding = placement.sharding
    if not isinstance(sharding, NamedSharding):
        return placement.works_in or placement
    return placement_of(NamedSharding(sharding.mesh, _WHOLE), committed=True)


def memories(
    placement: Placement,
    operands: Sequence[PlacedType],
    results: int,
    wanted: Sequence[Sharding | None] = (),
) -> Memories | None:
    """In which memories of a program's devices operands are and results are wanted; None where all are their own.

    Operands that are elsewhere are brought into the devices' own.
    """
    given = [
        each.placement.sharding.memory_kind
        if each.placement.works_in and each.placement.devices == placement.devices
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
    """How parameters and results lie over the devices of a program; None for a single device.

    `wanted` are the shardings that were asked for results. Operands that are elsewhere are brought there whole.

    Raises:
        ShardingError: an operand or a result cannot be laid out in the axes of the program's mesh.
    """
    sharding = placement.sharding
    if sharding.num_devices == 1:
        return None
    assert isinstance(sharding, NamedSharding)
    mesh = sharding.placed

    def laid(each: Sharding, ndim: int) -> DimShardings:
        if isinstance(each, NamedSharding) and each.devices == mesh.flat:
            return layout_on(each, mesh, ndim)
        return ((),) * ndim

    parameters = [laid(x.placement.sharding, x.type.ndim) for x in operands]
    asked = wanted or (None,) * len(results)
    ends: list[DimShardings | None] = []
    for type_, each in zip(results, asked, strict=True):
        if each is None:
            ends.append(None)
        else:
            each.shard_shape(type_.shape)  # that it fits
            ends.append(
                layout_of(each.spec, type_.ndim)
                if isinstance(each, NamedSharding) and each.mesh.shape_tuple == mesh.shape_tuple
                else laid(each, type_.ndim)
            )
    return compiler.Partitioning(mesh.axes, tuple(parameters), tuple(ends))


def result_placements(
    executable: LoadedExecutable,
    placement: Placement,
    results: Sequence[ArrayType],
    wanted: Sequence[Sharding | None],
    kinds: Sequence[str],
) -> list[Placement | None]:
    """Where the results of a program over several devices are; None for one that does not divide into equal parts.

    `kinds` are of the memories that the program has them in.
    """
    sharding = placement.sharding
    assert isinstance(sharding, NamedSharding)
    asked = wanted or (None,) * len(results)
    found: list[Placement | None] = []
    if not results:
        return found  # XLA speaks of a tuple then, which is no result
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
    said: Any,  # an HloSharding of jaxlib, or None
    placement: Placement,
    ndim: int,
) -> Sharding:
    """How an array within a program lies, from what XLA has said; whole on each device, where it has said nothing.

    A way to lie that the axes of the program's mesh have no words for is over a mesh of its own.
    """
    sharding = placement.sharding
    if not isinstance(sharding, NamedSharding):
        return sharding
    tiles = None if said is None else compiler.tiles_of(said)
    if tiles is None:
        return NamedSharding(sharding.placed, _WHOLE)
    layout = layout_from_tiles(tiles[:ndim], sharding.placed)
    if layout is not None:
        return NamedSharding(sharding.placed, spec_of(layout))
    return sharding_of_tiles(tiles[:ndim], sharding.placed.flat)


def sharding_of_tiles(tiles: Tiles, devices: Sequence[Device]) -> NamedSharding:
    """The sharding over a mesh of its own by which each device has the part that `tiles` say for each axis."""
    order = np.lexsort([*reversed(tiles)]) if tiles else np.arange(len(devices))
    sizes = [int(each.max()) + 1 for each in tiles]
    names = [f"axis{number}" for number in range(len(tiles))]
    grid = np.array(devices)[order].reshape(*sizes, -1)
    return NamedSharding(Mesh(grid, (*names, "rest")), PartitionSpec(*names))


def _divides(type: ArrayType, layout: DimShardings, mesh: Mesh) -> bool:
    pairs = zip(type.shape, parts_of(layout, mesh), strict=True)
    return all(size % count == 0 for size, count in pairs)

"""Devices as grids for meshes: `experimental.mesh_utils`.

Between virtual devices and between the devices of one host there is nothing to choose: they are taken in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Final, TypeAlias

import numpy as np

from treadle_ir import ArgumentError
from treadle_ir.errors import flags, functions, integers, sequence, shown
from treadle_runtime.placement.devices import Device, devices as all_devices

Grid: TypeAlias = np.ndarray[Any, np.dtype[Any]]  # Any: of devices, which NumPy has as objects

device_kind_handler_dict: Final[dict[str, Callable[..., Any]]] = {}
"""How devices of a kind, `device.device_kind`, are arranged: `handler(mesh_shape, devices, *, contiguous_submeshes)`.

A handler returns an array of the devices in the shape asked for, or None to leave it at their order. Libraries write
to it; no kind has one at first. `create_device_mesh` and `make_mesh` ask it. Any: see `_arranged`.
"""


def create_device_mesh(
    mesh_shape: Sequence[int],
    devices: Sequence[Device] | Grid | None = None,
    *,
    contiguous_submeshes: bool = False,
    allow_split_physical_axes: bool = False,
) -> Grid:
    """Return devices in a grid of a shape, in their order, or as arranged by their kind's `device_kind_handler_dict`.

    Args:
        mesh_shape: the size of each axis.
        devices: the devices, all of which have to be used; by default, all devices of the default platform.
        contiguous_submeshes: passed to the handler of the kind; it concerns the wires between the chips of a TPU.
        allow_split_physical_axes: has no effect; it concerns these wires, too.

    Raises:
        ArgumentError: the shape has room for another number of devices, or the handler of their kind returned
            something else than these devices in that shape. (Also a ValueError.)

    Example:
        >>> import treadle
        >>> from treadle.experimental import mesh_utils
        >>> mesh_utils.create_device_mesh((1, 1), treadle.devices()[:1]).shape
        (1, 1)
    """
    name = "create_device_mesh"
    flags(
        name,
        contiguous_submeshes=contiguous_submeshes,
        allow_split_physical_axes=allow_split_physical_axes,
    )
    shape = integers(name, "mesh_shape", mesh_shape)
    found = _given(name, devices)
    plain = _grid(name, shape, found)
    kinds = {device.device_kind for device in found}
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind not in device_kind_handler_dict:
        return plain
    functions(name, **{f"device_kind_handler_dict[{kind!r}]": device_kind_handler_dict[kind]})
    arranged = device_kind_handler_dict[kind](
        shape, found, contiguous_submeshes=contiguous_submeshes
    )
    return plain if arranged is None else _arranged(name, kind, arranged, plain)


def create_hybrid_device_mesh(
    mesh_shape: Sequence[int],
    dcn_mesh_shape: Sequence[int],
    devices: Sequence[Device] | Grid | None = None,
    *,
    process_is_granule: bool = False,
    should_sort_granules_by_key: bool = True,
    allow_split_physical_axes: bool = False,
) -> Grid:
    """Return devices in a grid whose axes go first over processes, then over the devices within each.

    Axis `i` of the result has the size `mesh_shape[i] * dcn_mesh_shape[i]`: groups of `mesh_shape[i]` devices belong to
    one process, where communication is fast.

    Args:
        mesh_shape: the shape of the grid within a process.
        dcn_mesh_shape: the shape of the grid of processes.
        devices: the devices; by default, all devices of the default platform.
        process_is_granule: whether a granule (devices with fast connections) is a process; it must be true.
        should_sort_granules_by_key: take processes in the order of their numbers, not of their devices.
        allow_split_physical_axes: has no effect; it concerns the wires between the chips of a TPU.

    Raises:
        ArgumentError: the shapes do not go together, or have room for another number of processes or devices.

    Example:
        >>> import treadle
        >>> from treadle.experimental import mesh_utils
        >>> one = treadle.devices()[:1]
        >>> mesh_utils.create_hybrid_device_mesh((1, 1), (1, 1), one, process_is_granule=True).shape
        (1, 1)
    """
    name = "create_hybrid_device_mesh"
    flags(
        name,
        process_is_granule=process_is_granule,
        should_sort_granules_by_key=should_sort_granules_by_key,
        allow_split_physical_axes=allow_split_physical_axes,
    )
    inner = integers(name, "mesh_shape", mesh_shape)
    outer = integers(name, "dcn_mesh_shape", dcn_mesh_shape)
    if len(inner) != len(outer):
        raise ArgumentError(
            f"{name}: mesh_shape {inner} has {len(inner)} axes, but dcn_mesh_shape {outer} has {len(outer)}",
            fix="give both a size for each axis, 1 where it is not divided",
        )
    if not process_is_granule:
        raise ArgumentError(
            f"{name}: devices do not say which slice of a TPU they belong to",
            fix="give process_is_granule=True, which takes processes in the place of slices",
        )
    by_process: dict[int, list[Device]] = {}
    for device in _given(name, devices):
        by_process.setdefault(device.process_index, []).append(device)
    order = sorted(by_process) if should_sort_granules_by_key else [*by_process]
    if len(order) != prod(outer):
        raise ArgumentError(
            f"{name}: dcn_mesh_shape {outer} has room for {prod(outer)} processes, "
            f"but the devices belong to {len(order)}",
            fix="make the product of dcn_mesh_shape the number of processes",
        )
    within = [_grid(name, inner, by_process[number]) for number in order]
    grid = np.empty((*outer, *inner), object)
    for place, part in zip(np.ndindex(*outer), within, strict=True):
        grid[place] = part
    count = len(inner)
    pairs = [axis for each in range(count) for axis in (each, count + each)]
    return grid.transpose(pairs).reshape(
        [many * few for many, few in zip(outer, inner, strict=True)]
    )


def _given(name: str, devices: Sequence[Device] | Grid | None) -> list[Any]:
    if devices is None:
        return [*all_devices()]
    given: Any = devices  # a grid of them, too, is taken in order
    found = [*(given.flat if isinstance(given, np.ndarray) else sequence(name, "devices", given))]
    for each in found:
        if not isinstance(each, Device):
            raise ArgumentError(
                f"{name}: {shown(each)} of {type(each)} is not a device",
                fix="pass some of treadle.devices()",
            )
    return found


def _arranged(name: str, kind: str, arranged: Any, plain: Grid) -> Grid:
    """Return a handler's result `arranged` (anything that a library made) as a grid; refuse other devices or shapes."""
    grid = np.empty(plain.shape, object)
    found = np.array(arranged, object)
    if found.shape != plain.shape or {*map(id, found.flat)} != {*map(id, plain.flat)}:
        raise ArgumentError(
            f"{name}: the handler of {kind!r} returned no arrangement of the {plain.size} devices "
            f"in a grid of shape {plain.shape}",
            fix="return each device once, in an array of that shape, or None",
        )
    grid[...] = found
    return grid


def _grid(name: str, shape: tuple[int, ...], devices: Sequence[Device]) -> Grid:
    if any([size < 1 for size in shape]) or prod(shape) != len(devices):
        raise ArgumentError(
            f"{name}: there are {len(devices)} devices, but a mesh of shape {shape} takes {prod(shape)}",
            fix="make the product of mesh_shape the number of devices, or pass as many devices",
        )
    grid = np.empty(len(devices), object)
    grid[:] = devices
    return grid.reshape(shape)

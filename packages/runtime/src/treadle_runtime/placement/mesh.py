"""Meshes: devices in a grid whose axes have names, interned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import prod
from typing import Any, ClassVar, Final, final, overload
from weakref import WeakValueDictionary

import numpy as np

from treadle_ir import AbstractMesh, ArgumentError, AxisType
from treadle_ir.core import MeshAxes, checked_axes
from treadle_ir.errors import PlacementError, integers, refused, sequence, shown
from treadle_ir.process import fork_safe_lock
from treadle_ir.tracing import MESH as MESH
from treadle_runtime.placement.devices import Device, device_by_id, devices as all_devices
from treadle_runtime.placement.mesh_grids import create_device_mesh


@final
class Mesh(MeshAxes):
    """Devices in a grid whose axes have names.

    `with mesh:` makes it the current one, as `with set_mesh(mesh):` does.

    Args:
        devices: an array of devices with one axis for each name.
        axis_names: the names; a single name may stand by itself.
        axis_types: the type of each axis; Auto where unspecified.

    Raises:
        ArgumentError: devices and names do not go together.

    Example:
        >>> import numpy as np, treadle
        >>> from treadle.sharding import Mesh
        >>> Mesh(np.array(treadle.devices()[:1]), ("x",)).shape["x"]
        1
    """

    __slots__ = (
        "__weakref__",
        "_abstract",
        "axes",
        "axis_names",
        "axis_sizes",
        "axis_types",
        "flat",
    )
    flat: tuple[Device, ...]
    axes: AbstractMesh
    _abstract: AbstractMesh | None

    _interned: ClassVar[WeakValueDictionary[tuple[Any, ...], Mesh]] = WeakValueDictionary()
    _lock: Final = fork_safe_lock()

    def __new__(
        cls,
        devices: Any,  # Any: nested sequences of devices
        axis_names: str | Sequence[str] = (),
        axis_types: tuple[AxisType, ...] | AxisType | None = None,
    ) -> Mesh:
        """Return the one mesh of these devices, names and types."""
        if not isinstance(devices, np.ndarray | list | tuple | Device):
            raise refused("Mesh", "devices", "an array of devices", devices)
        try:
            grid = np.array(devices, dtype=object)
        except (TypeError, ValueError, RuntimeError):  # whatever it is made of
            raise refused("Mesh", "devices", "an array of devices", devices) from None
        if isinstance(axis_names, tuple | list) and not axis_names and grid.tolist() is None:
            grid = np.array([], dtype=object)  # as `np.empty((), object)` stands for none
        for each in grid.reshape(-1):
            if not isinstance(each, Device):
                raise ArgumentError(
                    f"Mesh: {shown(each)} of {type(each)} is not a device",
                    fix="pass an array of treadle.devices(), or use make_mesh",
                )
        shape = grid.shape if grid.size or axis_names != () else ()
        sizes, names, types = checked_axes("Mesh", shape, axis_names, axis_types)
        flat = tuple(grid.reshape(-1))
        if len({*flat}) != len(flat):
            raise ArgumentError(
                "Mesh: a device stands in it more than once", fix="give each device one place"
            )
        if len({device.platform for device in flat}) > 1:
            raise ArgumentError(
                "Mesh: its devices belong to different platforms",
                fix="take the devices of one platform: treadle.devices(platform)",
            )
        key = flat, sizes, names, types
        with cls._lock:
            found = cls._interned.get(key)
            if found is None:
                found = object.__new__(cls)
                found.flat = flat
                found.axis_sizes, found.axis_names, found.axis_types = sizes, names, types
                found.axes = AbstractMesh(sizes, names, types)
                found._abstract = None
                cls._interned[key] = found
            return found

    @property
    def abstract_mesh(self) -> AbstractMesh:
        """The same without devices, but with the kind that all of them are of."""
        if self._abstract is None:
            kinds = {each.abstract for each in self.flat}
            kind = kinds.pop() if len(kinds) == 1 else None
            self._abstract = replace(self.axes, abstract_device=kind)
        return self._abstract

    @property
    def devices(self) -> np.ndarray[Any, np.dtype[Any]]:
        """The devices in their grid."""
        grid = np.empty(len(self.flat), object)
        grid[:] = self.flat
        return grid.reshape(self.axis_sizes)

    @property
    def device_ids(self) -> np.ndarray[Any, np.dtype[Any]]:
        """The numbers of the devices in their grid."""
        return np.array([device.id for device in self.flat], np.int64).reshape(self.axis_sizes)

    @property
    def is_multi_process(self) -> bool:
        """Whether devices of other processes are in it."""
        return len(self.local_devices) != len(self.flat)

    @property
    def is_scalar(self) -> bool:
        """Whether it is one device without axes."""
        return not self.axis_names and len(self.flat) == 1

    @property
    def local_devices(self) -> list[Device]:
        """The devices of this process."""
        return [d for d in self.flat if d.raw in d.backend.local_devices]

    @property
    def local_mesh(self) -> Mesh:
        """The smallest part of the grid that holds the devices of this process.

        Raises:
            PlacementError: they do not fill a part of the grid.
        """
        ours = {*self.local_devices}
        grid = self.devices
        places = np.argwhere(np.array([d in ours for d in self.flat]).reshape(self.axis_sizes))
        if not len(places):
            raise PlacementError("the mesh has no device of this process")
        within = tuple([slice(a, b + 1) for a, b in zip(places.min(0), places.max(0), strict=True)])
        if grid[within].size != len(ours):
            raise PlacementError("the devices of this process do not fill a part of the mesh")
        return Mesh(grid[within], self.axis_names, self.axis_types)

    def update(
        self,
        devices: Any = None,
        axis_names: Sequence[str] | None = None,
        axis_types: tuple[AxisType, ...] | None = None,
    ) -> Mesh:
        """Return a copy with the devices, names or types replaced."""
        return Mesh(
            self.devices if devices is None else devices,
            self.axis_names if axis_names is None else axis_names,
            self.axis_types if axis_types is None else axis_types,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Mesh, (self.devices, self.axis_names, self.axis_types)

    def with_types(self, kind: AxisType, names: Iterable[str]) -> Mesh:
        """Return a copy in which the axes `names` have the type `kind`."""
        types = self.axes.with_types(kind, names).axis_types
        return Mesh(self.devices, self.axis_names, types)

    def __repr__(self) -> str:
        return (
            f"Mesh(axis_sizes={self.axis_sizes}, axis_names={self.axis_names}, "
            f"axis_types={self.axis_types!r})"
        )

    def __str__(self) -> str:
        return f"Mesh({self._text()})"

    def __enter__(self) -> Mesh:
        MESH.override(self).__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        MESH.override(self).__exit__()  # whichever was entered last is left


def concrete_mesh(axes: AbstractMesh, device_ids: Sequence[int], platform: str) -> Mesh:
    """Return the mesh with these axes, of the devices of a platform with these numbers."""
    grid = np.empty(len(device_ids), object)
    grid[:] = [device_by_id(platform, number) for number in device_ids]
    return Mesh(grid.reshape(axes.axis_sizes), axes.axis_names, axes.axis_types)


@overload
def make_mesh(
    axis_shapes: Sequence[int],
    axis_names: Sequence[str],
    axis_types: tuple[AxisType, ...] | None = None,
    *,
    devices: Sequence[Device] | None = None,
) -> Mesh: ...
@overload
def make_mesh(
    *,
    axis_sizes: Sequence[int],
    axis_names: Sequence[str],
    axis_types: tuple[AxisType, ...] | None = None,
    devices: Sequence[Device] | None = None,
) -> Mesh: ...
def make_mesh(
    axis_shapes: Any = None,
    axis_names: Any = None,
    axis_types: tuple[AxisType, ...] | None = None,
    *,
    devices: Sequence[Device] | None = None,
    axis_sizes: Any = None,
) -> Mesh:
    """Make a mesh of the first devices, in the order of `create_device_mesh`.

    Args:
        axis_shapes: the size of each axis.
        axis_names: the name of each axis.
        axis_types: the type of each axis: `AxisType.Explicit` (the default), `Auto` or `Manual`.
        axis_sizes: another name of `axis_shapes`.
        devices: which devices; by default the default platform's.

    Raises:
        ArgumentError: sizes and names do not go together.
        PlacementError: there are fewer devices.

    Example:
        >>> import treadle
        >>> treadle.make_mesh((1,), ("x",)).size
        1
    """
    called = "axis_shapes" if axis_sizes is None else "axis_sizes"
    if axis_sizes is not None and axis_shapes is not None:
        raise ArgumentError(
            "make_mesh: axis_shapes and axis_sizes are one argument, and both are given",
            fix="leave one of them out",
        )
    sizes = integers("make_mesh", called, axis_shapes if axis_sizes is None else axis_sizes)
    given = [*all_devices()] if devices is None else [*sequence("make_mesh", "devices", devices)]
    types = (AxisType.Explicit,) * len(sizes) if axis_types is None else axis_types
    sizes, names, kinds = checked_axes("make_mesh", sizes, axis_names, types)
    count = prod(sizes)
    if count > len(given):
        raise PlacementError(
            f"make_mesh: a mesh of shape {sizes} takes {count} devices, but there are {len(given)}",
            fix="make it smaller; for virtual CPU devices start with TREADLE_NUM_CPU_DEVICES=<n>",
        )
    return Mesh(create_device_mesh(sizes, given[:count]), names, kinds)

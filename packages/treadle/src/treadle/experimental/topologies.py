"""The devices that are attached, as a topology that meshes are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from treadle.experimental.mesh_utils import create_device_mesh
from treadle_ir import UnsupportedError
from treadle_ir.errors import boundaries, names, refused
from treadle_ir.process import frozen
from treadle_runtime import Device, Mesh, devices

__all__ = ["TopologyDescription", "get_attached_topology", "get_topology_desc", "make_mesh"]


@final
@frozen(eq=False)
class TopologyDescription:
    """Devices, of which `make_mesh` makes meshes."""

    devices: list[Device]


def get_attached_topology(platform: str | None = None) -> TopologyDescription:
    """Return the devices of a platform, or of the default one.

    Raises:
        PlatformError: there is no such platform.

    Example:
        >>> import treadle
        >>> from treadle.experimental import topologies
        >>> topologies.get_attached_topology().devices == treadle.devices()
        True
    """
    return TopologyDescription(devices(platform))


def get_topology_desc(topology_name: str = "", platform: str | None = None) -> TopologyDescription:
    """Devices that are not attached, by the name of their topology, which JAX has for TPUs alone.

    Raises:
        UnsupportedError: always: programs are compiled here for the devices that are there.

    Example:
        >>> import treadle
        >>> from treadle.experimental import topologies
        >>> try:
        ...     topologies.get_topology_desc("v4:2x2x1", "tpu")
        ... except treadle.errors.UnsupportedError as error:
        ...     print(error.args[0])
        get_topology_desc: there is no description of devices that are not attached
    """
    names("get_topology_desc", topology_name=topology_name)
    raise UnsupportedError(
        "get_topology_desc: there is no description of devices that are not attached",
        fix="get_attached_topology() has those that are; `AbstractMesh` stands for others while programs are lowered",
    )


def make_mesh(
    topo: TopologyDescription,
    mesh_shape: Sequence[int],
    axis_names: tuple[str, ...],
    *,
    contiguous_submeshes: bool = False,
) -> Mesh:
    """Return a mesh of a topology's devices, all of them, in an order that suits how they are connected.

    Args:
        topo: the devices.
        mesh_shape: the size of each axis.
        axis_names: the name of each axis.
        contiguous_submeshes: on TPUs, whether the devices of a host are contiguous in the mesh.

    Raises:
        ArgumentError: `topo` is not a topology.
        RangeError: there are more or fewer devices than the mesh has.

    Example:
        >>> from treadle.experimental import topologies
        >>> topologies.make_mesh(topologies.get_attached_topology(), (1, 1), ("x", "y")).axis_names
        ('x', 'y')
    """
    if not isinstance(topo, TopologyDescription):
        raise refused("make_mesh", "topo", "a TopologyDescription", topo)
    arranged = create_device_mesh(
        mesh_shape, list(topo.devices), contiguous_submeshes=contiguous_submeshes
    )
    return Mesh(arranged, axis_names)


boundaries(__name__)

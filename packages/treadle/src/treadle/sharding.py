"""Distribution of arrays over devices: meshes, specifications, shardings."""

from __future__ import annotations

from treadle.core import ManualAxisType as ManualAxisType
from treadle_ir import (
    AbstractMesh as AbstractMesh,
    AxisType as AxisType,
    PartitionSpec as PartitionSpec,
)
from treadle_ir.core import AbstractDevice as AbstractDevice
from treadle_ir.errors import boundaries
from treadle_runtime import (
    Infer as Infer,
    Mesh as Mesh,
    NamedSharding as NamedSharding,
    Sharding as Sharding,
    SingleDeviceSharding as SingleDeviceSharding,
    auto_axes as auto_axes,
    explicit_axes as explicit_axes,
    get_abstract_mesh as get_abstract_mesh,
    get_mesh as get_mesh,
    reshard as reshard,
    set_mesh as set_mesh,
    use_abstract_mesh as use_abstract_mesh,
)

__all__ = [
    "AbstractDevice",
    "AbstractMesh",
    "AxisType",
    "Infer",
    "ManualAxisType",
    "Mesh",
    "NamedSharding",
    "PartitionSpec",
    "Sharding",
    "SingleDeviceSharding",
    "auto_axes",
    "explicit_axes",
    "get_abstract_mesh",
    "get_mesh",
    "make_single_device_sharding",
    "reshard",
    "set_mesh",
    "use_abstract_mesh",
    "use_mesh",
]

P = PartitionSpec
make_single_device_sharding = SingleDeviceSharding
use_mesh = set_mesh  # as JAX called it when it was for `with` alone

boundaries(__name__)

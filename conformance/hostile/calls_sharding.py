"""Valid calls of functions that shard arrays, in addition to `calls.py`: meshes here have one device."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

import treadle
from treadle import sharding
from treadle.experimental import layout, mesh_utils

NAMESPACES: Final[dict[str, Any]] = {
    name: SimpleNamespace(**{each: getattr(module, each) for each in module.__all__})
    for name, module in {
        "sharding": sharding,
        "experimental.mesh_utils": mesh_utils,
        "experimental.layout": layout,
    }.items()
}

_MESH: Final = treadle.make_mesh((1,), ("x",))
_SHARDING: Final = sharding.NamedSharding(_MESH, sharding.PartitionSpec("x"))

NAMES: Final[dict[str, Any]] = {
    "mesh": _MESH,
    "lies": _SHARDING,
    "parts": [treadle.device_put(treadle.numpy.ones(3), treadle.devices()[0])],
    "given": lambda part: treadle.numpy.ones(3)[part],
    "abstract": sharding.AbstractMesh((1,), ("x",)),
    "spec": sharding.PartitionSpec("x"),
    "here": treadle.devices()[0],
    "in_order": layout.Layout((0,)),
}

TABLE: Final = """
lax: with_sharding_constraint (v, lies)
treadle: reshard (v, lies)
treadle: P ("x", None)
treadle: make_mesh ((1,), ("x",))
treadle: make_array_from_callback ((3,), lies, given)
treadle: make_array_from_process_local_data (lies, v)
treadle: make_array_from_single_device_arrays ((3,), lies, parts)
treadle: NamedSharding (mesh, spec)
treadle: use_abstract_mesh (abstract)
treadle: get_abstract_mesh get_mesh ()
sharding: AbstractMesh ((1,), ("x",))
sharding: Mesh ([here], ("x",))
sharding: NamedSharding (mesh, spec)
sharding: PartitionSpec ("x", None)
sharding: ManualAxisType ({"x"})
sharding: AbstractDevice ("cpu", None, "cpu")
experimental.layout: Layout ((0,))
experimental.layout: Format (in_order, lies)
experimental.layout: with_layout_constraint (v, in_order)
sharding: SingleDeviceSharding make_single_device_sharding (here)
sharding: auto_axes (sine)
sharding: explicit_axes (sine)
sharding: reshard (v, lies)
sharding: use_abstract_mesh (abstract)
sharding: get_abstract_mesh get_mesh ()
"""

LEFT_OUT: Final[dict[str, str]] = {
    "treadle.set_mesh": "it changes the process when it is called: packages/runtime/tests/placement",
    "sharding.set_mesh": "it changes the process when it is called: packages/runtime/tests/placement",
    "sharding.use_mesh": "the same",
    "experimental.mesh_utils.create_device_mesh": "it returns a NumPy array of devices: test_mesh_grids.py",
    "experimental.mesh_utils.create_hybrid_device_mesh": "it returns a NumPy array of devices: test_mesh_grids.py",
    "treadle.Shard": "a record that arrays make",
    "sharding.Sharding": "an abstract class",
    "sharding.AxisType": "an enumeration",
}

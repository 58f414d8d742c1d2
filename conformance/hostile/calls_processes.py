"""Valid calls of what programs of several processes do together, here with one process; and of snapshots.

`distributed.initialize` would wait for others: `packages/runtime/tests/distributed/test_options.py` has its arguments.
"""

from __future__ import annotations

import tempfile
from types import SimpleNamespace
from typing import Any, Final

import treadle
from treadle.experimental import multihost_utils, snapshots
from treadle.sharding import Mesh, PartitionSpec


def _one_device() -> Mesh:
    return treadle.make_mesh((1,), ("x",))


NAMESPACES: Final[dict[str, Any]] = {
    "multihost_utils": SimpleNamespace(
        **{
            name: getattr(multihost_utils, name)
            for name in multihost_utils.__all__
            if name not in ("P", "ProcessFailureError", "live_devices")
            and not name.endswith(
                ("_impl", "_p", "_abstract_eval", "_batcher")
            )  # no functions for users
        }
    ),
    "snapshots": SimpleNamespace(load=snapshots.load, steps=snapshots.steps),
}
NAMES: Final[dict[str, Any]] = {
    "one_device": _one_device(),
    "nowhere": PartitionSpec(),
    "folder": tempfile.gettempdir() + "/no-such-folder",
}
TABLE: Final = """
treadle: process_indices ("cpu")
treadle: shard_map (cube_of, out_specs=nowhere, in_specs=nowhere, mesh=one_device)
treadle: pmap (cube_of, "i", in_axes=0, out_axes=0, devices=None, backend="cpu", axis_size=1, donate_argnums=0)
treadle: smap (cube_of, in_axes=0, out_axes=0, axis_name="x")
multihost_utils: process_allgather (x, True)
multihost_utils: broadcast_one_to_all (x, True)
multihost_utils: assert_equal (x, "message")
multihost_utils: sync_global_devices ("here")
multihost_utils: reached_preemption_sync_point (3)
multihost_utils: host_local_array_to_global_array (x, one_device, nowhere)
multihost_utils: global_array_to_host_local_array (x, one_device, nowhere)
snapshots: steps (folder)
"""
LEFT_OUT: Final[dict[str, str]] = {
    "snapshots.load": "it needs a snapshot; its own tests have its mistakes"
}

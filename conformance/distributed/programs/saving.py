"""Saves snapshots, is killed while it does, or loads the last one over another mesh and compares every part."""

import os
import signal
import sys

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle.experimental import snapshots
from treadle.sharding import NamedSharding, PartitionSpec as P

what, folder, expected = sys.argv[1], sys.argv[2], int(sys.argv[3])
if "TREADLE_COORDINATOR_ADDRESS" in os.environ:
    treadle.distributed.initialize(initialization_timeout=60, shutdown_timeout_seconds=60)
mesh = treadle.make_mesh((2, len(treadle.devices()) // 2), ("a", "b"))
elements = np.arange(64, dtype=np.float32).reshape(8, 8)


def tree(step, specs):
    def place(array, *spec):
        sharding = NamedSharding(mesh, P(*spec))
        return treadle.make_array_from_callback(array.shape, sharding, lambda part: array[part])

    return {
        "w": place(elements * step, *specs[0]),
        "v": place((elements + step).astype("bfloat16"), *specs[1]),
        "n": tnp.asarray(step),
    }


if what == "load":
    found = snapshots.load(folder, tree(0, [("b", None), (None, ("a", "b"))]))
    assert int(found["n"]) == expected, found["n"]
    for name, values in (
        ("w", elements * expected),
        ("v", (elements + expected).astype("bfloat16")),
    ):
        for shard in found[name].addressable_shards:
            np.testing.assert_array_equal(np.asarray(shard.data), values[shard.index])
    print("equal")
else:
    flush = os.fsync

    def killed(handle):
        if treadle.process_index() == int(sys.argv[4]) and what == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        flush(handle)

    os.fsync = killed
    snapshots.save(folder, expected, tree(expected, [("a", "b"), ("b", None)]))

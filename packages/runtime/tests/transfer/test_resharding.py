"""Arrays resharded over the same devices."""

from __future__ import annotations

import itertools

import numpy as np

from treadle_ir import PartitionSpec as P
from treadle_runtime import Mesh, NamedSharding, device_put, devices

MESH = Mesh(devices(), ("x",))
HOST = np.arange(18, dtype=np.float32).reshape(6, 3)
SHARDINGS = [NamedSharding(MESH, spec) for spec in (P(), P("x"), P(None, "x"))]


def test_from_each_layout_to_each() -> None:
    for one, other in itertools.permutations(SHARDINGS, 2):
        before = device_put(HOST, one)
        after = device_put(before, other)
        assert after.sharding is other
        for shard in after.addressable_shards:
            assert np.array_equal(shard.data, HOST[shard.index])
        assert np.array_equal(before, HOST)

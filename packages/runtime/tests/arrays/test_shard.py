"""The parts of an array, and what an array tells of its place."""

from __future__ import annotations

import numpy as np

from treadle_ir import PartitionSpec as P
from treadle_runtime import Mesh, NamedSharding, device_put, devices

MESH = Mesh(devices(), ("x",))
HOST = np.arange(12, dtype=np.float32).reshape(6, 2)


def test_parts_are_those_of_the_whole() -> None:
    x = device_put(HOST, NamedSharding(MESH, P("x")))
    assert [shard.device for shard in x.addressable_shards] == devices()
    for shard in x.addressable_shards:
        assert np.array_equal(shard.data, HOST[shard.index])
        assert shard.data.devices() == {shard.device}
    assert {shard.replica_id for shard in x.addressable_shards} == {0}


def test_copies_are_numbered() -> None:
    x = device_put(HOST, NamedSharding(MESH, P()))
    assert sorted(shard.replica_id for shard in x.addressable_shards) == [0, 1, 2]

"""What an array tells of its place."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import PartitionSpec as P
from treadle_ir.errors import IndexingError
from treadle_runtime import Mesh, NamedSharding, device_put, devices

MESH = Mesh(devices(), ("x",))
HOST = np.arange(6, dtype=np.float32)


def test_over_several_devices() -> None:
    cut = device_put(HOST, NamedSharding(MESH, P("x")))
    assert cut.devices() == {*devices()}
    assert cut.committed
    assert cut.is_fully_addressable
    assert not cut.is_fully_replicated
    assert [cut.addressable_data(i).tolist() for i in range(3)] == [[0, 1], [2, 3], [4, 5]]
    assert len(cut.global_shards) == 3
    assert device_put(HOST, NamedSharding(MESH, P())).is_fully_replicated
    with pytest.raises(IndexingError):
        cut.addressable_data(3)


def test_on_one_device() -> None:
    x = device_put(HOST, devices()[1])
    assert x.devices() == {devices()[1]}
    assert x.is_fully_replicated
    assert [shard.index for shard in x.addressable_shards] == [(slice(None),)]


def test_the_platform() -> None:
    assert device_put(HOST, devices()[1]).platform() == "cpu"
    assert device_put(HOST, NamedSharding(MESH, P("x"))).platform() == "cpu"

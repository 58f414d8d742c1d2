"""The memories of a device: its own, in which it computes, and the host memories that it can access."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_ir.errors import PlacementError
from treadle_runtime import (
    SingleDeviceSharding,
    Space,
    device_put,
    devices,
    jit,
    local_devices,
)
from treadle_runtime.placement.placement import placement_of

HERE = SingleDeviceSharding(devices("cpu")[0])


def test_the_memories_of_a_device() -> None:
    device = devices(backend="cpu")[0]
    assert device in local_devices(backend="cpu")
    memory = device.default_memory()
    assert memory.process_index == 0
    assert memory.addressable_by_devices() == [device]
    assert (memory.kind, memory.platform, memory.device) == ("device", "cpu", device)
    memories = device.addressable_memories()
    assert memories[0] == memory == device.memory("device")
    assert device.memory("pinned_host") in memories
    with pytest.raises(PlacementError, match="no memory of the kind 'other'") as raised:
        device.memory("other")
    assert "'device', 'pinned_host'" in "".join(raised.value.__notes__)


def test_a_sharding_is_one_for_each_memory() -> None:
    host = HERE.with_memory_kind("pinned_host")
    assert host is SingleDeviceSharding(HERE.device, memory_kind="pinned_host")
    assert host is not HERE
    assert host.with_memory_kind("device") is HERE
    assert HERE is SingleDeviceSharding(HERE.device, memory_kind="device")
    assert repr(host).endswith("memory_kind=pinned_host)")
    for each in (copy.deepcopy(host), pickle.loads(pickle.dumps(host))):
        assert each is host
    assert placement_of(host, committed=True).compute_placement is placement_of(
        HERE, committed=True
    )
    assert placement_of(HERE, committed=True).compute_placement is None


def test_what_names_no_memory() -> None:
    with pytest.raises(PlacementError, match="'other'"):
        HERE.with_memory_kind("other")
    with pytest.raises(ArgumentError, match="memory_kind must be a string"):
        SingleDeviceSharding(HERE.device, memory_kind=1)  # type: ignore[arg-type]  # what is refused


def test_arrays_in_the_memory_of_the_host() -> None:
    x = device_put(np.arange(3, dtype=np.float32), Space.Host)
    assert x.sharding is HERE.with_memory_kind("pinned_host")
    assert np.array_equal(x, [0, 1, 2])
    double = jit(lambda x: x + x)
    for _ in range(2):  # cold and warm
        assert double(x).sharding.memory_kind == "device"
        assert np.array_equal(double(x), [0, 2, 4])
        assert double(device_put(x, Space.Device)).sharding is HERE
    assert double.lower(x).as_text() != double.lower(np.zeros(3, np.float32)).as_text()
    assert "mhlo.memory_kind" in double.lower(x).as_text(debug_info=True)


def test_a_platform_says_what_it_is() -> None:
    client = devices("cpu")[0].client
    assert client.runtime_type.startswith("pjrt")
    assert client.platform_version

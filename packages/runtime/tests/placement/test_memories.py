"""A device has one memory that arrays can be in."""

import pytest

from treadle_ir import PlacementError
from treadle_runtime import devices, local_devices


def test_the_memory_of_a_device() -> None:
    device = devices(backend="cpu")[0]
    assert device in local_devices(backend="cpu")
    memory = device.default_memory()
    assert device.addressable_memories() == [memory] == [device.memory("device")]
    assert (memory.kind, memory.platform, memory.device) == ("device", "cpu", device)
    with pytest.raises(PlacementError, match="no memory of the kind 'pinned_host'"):
        device.memory("pinned_host")


def test_a_platform_says_what_it_is() -> None:
    client = devices("cpu")[0].client
    assert client.runtime_type.startswith("pjrt")
    assert client.platform_version

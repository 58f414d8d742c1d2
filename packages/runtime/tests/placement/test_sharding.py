from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from weakref import WeakValueDictionary

import pytest

from treadle_runtime import SingleDeviceSharding, devices


def test_a_single_device() -> None:
    one, two = SingleDeviceSharding(devices()[0]), SingleDeviceSharding(devices()[1])
    assert one == SingleDeviceSharding(devices()[0])
    assert one != two
    assert len({one, two, SingleDeviceSharding(devices()[0])}) == 2
    assert one.device_set == one.addressable_devices == {devices()[0]}
    assert (one.num_devices, one.is_fully_replicated, one.is_fully_addressable) == (1, True, True)
    assert one.has_addressable_devices
    assert one.shard_shape((2, 3)) == (2, 3)
    assert one.is_equivalent_to(one, 2)
    assert not one.is_equivalent_to(two, 2)
    assert repr(one) == "SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device)"


class Slow(WeakValueDictionary):  # type: ignore[type-arg]
    """Gives other threads time between a look-up and what follows from it."""

    def get(self, key: Any, default: Any = None) -> Any:
        found = super().get(key, default)
        time.sleep(0.05)
        return found


def test_threads_that_ask_at_once_get_one_sharding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SingleDeviceSharding, "_interned", Slow())
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(SingleDeviceSharding, [devices()[0]] * 4))
    assert len(set(map(id, found))) == 1

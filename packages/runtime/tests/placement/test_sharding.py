from __future__ import annotations

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

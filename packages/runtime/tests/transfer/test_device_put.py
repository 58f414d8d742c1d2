from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_ir import ArgumentError
from treadle_ir.errors import DonatedError, PlacementError
from treadle_runtime import (
    DeviceArray,
    SingleDeviceSharding,
    block_until_ready,
    default_device,
    device_get,
    device_put,
    devices,
    from_host,
    jit,
)

ops: Any = treadle_ir.ops  # Any: tests ask more of results than an operand has


def array(*values: float) -> DeviceArray:
    return from_host(np.array(values, "f4"))


def compiled(x: DeviceArray) -> DeviceArray:
    y: DeviceArray = jit(lambda x: ops.multiply(x, x))(x)
    return y


def where(x: Any) -> tuple[int, bool]:
    return x.device.id, x.committed


def test_plc18_with_a_device_it_commits() -> None:
    a = device_put(1, devices()[2])
    assert where(a) == (2, True)
    assert str(a.devices()) == "{CpuDevice(id=2)}"
    assert where(device_put(1, SingleDeviceSharding(devices()[1]))) == (1, True)


def test_plc24_without_a_device_arrays_stay_where_they_are() -> None:
    committed, free = device_put(array(1), devices()[1]), array(1)
    with default_device(devices()[2]):
        assert where(device_put(committed)) == (1, True)
        assert where(device_put(free)) == (0, False)


def test_plc25_host_values_go_to_the_default_device_uncommitted() -> None:
    for value in (3, 2.5, np.ones(2), np.float32(1)):
        assert where(device_put(value)) == (0, False)
    assert [int(x) for x in device_put([1, 2])] == [1, 2]


def test_plc27_moving_leaves_the_source(request: pytest.FixtureRequest) -> None:
    for source in (array(1, 2), compiled(array(1, 2))):
        one = device_put(source, devices()[1])
        two = device_put(one, devices()[2])
        back = jit(lambda x: ops.add(x, x))(two)
        assert [where(x)[0] for x in (source, one, two, back)] == [0, 1, 2, 2]
        assert one.tolist() == two.tolist() == source.tolist()


def test_a_copy_on_the_same_device_outlives_a_deleted_source() -> None:
    for source in (array(1, 2), compiled(array(1, 2)).block_until_ready()):
        wanted = source.tolist()
        copy = device_put(source, devices()[0])
        source.delete()
        assert copy.tolist() == wanted


def test_ben07_numpy_is_narrowed_and_copied() -> None:
    mine = np.arange(5000.0)
    put = device_put(mine)
    mine[:] = -1
    assert put.dtype == np.float32
    assert put.tolist() == [*range(5000)]


def test_a_tree_of_devices() -> None:
    tree = {"a": array(1), "b": [array(2), array(3)]}
    put = device_put(tree, {"a": devices()[1], "b": devices()[2]})
    assert [where(x)[0] for x in (put["a"], *put["b"])] == [1, 2, 2]
    assert device_put([array(1), array(2)], [None, devices()[1]])[0].device is devices()[0]


def test_donating() -> None:
    x = array(1)
    y = device_put(x, devices()[1], donate=True)
    assert x.is_deleted()
    assert y.tolist() == [1]


def test_device_get_gives_numpy_arrays() -> None:
    got = device_get({"a": array(1, 2), "b": 3, "c": np.ones(1)})
    assert type(got["a"]) is np.ndarray
    assert got["a"].tolist() == [1, 2]
    assert got["b"] == 3


def test_wrong_targets_and_leaves() -> None:
    with pytest.raises(PlacementError, match="is not a device"):
        device_put(1, 3.5)
    with pytest.raises(ArgumentError, match="is not a valid treadle type"):
        device_put("text")


def test_block_until_ready_returns_the_tree() -> None:
    tree = {"a": compiled(array(1)), "b": 3}
    assert block_until_ready(tree) is tree


def test_block_until_ready_waits_for_all_of_many() -> None:
    def slow(x: Any) -> Any:
        for _ in range(20):
            x = ops.tanh(x)
        return x

    tree = [jit(slow)(np.full(1_000_000, i, np.float32)) for i in range(3)]
    block_until_ready([tree, array(1), 2])
    assert all([x.is_ready() for x in tree])


def test_block_until_ready_refuses_a_tree_with_a_deleted_array() -> None:
    kept, gone = compiled(array(1)), compiled(array(2))
    gone.delete()
    with pytest.raises(DonatedError, match="deleted"):
        block_until_ready({"a": kept, "b": gone})


def test_device_get_leaves_traced_arrays_as_they_are() -> None:
    seen: list[object] = []

    def f(x: Any) -> Any:
        got = device_get({"x": x})["x"]
        seen.append(got is x)
        return got

    assert float(jit(f)(np.float32(2))) == 2.0
    assert seen == [True]

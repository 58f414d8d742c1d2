from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_ir.errors import PlacementError
from treadle_runtime import (
    DeviceArray,
    default_device,
    device_put,
    devices,
    from_host,
    jit,
)
from treadle_runtime.placement.placement import DEFAULT_DEVICE

ops: Any = treadle_ir.ops  # Any: tests ask more of results than an operand has


def _noted(notes: list[Any], note: Any, value: Any) -> Any:
    notes.append(note)
    return value


def array(*values: float) -> DeviceArray:
    return from_host(np.array(values, "f4"))


def where(x: Any) -> tuple[int, bool]:
    (device,) = x.devices()
    return device.id, x.committed


ADDS: list[Callable[..., Any]] = [ops.add, jit(lambda x, y: ops.add(x, y))]


def test_plc01_plc07_fresh_arrays_are_uncommitted_on_the_first_device() -> None:
    assert array(1).devices() == {devices()[0]}
    assert where(array(1)) == (0, False)
    assert where(jit(lambda x: x)(array(1))) == (0, False)
    assert where(device_put(np.ones(2))) == (0, False)


@pytest.mark.parametrize("add", ADDS)
def test_plc19_work_on_uncommitted_data_runs_on_the_default_device(add: Callable[..., Any]) -> None:
    assert where(add(array(1), array(2))) == (0, False)


@pytest.mark.parametrize("add", ADDS)
def test_plc20_a_committed_operand_decides(add: Callable[..., Any]) -> None:
    a = device_put(array(1), devices()[2])
    assert where(add(a, array(1))) == (2, True)
    assert where(add(array(1), a)) == (2, True)
    assert where(add(a, np.ones(1, "f4"))) == (2, True)
    assert add(a, array(1)).tolist() == [2]


@pytest.mark.parametrize("add", ADDS)
def test_plc21_plc22_two_committed_devices_are_refused(add: Callable[..., Any]) -> None:
    a, b = device_put(array(1), devices()[1]), device_put(array(1), devices()[2])
    with pytest.raises(
        ValueError, match="Received incompatible devices for jitted computation"
    ) as caught:
        add(a, b)
    assert type(caught.value) is PlacementError
    text = str(caught.value)
    names = (
        ("argument 0 of", "argument 1 of") if add is ops.add else ("argument x of", "argument y of")
    )
    for part in (
        *names,
        "device ids [1]",
        "device ids [2]",
        "CpuDevice(id=2)",
    ):
        assert part in text


def test_plc23_one_function_follows_the_data() -> None:
    f = jit(lambda x: ops.add(x, x))
    assert where(f(device_put(array(1), devices()[1]))) == (1, True)
    assert where(f(array(1))) == (0, False)
    assert where(f(device_put(array(1), devices()[1]))) == (1, True)


def test_a_function_on_two_devices_traces_once() -> None:
    traces: list[int] = []
    f = jit(lambda x: _noted(traces, 1, ops.add(x, x)))
    f(array(1))
    f(device_put(array(1), devices()[1]))
    assert len(traces) == 1


@pytest.mark.parametrize("add", ADDS)
def test_plc08_default_device_redirects_for_a_while(add: Callable[..., Any]) -> None:
    outside = array(1)
    with default_device(devices()[1]):
        assert where(array(1)) == (1, False)
        assert where(add(outside, outside)) == (1, False)
        assert where(device_put(3)) == (1, False)
        inside = add(array(1), array(2))
        assert where(inside) == (1, False)
    assert where(array(1)) == (0, False)
    assert where(add(inside, outside)) == (0, False)
    assert where(inside) == (1, False)


def test_plc09_default_device_nests_and_is_restored() -> None:
    with default_device(devices()[1]):
        with default_device(devices()[2]):
            assert where(array(1)) == (2, False)
        with pytest.raises(ZeroDivisionError), default_device(devices()[2]):
            1 / 0  # noqa: B018
        assert where(array(1)) == (1, False)
        with default_device(devices()[0]):
            assert where(array(1)) == (0, False)
        with default_device(None):
            assert where(array(1)) == (1, False)
    assert where(array(1)) == (0, False)


def test_the_process_setting_and_the_context() -> None:
    DEFAULT_DEVICE.set(devices()[2])
    try:
        assert where(array(1)) == (2, False)
        assert where(ops.add(array(1), array(1))) == (2, False)
        with default_device(devices()[0]):
            assert where(array(1)) == (0, False)
            assert where(ops.add(array(1), array(1))) == (0, False)
    finally:
        DEFAULT_DEVICE.set(None)
    assert where(array(1)) == (0, False)


def test_captured_committed_arrays_decide_too() -> None:
    a = device_put(array(1), devices()[1])
    f = jit(lambda x: ops.add(x, a))
    assert where(f(array(1))) == (1, True)
    with pytest.raises(PlacementError, match="captured array 0"):
        f(device_put(array(1), devices()[2]))


def test_plc28_the_device_argument_of_jit_is_deprecated() -> None:
    with pytest.warns(DeprecationWarning, match="device_put"):
        f = jit(lambda x: ops.add(x, x), device=devices()[1])
    assert f(1.0).devices() == {devices()[1]}


def test_plc29_sticky_throughout() -> None:
    a = device_put(array(1, 2), devices()[1])
    b = ops.add(a, array(1, 1))
    c, d = jit(lambda x: (ops.sine(x), ops.add(x, x)))(b)
    assert [where(x) for x in (a, b, c, d)] == [(1, True)] * 4
    moved = device_put(d, devices()[2])
    assert where(moved) == (2, True)
    with pytest.raises(PlacementError):
        ops.add(moved, c)

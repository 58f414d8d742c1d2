from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

from treadle_ir.errors import PlacementError
from treadle_runtime import (
    default_backend,
    default_device,
    device_count,
    devices,
    local_device_count,
    local_devices,
)


def test_devices_are_singletons() -> None:
    assert devices()[1] is devices("cpu")[1]
    assert devices() == local_devices()
    assert device_count() == local_device_count() == len(devices()) == 3
    assert default_backend() == "cpu"
    assert pickle.loads(pickle.dumps(devices()[1])) is devices()[1]


def test_plc04_they_print_as_users_know_them() -> None:
    device = devices()[0]
    assert repr(device) == "CpuDevice(id=0)"
    assert str({device}) == "{CpuDevice(id=0)}"
    assert str(device) == "cpu:0"
    assert (device.platform, device.id, device.process_index) == ("cpu", 0, 0)
    assert device.device_kind
    assert device.memory_stats() is None


def test_plc13_platforms_that_cannot_start() -> None:
    for name in ("tpu", "nosuch"):
        with pytest.raises(RuntimeError, match=name):
            devices(name)


def test_default_device_wants_a_device() -> None:
    with pytest.raises(PlacementError, match="is not a device"):
        default_device(3)  # type: ignore[arg-type]


def test_processes_with_one_device() -> None:
    code = "from treadle_runtime import devices; print(devices())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env={**__import__("os").environ, "TREADLE_NUM_CPU_DEVICES": "1", "JAX_PLATFORMS": "cpu"},
    )
    assert done.stdout == "[CpuDevice(id=0)]\n"


def test_how_many_there_are() -> None:
    client = devices()[0].client
    assert client.device_count() == client.local_device_count() == len(devices())
    assert client.process_index() == client.host_id() == devices()[0].host_id == 0

"""Devices as grids for meshes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_runtime import Mesh, create_device_mesh, create_hybrid_device_mesh, devices


def test_devices_in_their_order() -> None:
    assert create_device_mesh((3,)).tolist() == devices()
    assert create_device_mesh((1, 2), devices()[:2]).tolist() == [devices()[:2]]
    assert create_device_mesh((2,), np.array(devices()[:2])).tolist() == devices()[:2]
    assert Mesh(create_device_mesh((3, 1)), ("x", "y")).shape == {"x": 3, "y": 1}


NO_DEVICES: Any = [0]
NO_SHAPE: Any = "x"


def test_a_single_process_is_the_outer_grid() -> None:
    found = create_hybrid_device_mesh((3, 1), (1, 1), process_is_granule=True)
    assert found.tolist() == [[device] for device in devices()]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: create_device_mesh((4,)), "there are 3 devices, but a mesh of shape"),
        (lambda: create_device_mesh((-3,)), "there are 3 devices"),
        (lambda: create_device_mesh((1,), NO_DEVICES), "is not a device"),
        (lambda: create_device_mesh(NO_SHAPE), "mesh_shape"),
        (lambda: create_hybrid_device_mesh((3,), (1, 1)), "has 1 axes, but dcn_mesh_shape"),
        (lambda: create_hybrid_device_mesh((3,), (1,)), "process_is_granule=True"),
        (
            lambda: create_hybrid_device_mesh((3,), (2,), process_is_granule=True),
            "has room for 2 processes",
        ),
    ],
)
def test_what_does_not_fit(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        call()

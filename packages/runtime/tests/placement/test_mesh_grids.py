"""Devices as grids for meshes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_runtime import (
    Mesh,
    create_device_mesh,
    create_hybrid_device_mesh,
    device_kind_handler_dict,
    devices,
    make_mesh,
)


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


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Sets the handler of the kind of devices that are here."""
    return lambda f: monkeypatch.setitem(device_kind_handler_dict, devices()[0].device_kind, f)


def test_a_library_arranges_devices_of_a_kind(handler: Callable[[Any], None]) -> None:
    asked: list[Any] = []

    def backwards(shape: Any, given: Any, **options: Any) -> Any:
        asked.append((shape, given, options))
        return np.array(given[::-1]).reshape(shape)

    handler(backwards)
    ours = devices()
    assert create_device_mesh((3, 1)).tolist() == [[device] for device in ours[::-1]]
    assert asked == [((3, 1), ours, {"contiguous_submeshes": False})]
    assert make_mesh((2,), ("x",)).devices.tolist() == ours[1::-1]
    assert create_device_mesh((1,), ours[:1], contiguous_submeshes=True).tolist() == ours[:1]
    assert asked[-1][2] == {"contiguous_submeshes": True}


def test_a_handler_may_leave_it(handler: Callable[[Any], None]) -> None:
    handler(lambda shape, given, **_: None)
    assert create_device_mesh((3,)).tolist() == devices()


@pytest.mark.parametrize(
    "wrong",
    [
        3,
        lambda shape, given, **_: given[:1],
        lambda shape, given, **_: given[:1] * 3,
        lambda shape, given, **_: np.array(given).reshape(3, 1),
        lambda shape, given, **_: "xyz",
    ],
)
def test_what_a_handler_must_return(handler: Callable[[Any], None], wrong: Any) -> None:
    handler(wrong)
    with pytest.raises(ArgumentError, match=r"device_kind_handler_dict|the handler of"):
        create_device_mesh((3,))

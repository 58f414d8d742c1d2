"""Arrays over several devices, made of their parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import PartitionSpec as P, ShapeError
from treadle_ir.errors import ShardingError
from treadle_runtime import (
    Mesh,
    NamedSharding,
    device_put,
    devices,
    make_array_from_callback,
    make_array_from_process_local_data,
    make_array_from_single_device_arrays,
)

MESH = Mesh(devices(), ("x",))
ROWS = NamedSharding(MESH, P("x"))
HOST = np.arange(12, dtype=np.float32).reshape(6, 2)
PARTS = [device_put(HOST[2 * i : 2 * i + 2], device) for i, device in enumerate(devices())]


def test_of_arrays_in_any_order() -> None:
    for parts in (PARTS, PARTS[::-1]):
        whole = make_array_from_single_device_arrays((6, 2), ROWS, parts)
        assert whole.sharding is ROWS
        assert np.array_equal(whole, HOST)


def test_arrays_that_do_not_fit() -> None:
    for shape, parts in (((6, 2), PARTS[:2]), ((6, 2), PARTS[:1] * 3), ((9, 2), PARTS)):
        with pytest.raises(ShardingError):
            make_array_from_single_device_arrays(shape, ROWS, parts)


def test_a_function_is_asked_once_for_equal_parts() -> None:
    asked: list[Any] = []

    def part(index: Any) -> Any:
        asked.append(index)
        return HOST[index]

    assert np.array_equal(make_array_from_callback(HOST.shape, ROWS, part), HOST)
    assert len(asked) == 3
    everywhere = NamedSharding(MESH, P())
    assert np.array_equal(make_array_from_callback(HOST.shape, everywhere, part), HOST)
    assert len(asked) == 4
    with pytest.raises(ShapeError):
        make_array_from_callback(HOST.shape, ROWS, lambda index: HOST)


def test_of_what_this_process_has() -> None:
    whole = make_array_from_process_local_data(ROWS, HOST)
    assert whole.sharding is ROWS
    assert np.array_equal(whole, HOST)
    with pytest.raises(ShardingError):
        make_array_from_process_local_data(ROWS, HOST, (12, 2))

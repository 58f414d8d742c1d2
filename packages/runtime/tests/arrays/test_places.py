"""Buffers of arrays elsewhere than the arrays are."""

from __future__ import annotations

from typing import Any

import numpy as np

import treadle_ir
from treadle_runtime import device_put, devices, from_host, jit
from treadle_runtime.arrays.array import buffer_at
from treadle_runtime.placement.placement import uncommitted

ops: Any = treadle_ir.ops  # Any: tests ask more of results than an operand has


def test_buffers_are_brought_to_a_device_and_the_array_stays() -> None:
    x = from_host(np.ones(2, "f4"))
    compiled = jit(lambda x: ops.add(x, x))(x)
    for array in (x, compiled, device_put(x, devices()[2])):
        home = array.device
        buffer = buffer_at(array, uncommitted(devices()[1]))
        assert devices()[1].backend.read(buffer).tolist() == array.tolist()
        assert array.device is home

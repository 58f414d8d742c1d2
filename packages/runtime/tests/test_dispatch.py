from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_ir import ArrayType
from treadle_runtime import device_put, devices, effects_barrier, from_host, io_callback, jit
from treadle_runtime.client import ExecutionError
from treadle_runtime.dispatch import buffer_on, key_at, key_type, translated

ops: Any = treadle_ir.ops  # Any: tests ask more of results than an operand has
F32 = ArrayType((2,), np.dtype("f4"))


def test_keys_of_the_base_device_are_types() -> None:
    base, other = devices()[0], devices()[1]
    assert key_at(F32, None) is F32
    assert key_at(F32, base.uncommitted) is F32
    for placement in (base.committed, other.uncommitted, other.committed):
        assert key_at(F32, placement) == (F32, placement)
        assert key_type(key_at(F32, placement)) is F32


def test_buffers_are_brought_to_a_device_and_the_array_stays() -> None:
    x = from_host(np.ones(2, "f4"))
    compiled = jit(lambda x: ops.add(x, x))(x)
    for array in (x, compiled, device_put(x, devices()[2])):
        home = array.device
        buffer = buffer_on(array, devices()[1])
        assert devices()[1].backend.read(buffer).tolist() == array.tolist()
        assert array.device is home


def test_effects_barrier_returns_when_callbacks_have_run() -> None:
    log: list[int] = []
    jit(lambda x: io_callback(lambda v: log.append(1), None, x))(1.0)
    effects_barrier()
    assert log == [1]
    effects_barrier()


def test_only_exceptions_of_jaxlib_are_translated() -> None:
    error = ValueError("mine")
    assert translated(error) is error
    from jaxlib._jax import JaxRuntimeError  # noqa: PLC0415 - what the test is about

    assert isinstance(translated(JaxRuntimeError("INTERNAL: no")), ExecutionError)


def test_a_callback_that_calls_compiled_code() -> None:
    inner = jit(lambda x: ops.add(x, x))
    f = jit(lambda x: io_callback(lambda v: np.asarray(inner(v)), x, x))
    assert float(f(2.0)) == pytest.approx(4.0)

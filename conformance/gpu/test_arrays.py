"""Arrays on a GPU: where they are, what is read of them, and how other libraries share their memory."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

pytestmark = pytest.mark.gpu

X = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
TYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint32", "float16", "bfloat16"),
    *("float32", "float64", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2"),
    *("int4", "uint4"),
)


def gpu() -> Any:
    return treadle.devices()[0]


def test_a_gpu_is_the_default() -> None:
    assert treadle.default_backend() == "gpu"
    assert gpu().platform == "gpu"
    assert treadle.devices("cpu")[0].platform == "cpu"
    assert gpu().memory_stats()["bytes_limit"] > 0


@pytest.mark.parametrize("name", TYPES)
def test_every_element_type_goes_there_and_back(name: str) -> None:
    with treadle.enable_x64(True):
        x = treadle.device_put(tnp.arange(5).astype(name))
        found = np.asarray(treadle.jit(lambda v: v[::-1])(x))
    assert x.devices() == {gpu()}
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, np.arange(5).astype(x.dtype)[::-1])


def test_arrays_are_read_printed_indexed_and_pickled() -> None:
    x = tnp.asarray(X)
    assert x.devices() == {gpu()}
    assert float(x[0, 0]) == X[0, 0]
    assert str(x[0]) == str(X[0])
    np.testing.assert_array_equal(x[1:3, ::2], X[1:3, ::2])
    np.testing.assert_array_equal(x.at[0].set(5.0)[0], np.full(4, 5.0))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(x)), X)


def test_arrays_move_between_devices() -> None:
    cpu = treadle.devices("cpu")[0]
    there = treadle.device_put(X, cpu)
    here = treadle.device_put(there, gpu())
    assert (there.devices(), here.devices()) == ({cpu}, {gpu()})
    np.testing.assert_array_equal(here, X)
    with pytest.raises(treadle.errors.PlacementError, match="incompatible devices"):
        there + here
    with treadle.default_device(cpu):
        assert (tnp.ones(3) + 1).devices() == {cpu}


def test_the_host_s_pinned_memory() -> None:
    pinned = treadle.sharding.SingleDeviceSharding(gpu(), memory_kind="pinned_host")
    x = treadle.device_put(X, pinned)
    assert x.sharding.memory_kind == "pinned_host"
    on_device = treadle.memory.Space.Device
    np.testing.assert_array_equal(
        treadle.jit(lambda v: treadle.device_put(v, on_device) + 1)(x), X + 1
    )
    y = treadle.jit(lambda v: v * 2, out_shardings=pinned)(X)
    assert y.sharding.memory_kind == "pinned_host"
    np.testing.assert_array_equal(y, X * 2)


def test_a_donated_buffer_is_used_again() -> None:
    x = treadle.device_put(tnp.ones((1000, 1000)))
    address = x.unsafe_buffer_pointer()
    y = treadle.jit(lambda v: v + 1, donate_argnums=0)(x)
    assert x.is_deleted()
    assert y.unsafe_buffer_pointer() == address


def test_more_memory_than_there_is() -> None:
    script = """
import treadle, treadle.numpy as tnp
products = treadle.jit(lambda v: v[:, None] * v[None, :])
try:
    products(tnp.ones(1 << 21)).block_until_ready()
except treadle.errors.OutOfMemoryError as error:
    print(error)
"""
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True
    )
    assert ran.stdout.startswith("out of memory")


def test_tensors_of_torch_are_shared() -> None:
    torch = pytest.importorskip("torch")
    tensor = torch.arange(12, device="cuda", dtype=torch.float32).reshape(3, 4)
    x = tnp.from_dlpack(tensor)
    assert x.devices() == {gpu()}
    assert x.unsafe_buffer_pointer() == tensor.data_ptr()
    np.testing.assert_array_equal(x, np.arange(12.0).reshape(3, 4))
    assert tnp.from_dlpack(tensor, copy=True).unsafe_buffer_pointer() != tensor.data_ptr()
    assert tnp.asarray(tensor).unsafe_buffer_pointer() != tensor.data_ptr()
    np.testing.assert_array_equal(tnp.asarray(tensor, tnp.int32), np.arange(12).reshape(3, 4))
    assert tnp.from_dlpack(tensor.long()).dtype == np.int32
    with pytest.raises(treadle.errors.ArgumentError, match="row-major"):
        tnp.from_dlpack(tensor.T)


def test_torch_and_cupy_read_arrays_where_they_are() -> None:
    torch = pytest.importorskip("torch")
    x = tnp.asarray(X) + 1
    assert x.__dlpack_device__() == (2, 0)
    tensor = torch.from_dlpack(x)
    assert tensor.is_cuda
    assert tensor.data_ptr() == x.unsafe_buffer_pointer()
    np.testing.assert_array_equal(tensor.cpu().numpy(), X + 1)
    assert torch.from_dlpack(x.astype(tnp.bfloat16)).dtype == torch.bfloat16
    cupy = pytest.importorskip("cupy")
    np.testing.assert_array_equal(cupy.asarray(x).get(), X + 1)
    np.testing.assert_array_equal(cupy.from_dlpack(x).get(), X + 1)
    np.testing.assert_array_equal(tnp.from_dlpack(cupy.arange(5.0, dtype="f4")), np.arange(5.0))
    np.testing.assert_array_equal(
        np.from_dlpack(treadle.device_put(x, treadle.devices("cpu")[0])), X + 1
    )

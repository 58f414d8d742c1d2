"""Compile StableHLO text and run it, with jaxlib alone: what test_lowering needs of a runtime.

Deliberately not treadle_runtime: a fault there must not hide one in a lowering rule, nor the other way round. It only
starts the client where TREADLE_PLATFORMS begins with another platform than the CPU.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

import numpy as np
import pytest

from treadle_compiler import device_dtype, device_shape
from treadle_compiler.mlir import parse
from treadle_ir import ArrayType, MissingRuleError, Type
from treadle_ir.dtypes import is_key

Array = np.ndarray[Any, np.dtype[Any]]
PLATFORM: Final = os.environ.get("TREADLE_PLATFORMS", "").partition(",")[0].strip() or "cpu"
"""The platform on which texts are run, as `lower_program` names it."""


class _Shape:
    """What jaxlib asks of an array's description."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape = shape
        self.dtype = dtype
        self.weak_type = False


@contextmanager
def what_the_platform_has() -> Iterator[None]:
    """Skip the test where an accelerator lacks an operation; on the CPU all are there."""
    try:
        yield
    except MissingRuleError as error:
        if PLATFORM == "cpu":
            raise
        pytest.skip(str(error).partition("\n")[0])


def _backend() -> Any:
    return importlib.import_module("treadle_runtime").backends.get(PLATFORM)


def _read(result: Any) -> Array:
    return np.array(result) if PLATFORM == "cpu" else np.array(_backend().read(result))


@cache
def _client() -> Any:  # jaxlib has no types
    if PLATFORM != "cpu":
        return _backend().raw
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    xla_client: Any = importlib.import_module("jaxlib.xla_client")

    return xla_client.make_cpu_client(asynchronous=False, num_devices=1)


def run_text(
    text: str,
    operands: Sequence[object],
    result_types: Sequence[Type],
    callbacks: Sequence[Callable[..., Any]] = (),
) -> list[Array]:
    """The results of a module's main function."""
    xla_client: Any = importlib.import_module("jaxlib.xla_client")
    core: Any = importlib.import_module("jaxlib._jax")

    client = _client()
    device = client.local_devices()[0]
    devices = xla_client.DeviceList((device,))
    given = xla_client.GSPMDSharding(devices, xla_client.HloSharding.replicate())
    out = xla_client.SingleDeviceSharding(device)
    options = xla_client.CompileOptions()
    options.num_replicas = options.num_partitions = 1
    options.device_assignment = xla_client.DeviceAssignment.create(np.zeros((1, 1), np.int32))
    if callbacks:  # jaxlib takes none beside text
        functions = [lambda *xs, f=each: tuple(f(*xs) or ()) for each in callbacks]
        executable = client.compile_and_load(parse(text), devices, options, functions)
    else:
        executable = client.compile_and_load(text, devices, options)
    buffers = []
    for operand in operands:
        array = np.asarray(operand)
        held = device_dtype(array.dtype)
        if is_key(array.dtype):
            held_shape = device_shape(ArrayType(array.shape, array.dtype))
            array = np.ascontiguousarray(array).view(held).reshape(held_shape)
        elif held != array.dtype:  # float0 has no data
            array = np.zeros(array.shape, held)
        shape = _Shape(array.shape, array.dtype)
        buffers.append(
            xla_client.batched_device_put(shape, given, [array], [device], True, enable_x64=True)
        )
    unchecked = "_skip_checks" in (core.array_result_handler.__doc__ or "")
    handlers = []
    for type in result_types:
        assert isinstance(type, ArrayType)
        shape = _Shape(device_shape(type), device_dtype(type.dtype))
        more = {"_skip_checks": True} if unchecked else {}
        handlers.append(core.array_result_handler(shape, out, False, **more))
    results = executable.execute_sharded(buffers).consume_with_handlers(handlers)
    return [
        _read(result).view(type.dtype).reshape(type.shape) if is_key(type.dtype) else _read(result)
        for result, type in zip(results, result_types, strict=True)
        if isinstance(type, ArrayType)
    ]

"""Compile StableHLO text and run it, with jaxlib alone: what test_lowering needs of a runtime.

Deliberately not treadle_runtime: a fault there must not hide one in a lowering rule, nor the other way round. It only
starts the client where the first platform in TREADLE_PLATFORMS is not the CPU.
"""

from __future__ import annotations

import importlib
import os
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, final

import numpy as np

from conformance.platform import PLATFORM
from treadle_compiler import device_dtype, device_shape
from treadle_compiler.mlir import parse
from treadle_ir import ArrayType, Operand, Type, ops, type_of
from treadle_ir.core.dtypes import BY_NAME, DType, is_key

Array = np.ndarray[Any, np.dtype[Any]]
executed: Final[Counter[str]] = Counter()
"""Programs that were executed in this process, by platform."""

CARRIERS: Final = {BY_NAME["i4"]: BY_NAME["i8"], BY_NAME["u4"]: BY_NAME["u8"]}
UNREADABLE: Final = frozenset(BY_NAME[name] for name in ("bf16", "f8e4m3fn", "f8e5m2"))


class _Shape:
    """What jaxlib asks of an array's description."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape = shape
        self.dtype = dtype
        self.weak_type = False


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


def carried(x: Array) -> Array:
    """An array as jaxlib takes it: elements that NumPy lacks go as bits, or as wider integers."""
    if x.dtype in CARRIERS:
        return x.astype(CARRIERS[x.dtype])
    return x.view(f"u{x.dtype.itemsize}") if x.dtype in UNREADABLE else x


def received(x: Operand, dtype: DType) -> Operand:
    """Within a program, what `carried` has brought as the elements that it stands for."""
    if dtype in CARRIERS:
        return ops.convert(x, dtype=dtype)
    return ops.bitcast_convert(x, dtype=dtype) if dtype in UNREADABLE else x


def handed_out(result: Operand) -> Operand:
    """Within a program, a result in elements that jaxlib hands out."""
    dtype = type_of(result).dtype
    if dtype in CARRIERS:
        return ops.convert(result, dtype=CARRIERS[dtype])
    if dtype in UNREADABLE:
        return ops.bitcast_convert(result, dtype=np.dtype(f"u{dtype.itemsize}"))
    return result


@final
class Compiled:
    """A module's main function, compiled for the first device of the platform under test."""

    def __init__(
        self,
        text: str,
        result_types: Sequence[Type],
        callbacks: Sequence[Callable[..., Any]] = (),
    ) -> None:
        xla_client: Any = importlib.import_module("jaxlib.xla_client")
        core: Any = importlib.import_module("jaxlib._jax")
        client = _client()
        self._device = client.local_devices()[0]
        devices = xla_client.DeviceList((self._device,))
        self._given = xla_client.GSPMDSharding(devices, xla_client.HloSharding.replicate())
        out = xla_client.SingleDeviceSharding(self._device)
        options = xla_client.CompileOptions()
        options.num_replicas = options.num_partitions = 1
        options.device_assignment = xla_client.DeviceAssignment.create(np.zeros((1, 1), np.int32))
        if callbacks:  # jaxlib accepts no callbacks for a program given as text
            functions = [lambda *xs, f=each: tuple(f(*xs) or ()) for each in callbacks]
            self._executable = client.compile_and_load(parse(text), devices, options, functions)
        else:
            self._executable = client.compile_and_load(text, devices, options)
        unchecked = "_skip_checks" in (core.array_result_handler.__doc__ or "")
        more = {"_skip_checks": True} if unchecked else {}
        self._types = [type for type in result_types if isinstance(type, ArrayType)]
        assert len(self._types) == len(result_types)
        self._handlers = [
            core.array_result_handler(
                _Shape(device_shape(type), device_dtype(type.dtype)), out, False, **more
            )
            for type in self._types
        ]

    def __call__(self, operands: Sequence[object]) -> list[Array]:
        """The results for these operands, on the host."""
        xla_client: Any = importlib.import_module("jaxlib.xla_client")
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
                xla_client.batched_device_put(
                    shape, self._given, [array], [self._device], True, enable_x64=True
                )
            )
        executed[PLATFORM] += 1
        results = self._executable.execute_sharded(buffers).consume_with_handlers(self._handlers)
        return [
            _read(result).view(type.dtype).reshape(type.shape)
            if is_key(type.dtype)
            else _read(result)
            for result, type in zip(results, self._types, strict=True)
        ]


def run_text(
    text: str,
    operands: Sequence[object],
    result_types: Sequence[Type],
    callbacks: Sequence[Callable[..., Any]] = (),
) -> list[Array]:
    """The results of a module's main function."""
    return Compiled(text, result_types, callbacks)(operands)

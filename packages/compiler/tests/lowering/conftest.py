"""Programs run on XLA:CPU with jaxlib alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import pytest

from treadle_compiler import CompileOptions, compile_text, jaxlib, lower_program
from treadle_ir import stage, type_of

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Run: TypeAlias = Callable[..., list[Array]]


class Aval:
    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape, self.dtype, self.weak_type = shape, np.dtype(dtype), False


@cache
def client() -> Any:  # jaxlib has no types
    return jaxlib().xla_client.make_cpu_client(asynchronous=False, num_devices=1)


def executable_of(function: Callable[..., Sequence[Any]], *operands: Any) -> tuple[Any, Any]:
    staged = stage(function, *[type_of(x) for x in operands])
    text = lower_program(staged.program).text
    device = client().local_devices()[0]
    executable = compile_text(client(), text, [device], CompileOptions())
    return executable, staged.program.result_types


@pytest.fixture(scope="session")
def compiled() -> Callable[..., Run]:
    """From a function and operands like those to come, to the compiled function."""

    def compile(function: Callable[..., Sequence[Any]], *like: Any) -> Run:
        executable, result_types = executable_of(function, *like)
        xc, device = jaxlib().xla_client, client().local_devices()[0]
        place = xc.GSPMDSharding(xc.DeviceList((device,)), xc.HloSharding.replicate())
        make = jaxlib().core.array_result_handler
        quiet = {"_skip_checks": True} if "_skip_checks" in (make.__doc__ or "") else {}
        handlers = [
            make(Aval(t.shape, t.dtype), xc.SingleDeviceSharding(device), False, **quiet)
            for t in result_types
        ]

        def call(*operands: Any) -> list[Array]:
            buffers = [
                xc.batched_device_put(
                    Aval(x.shape, x.dtype),
                    place,
                    [np.ascontiguousarray(x)],
                    [device],
                    True,
                    enable_x64=True,
                )
                for x in operands
            ]
            outputs = executable.execute_sharded(buffers).consume_with_handlers(handlers)
            return [np.asarray(memoryview(y)) for y in outputs]

        return call

    return compile


@pytest.fixture(scope="session")
def compiled_text() -> Callable[..., str]:
    """Return a function that compiles a function for such operands and returns the optimised text."""

    def text(function: Callable[..., Sequence[Any]], *like: Any) -> str:
        executable, _ = executable_of(function, *like)
        return str(executable.raw.hlo_modules()[0].to_string())

    return text


@pytest.fixture(scope="session")
def temporaries() -> Callable[..., int]:
    """Bytes of temporary memory of a function compiled for operands like these."""

    def count(function: Callable[..., Sequence[Any]], *like: Any) -> int:
        executable, _ = executable_of(function, *like)
        return int(executable.raw.get_compiled_memory_stats().temp_size_in_bytes)

    return count

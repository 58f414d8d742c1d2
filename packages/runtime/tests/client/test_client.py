from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from treadle_compiler.options import CompileOptions
from treadle_compiler.xla import compile_text, jaxlib
from treadle_ir import ArrayType
from treadle_ir.errors import ArgumentError, DonatedError, DTypeError
from treadle_runtime.client import (
    Backend,
    Backends,
    ExecutionError,
    OutOfMemoryError,
    PlatformError,
    PlatformWarning,
    aligned_empty,
    cpu_asynchronous,
    cpu_device_count,
    execution_error,
    no_jax_import,
    requested_platforms,
)
from treadle_runtime.client.backend import wait_for
from treadle_runtime.client.guard import make_aval
from treadle_runtime.client.plugins import plugin_library

pytestmark = pytest.mark.xla


class Tripwire:
    """Records every attempt to import jax, and refuses it."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "jax" or name.startswith("jax."):
            self.seen.append(name)
            raise ImportError(f"jax must not be imported: {name}")


@pytest.fixture(autouse=True)
def no_jax() -> Iterator[None]:
    wire = Tripwire()
    sys.meta_path.insert(0, wire)
    yield
    sys.meta_path.remove(wire)
    assert wire.seen == []
    assert not any(name == "jax" or name.startswith("jax.") for name in sys.modules)


@pytest.fixture(scope="module")
def cpu() -> Backend:
    return Backends(environ={"TREADLE_NUM_CPU_DEVICES": "2"}).default()


DTYPES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
    *(
        "bfloat16",
        "float8_e4m3fn",
        "float8_e5m2",
        "float8_e4m3b11fnuz",
        "float8_e4m3",
        "float8_e4m3fnuz",
        "float8_e5m2fnuz",
        "float8_e3m4",
        "float8_e8m0fnu",
    ),
    *("int4", "uint4", "int2", "uint2", "float4_e2m1fn"),
]


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(2, 3), (), (0, 3), (5,)])
def test_put_and_read(cpu: Backend, name: str, shape: tuple[int, ...]) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    array = (
        np.arange(np.prod(shape, dtype=int)).reshape(shape) % 2 + (name == "float8_e8m0fnu")
    ).astype(dtype)
    value = cpu.read(cpu.put(array))
    assert (value.dtype, value.shape) == (dtype, shape)
    assert not value.flags.writeable
    np.testing.assert_array_equal(value.astype("c16"), array.astype("c16"))


def test_uncommon_views_outlive_their_buffer(cpu: Backend) -> None:
    value = cpu.read(cpu.put(np.arange(100_000).astype(ml_dtypes.bfloat16)))
    for _ in range(20):
        cpu.put(np.full(100_000, 7, ml_dtypes.bfloat16))
    np.testing.assert_array_equal(value, np.arange(100_000).astype(ml_dtypes.bfloat16))


@pytest.mark.parametrize("size", [10, 9 << 20])
def test_put_copies(cpu: Backend, size: int) -> None:
    array = aligned_empty((size,), np.dtype("f4"))
    array[:] = 1
    buffer = cpu.put(array)
    array[:] = 2
    assert cpu.read(buffer)[0] == 1
    assert cpu.read(buffer)[-1] == 1


def test_put_of_an_owned_array_copies_nothing(cpu: Backend) -> None:
    array = aligned_empty((1000,), np.dtype("f4"))
    array[:] = 1
    buffer = cpu.put(array, owned=True)
    assert cpu.pointer(buffer) == array.ctypes.data
    assert array.ctypes.data % 64 == 0


def test_put_of_strided_arrays(cpu: Backend) -> None:
    array = np.arange(24, dtype="f4").reshape(4, 6)
    for view in (array.T, array[::2, ::3], array[::-1], np.broadcast_to(array[0], (3, 6))):
        np.testing.assert_array_equal(cpu.read(cpu.put(view)), view)
        np.testing.assert_array_equal(cpu.read(cpu.put(view, owned=True)), view)


def test_put_of_what_has_no_place_there(cpu: Backend) -> None:
    for array in (np.array(["a"]), np.array([None]), np.array(["2020-01-01"], "M8[D]")):
        with pytest.raises(DTypeError, match="cannot be put on a device"):
            cpu.put(array)


def test_devices(cpu: Backend) -> None:
    first, second = cpu.devices
    array = np.arange(3, dtype="f4")
    there = cpu.put(array, second)
    here = cpu.copy_to_device(there, first)
    np.testing.assert_array_equal(cpu.read(here), array)
    cpu.delete(there)
    np.testing.assert_array_equal(cpu.read(here), array)


def test_deleted(cpu: Backend) -> None:
    buffer = cpu.put(np.ones(3, "f4"))
    assert cpu.is_ready(buffer)
    assert cpu.size(buffer) == 12
    assert not cpu.is_deleted(buffer)
    cpu.delete(buffer)
    assert cpu.is_deleted(buffer)
    for use in (cpu.read, cpu.is_ready, cpu.block, cpu.pointer, cpu.size):
        with pytest.raises(DonatedError, match="donated or deleted"):
            use(buffer)
    with pytest.raises(DonatedError):
        wait_for([buffer])
    with pytest.raises(DonatedError):
        cpu.copy_to_device(buffer, cpu.devices[0])


def test_memory_stats_of_the_cpu(cpu: Backend) -> None:
    assert cpu.memory_stats(cpu.devices[0]) is None


def test_execute_with_many_results(cpu: Backend) -> None:
    t = "tensor<4xf32>"
    text = (
        f"func.func public @main(%a: {t}) -> ({t}, tensor<4xf64>, tensor<4xbf16>) {{"
        f"%0 = stablehlo.negate %a : {t} %1 = stablehlo.convert %a : ({t}) -> tensor<4xf64> "
        f"%2 = stablehlo.convert %a : ({t}) -> tensor<4xbf16> "
        f"return %0, %1, %2 : {t}, tensor<4xf64>, tensor<4xbf16> }}"
    )
    device = cpu.devices[1]
    executable = compile_text(cpu.raw, text, [device], CompileOptions(device_ids=(device.id,)))
    sharding = cpu.result_sharding(device)
    handlers = cpu.handlers([((4,), dtype, sharding) for dtype in ("f4", "f8", ml_dtypes.bfloat16)])
    array = np.arange(4, dtype="f4")
    results = executable.execute([cpu.put(array, device)], handlers)
    wait_for(results)
    for result, scale, dtype in zip(
        results, (-1, 1, 1), ("f4", "f8", ml_dtypes.bfloat16), strict=True
    ):
        value = cpu.read(result)
        assert value.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(value.astype("f4"), array * scale)


def test_handlers_can_wrap(cpu: Backend) -> None:
    class Mine:
        __slots__ = ("buffer",)

        def __init__(self, buffer: Any) -> None:
            self.buffer = buffer

    text = "func.func public @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }"
    executable = compile_text(cpu.raw, text, cpu.devices[:1], CompileOptions())
    (handler,) = cpu.handlers([((), "f4", cpu.result_sharding(cpu.devices[0]))])
    (result,) = executable.execute([cpu.put(np.array(3, "f4"))], [handler.wrap(Mine)])
    assert isinstance(result, Mine)
    assert cpu.read(result.buffer) == 3


def test_adopt_between_clients(cpu: Backend) -> None:
    other = Backends(environ={"TREADLE_CPU_ASYNC": "0"}).get("cpu")
    assert (cpu.asynchronous, other.asynchronous) == (True, False)
    buffer = cpu.put(np.arange(100, dtype="f4"))
    moved = other.adopt(buffer, cpu)
    assert other.pointer(moved) == cpu.pointer(buffer)
    np.testing.assert_array_equal(other.read(moved), np.arange(100))


def test_sharded_buffer(cpu: Backend) -> None:
    border = jaxlib().xla_client
    sharding = border.GSPMDSharding(
        border.DeviceList(cpu.devices), border.HloSharding.iota_tile((2,))
    )
    halves = [np.arange(3, dtype="f4"), np.arange(3, 6, dtype="f4")]
    parts = [cpu.put(half, device) for half, device in zip(halves, cpu.devices, strict=True)]
    buffer = cpu.joined(parts, (6,), np.dtype("f4"), sharding)
    cpu.block(buffer)
    for shard, half in zip(cpu.shards(buffer), halves, strict=True):
        np.testing.assert_array_equal(cpu.read(shard), half)

    split = '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}'
    text = f"""module attributes {{mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32}} {{
      sdy.mesh @mesh = <["x"=2]>
      func.func public @main(%a: tensor<6xf32> {split}) -> (tensor<6xf32> {split}) {{
        %0 = stablehlo.reverse %a, dims = [0] : tensor<6xf32>
        return %0 : tensor<6xf32>
      }}
    }}"""
    options = CompileOptions(num_partitions=2, device_ids=(0, 1))
    executable = compile_text(cpu.raw, text, cpu.devices, options)
    (result,) = executable.execute([buffer], [cpu.handler((6,), "f4", sharding)])
    wait_for([result])
    values = [cpu.read(shard).tolist() for shard in cpu.shards(result)]
    assert values == [[5, 4, 3], [2, 1, 0]]


def test_failed_computation(cpu: Backend) -> None:
    class Aval:
        shape, dtype, weak_type = (3,), np.dtype("f4"), False
        sharding = cpu.sharding(cpu.devices[0])

    aval = Aval()
    try:
        poisoned = jaxlib().core._make_error_array(cpu.raw, aval, "it broke")
    except (AttributeError, TypeError, RuntimeError) as error:
        pytest.skip(f"this jaxlib has no such hook: {error}")
    assert cpu.is_ready(poisoned)
    for use in (cpu.read, cpu.block, lambda buffer: wait_for([buffer])):
        with pytest.raises(ExecutionError, match="it broke"):
            use(poisoned)


# ---- which platforms


@pytest.fixture
def other_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    """Environment variables may begin with OTHER_ too, as the facade arranges it for JAX's."""
    monkeypatch.setattr("treadle_ir.settings.context._prefixes", ["TREADLE_", "OTHER_"])


@pytest.mark.usefixtures("other_prefix")
def test_requested_platforms() -> None:
    assert requested_platforms({}) == ((), False)
    assert requested_platforms({"OTHER_PLATFORMS": "cuda, cpu"}) == (("cuda", "cpu"), True)
    both = {"OTHER_PLATFORMS": "cuda", "TREADLE_PLATFORMS": "cpu"}
    assert requested_platforms(both) == (("cpu",), True)
    assert requested_platforms({"OTHER_PLATFORM_NAME": "cpu"}) == (("cpu",), False)
    assert requested_platforms({"OTHER_PLATFORM_NAME": "cuda,cpu"}) == (("cuda",), False)
    assert requested_platforms({"OTHER_PLATFORM_NAME": "cuda", "TREADLE_PLATFORM_NAME": "cpu"}) == (
        ("cpu",),
        False,
    )
    assert requested_platforms({"TREADLE_PLATFORM_NAME": "cuda", "OTHER_PLATFORMS": "cpu"}) == (
        ("cpu",),
        True,
    )


@pytest.mark.parametrize("names", ["cpu", "cuda,cpu", "gpu,cpu", "tpu,cpu", "nosuch,cpu"])
def test_lists_skip_what_cannot_start(names: str) -> None:
    if plugin_library("cuda", {}) is not None or plugin_library("tpu", {}) is not None:
        pytest.skip("an accelerator is installed")
    assert Backends(environ={"TREADLE_PLATFORMS": names}).default().platform == "cpu"


@pytest.mark.parametrize("name", ["tpu", "nosuch", "rocm"])
def test_a_platform_that_cannot_start(name: str) -> None:
    found = Backends(environ={"TREADLE_PLATFORMS": name, "TPU_LIBRARY_PATH": "/nonexistent"})
    for _ in range(2):
        with pytest.raises(RuntimeError, match=f"`{name}`") as caught:
            found.default()
        assert any("fix:" in note for note in caught.value.__notes__)
    with pytest.raises(PlatformError, match="none of the platforms `tpu`, `nosuch`"):
        Backends(
            environ={"TREADLE_PLATFORMS": "tpu,nosuch", "TPU_LIBRARY_PATH": "/nonexistent"}
        ).default()


def test_an_accelerator_that_cannot_start_is_reported() -> None:
    if plugin_library("cuda", {}) is not None:
        pytest.skip("CUDA is installed")
    found = Backends(environ={"TPU_LIBRARY_PATH": "/nonexistent/libtpu.so"})
    with pytest.warns(PlatformWarning, match="`tpu` cannot be started: .*; using `cpu`"):
        assert found.default().platform == "cpu"


def test_a_platform_that_is_left_out() -> None:
    with pytest.raises(
        PlatformError, match=r"Unknown backend.*`cpu` is not among the chosen platforms \(tpu\)"
    ):
        Backends(environ={"TREADLE_PLATFORMS": "tpu"}).get("cpu")


def test_configure() -> None:
    found = Backends(environ={"TREADLE_PLATFORMS": "nosuch"})
    found.configure(platforms="cpu", num_cpu_devices=3, cpu_asynchronous=False)
    backend = found.default()
    assert (len(backend.devices), backend.asynchronous, found.started) == (3, False, ("cpu",))
    assert found.get("cpu") is backend
    with pytest.raises(PlatformError, match="cannot be configured any more"):
        found.configure(num_cpu_devices=4)
    with pytest.raises(ArgumentError):
        Backends(environ={}).configure(num_cpu_devices=0)


@pytest.mark.usefixtures("other_prefix")
def test_cpu_device_count() -> None:
    flags = "--xla_a=1 --xla_force_host_platform_device_count=4"
    assert cpu_device_count({}) == 1
    assert cpu_device_count({"XLA_FLAGS": flags}) == 4
    assert cpu_device_count({"XLA_FLAGS": flags, "TREADLE_NUM_CPU_DEVICES": "3"}) == 3
    assert cpu_device_count({"OTHER_NUM_CPU_DEVICES": "2", "TREADLE_NUM_CPU_DEVICES": "3"}) == 3
    for bad in ("0", "-3", "two"):
        with pytest.raises(ArgumentError, match="must be a positive number"):
            cpu_device_count({"TREADLE_NUM_CPU_DEVICES": bad})


def test_many_threads_start_one_backend() -> None:
    found = Backends(environ={})
    seen: list[Backend] = []
    threads = [threading.Thread(target=lambda: seen.append(found.default())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8
    assert len(set(map(id, seen))) == 1


# ---- processes


def run(code: str) -> None:
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], check=True, timeout=60
    )


def test_forked_child_refuses() -> None:
    run("""
        import os
        import numpy as np
        from treadle_compiler import ForkError
        from treadle_runtime.client import backends
        backend = backends.default()
        buffer = backend.put(np.ones(3, "f4"))
        child = os.fork()
        if child == 0:
            refused = 0
            for use in (backends.default, backends.get, lambda: backends.get("cpu"),
                        lambda: backend.put(np.ones(3, "f4")), lambda: backend.read(buffer),
                        lambda: backend.block(buffer), lambda: backend.is_ready(buffer)):
                try:
                    use()
                except ForkError as error:
                    refused += "spawn" in error.__notes__[-1]
            known = backends.named_default() is backend and backends.started == ("cpu",)
            os._exit(0 if refused == 7 and known else 1)
        assert os.waitpid(child, 0)[1] == 0
        backend.put(np.ones(3, "f4"))
    """)


def test_fork_before_the_start() -> None:
    run("""
        import os
        import numpy as np
        from treadle_runtime.client import backends
        child = os.fork()
        value = backends.default().put(np.ones(3, "f4"))
        backends.default().read(value)
        if child == 0:
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    """)


def test_importing_loads_no_jaxlib() -> None:
    run("""
        import sys
        import treadle_runtime.client, treadle_runtime.host.callbacks
        for name in ("jaxlib", "scipy", "jax"):
            assert name not in sys.modules, name
    """)


# ---- the guard


def test_the_guard_leaves_nothing_behind() -> None:
    with no_jax_import():
        assert "jax" in sys.modules
    assert not any(name == "jax" or name.startswith("jax.") for name in sys.modules)


def test_the_guard_hands_over_to_a_real_jax(monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_aval((2,), "f4")
    assert made.shape == (2,)  # type: ignore[attr-defined]

    class Fake:
        @staticmethod
        def ShapedArray(shape: Any, dtype: Any, weak_type: bool) -> str:  # noqa: N802  jax's name
            return f"real {shape}"

    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "jax.core", Fake)
        assert make_aval((2,), "f4") == "real (2,)"


def test_errors_of_execution() -> None:
    assert isinstance(
        execution_error(RuntimeError("Buffer has been deleted or donated")), DonatedError
    )
    failed = execution_error(RuntimeError("INTERNAL: it broke\n\n  here\n"))
    assert isinstance(failed, ExecutionError)
    assert str(failed) == "a compiled program failed: it broke; here"
    assert str(execution_error(RuntimeError(""))) == "a compiled program failed: RuntimeError"


def test_the_error_of_a_callback_without_a_waiting_caller() -> None:
    message = """INTERNAL: CpuCallback error calling callback: Traceback (most recent call last):
  File "a.py", line 8, in <module>
  File "a.py", line 3, in bad
ValueError: no such thing

as this"""
    assert str(execution_error(RuntimeError(message))) == (
        "a callback of a compiled program raised ValueError: no such thing\n\nas this\n"
        '  at "a.py", line 3, in bad'
    )


@pytest.mark.parametrize(
    ("message", "shapes", "expected"),
    [
        ("Out of memory allocating 4800 bytes.", [(3, 400)], "4.7 KiB (4800 bytes) for its result, f32[3,400]"),
        ("Out of memory allocating 4800 bytes.", [(3,), (1200,)], "4.7 KiB (4800 bytes) for result 1, f32[1200]"),
        ("Out of memory while trying to allocate 4801 bytes.", [(1200,)], "4.7 KiB (4801 bytes)"),
        ("Error allocating 12 bytes", [], "12 bytes"),
    ],
)  # fmt: skip
def test_out_of_memory(message: str, shapes: list[tuple[int, ...]], expected: str) -> None:
    types = [ArrayType(shape, np.dtype("f4")) for shape in shapes]
    error = execution_error(RuntimeError(f"RESOURCE_EXHAUSTED: {message}"), types)
    assert isinstance(error, OutOfMemoryError)
    assert isinstance(error, MemoryError)
    assert str(error) == f"out of memory: a compiled program asked for {expected}"


def test_out_of_memory_of_an_unknown_kind() -> None:
    error = execution_error(RuntimeError("RESOURCE_EXHAUSTED: no more rooms"))
    assert isinstance(error, OutOfMemoryError)
    assert str(error) == "out of memory: no more rooms"


def test_memory_that_numpy_has_not_is_told_in_the_shape_that_was_asked_for() -> None:
    with pytest.raises(MemoryError, match=r"shape \(1099511627776, 4\) and data type float32"):
        aligned_empty((1 << 40, 4), np.dtype("f4"))


@pytest.mark.usefixtures("other_prefix")
def test_the_environment_says_whether_the_cpu_is_asynchronous() -> None:
    assert cpu_asynchronous({})
    for name in (
        "TREADLE_CPU_ASYNC",
        "TREADLE_CPU_ENABLE_ASYNC_DISPATCH",
        "OTHER_CPU_ENABLE_ASYNC_DISPATCH",
    ):
        assert not cpu_asynchronous({name: "false"})
        assert cpu_asynchronous({name: "1"})
    assert not cpu_asynchronous({"TREADLE_CPU_ASYNC": "0", "OTHER_CPU_ENABLE_ASYNC_DISPATCH": "1"})


def test_results_of_different_shapes_have_different_handlers(cpu: Backend) -> None:
    sharding = cpu.result_sharding(cpu.devices[0])
    f32, i32 = np.dtype(np.float32), np.dtype(np.int32)
    results = [((2,), f32), ((3,), f32), ((2,), i32), ((2,), f32)]
    made = cpu.handlers([(shape, dtype, sharding) for shape, dtype in results])
    assert made[0] is made[3]
    assert len({id(each) for each in made}) == 3

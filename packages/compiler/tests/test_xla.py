from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from treadle_compiler import mlir, xla
from treadle_compiler.executable import LoadedExecutable
from treadle_compiler.options import CompileOptions
from treadle_ir import ArgumentError

pytestmark = pytest.mark.xla

ADD = """func.func public @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %a, %b : tensor<3xf32>
  return %0 : tensor<3xf32>
}"""


class Aval:
    def __init__(self, shape: tuple[int, ...], dtype: str) -> None:
        self.shape, self.dtype, self.weak_type = shape, np.dtype(dtype), False


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
    assert "jax" not in sys.modules


@pytest.fixture(scope="module")
def client() -> Any:
    return xla.jaxlib().xla_client.make_cpu_client(asynchronous=True, num_devices=2)


def compiled(client: Any, text: str = ADD, **fields: Any) -> LoadedExecutable:
    options = CompileOptions(**fields)
    by_id = {device.id: device for device in client.local_devices()}
    return xla.compile_text(client, text, [by_id[i] for i in options.device_ids], options)


def call(executable: LoadedExecutable, *arrays: Any) -> Any:
    """Run on arrays of one shape and dtype, which the result shares."""
    border = xla.jaxlib()
    (device,) = executable.devices
    aval = Aval(np.shape(arrays[0]), "f4")
    replicated = border.xla_client.HloSharding.replicate()
    sharding = border.xla_client.GSPMDSharding(border.xla_client.DeviceList((device,)), replicated)
    put = border.xla_client.batched_device_put
    buffers = [put(aval, sharding, [a], [device], True, True, enable_x64=True) for a in arrays]
    old = "_skip_checks" in (border.core.array_result_handler.__doc__ or "")
    handler = border.core.array_result_handler(
        aval,
        border.xla_client.SingleDeviceSharding(device),
        False,
        **({"_skip_checks": True} if old else {}),
    )
    (result,) = executable.execute(buffers, [handler])
    return np.asarray(memoryview(result))


ONE = np.array([1.0, 2.0, 3.0], "f4")


@pytest.mark.parametrize("effort", ["quick", "light", "full"])
@pytest.mark.parametrize("barriers", [False, True])
def test_compile_and_run(client: Any, effort: str, barriers: bool) -> None:
    executable = compiled(client, effort=effort, barriers=barriers)
    np.testing.assert_array_equal(call(executable, ONE, ONE), ONE + ONE)


def test_on_the_second_device(client: Any) -> None:
    executable = compiled(client, device_ids=(1,))
    np.testing.assert_array_equal(call(executable, ONE, ONE), ONE + ONE)
    assert repr(executable) == "<LoadedExecutable on cpu:1, effort full>"


def test_invalid_text(client: Any) -> None:
    with pytest.raises(xla.CompileError, match="XLA cannot compile this program") as caught:
        compiled(client, "nonsense")
    assert any("fix:" in note for note in caught.value.__notes__)


def test_unknown_flag(client: Any) -> None:
    with pytest.raises(ArgumentError, match="`xla_dump_too` is not known to jaxlib") as caught:
        compiled(client, flags=(("xla_dump_too", 1),))
    assert any("did you mean `xla_dump_to`" in note for note in caught.value.__notes__)


def test_bad_flag_value(client: Any) -> None:
    with pytest.raises(ArgumentError, match="not a valid int32") as caught:
        compiled(client, flags=(("xla_backend_optimization_level", "high"),))
    assert "xla_backend_optimization_level" in str(caught.value)


def test_a_flag_of_the_users_is_an_error_even_where_ours_is_a_hint(client: Any) -> None:
    flag = "xla_cpu_use_fusion_emitters"
    if xla.supports_flag(client, flag):
        compiled(client, flags=((flag, False),))
    else:
        with pytest.raises(ArgumentError, match=flag):
            compiled(client, flags=((flag, False),))


def test_supports_flag(client: Any) -> None:
    assert xla.supports_flag(client, "xla_backend_optimization_level")
    assert xla.supports_flag(client, "xla_cpu_scheduler_type")
    assert not xla.supports_flag(client, "xla_no_such_thing")
    assert not xla.supports_flag(client, "xla_no_such_thing")


def test_serialise_and_load_on_another_device(client: Any) -> None:
    data = xla.serialise(compiled(client))
    second = client.local_devices()[1]
    loaded = xla.deserialise(client, data, [second], CompileOptions(device_ids=(second.id,)))
    assert loaded.from_cache
    np.testing.assert_array_equal(call(loaded, ONE, ONE), ONE + ONE)


def test_load_nonsense(client: Any) -> None:
    with pytest.raises(xla.CompileError, match="not an executable that jaxlib"):
        xla.deserialise(client, b"nonsense", client.local_devices()[:1], CompileOptions())


def test_analyses(client: Any) -> None:
    executable = compiled(client)
    assert xla.cost_analysis(executable)["flops"] == 3.0
    stats = xla.memory_stats(executable)
    assert (stats.argument_size_in_bytes, stats.output_size_in_bytes) == (24, 12)
    assert stats.peak_size_in_bytes == 36
    assert "HloModule" in xla.optimized_hlo(executable)
    assert "add(" in xla.unoptimized_hlo(ADD)
    with pytest.raises(xla.CompileError):
        xla.unoptimized_hlo("nonsense")


def test_fingerprints(client: Any) -> None:
    assert xla.platform_fingerprint(client) == xla.platform_fingerprint(client)
    assert xla.jaxlib().release in xla.platform_fingerprint(client)
    other = xla.jaxlib().xla_client.make_cpu_client(asynchronous=True, num_devices=1)
    assert xla.platform_fingerprint(client) != xla.platform_fingerprint(other)
    assert "--xla_a=1" in xla.environment_flags({"XLA_FLAGS": "--xla_a=1"})
    assert xla.environment_flags({"XLA_FLAGS": "--xla_force_host_platform_device_count=8"}) == ""


CALLBACK = """module {
  func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) {api_version = 4 : i32, has_side_effect = true,
         backend_config = {index = 0 : ui64}} : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}"""


def test_host_callback(client: Any) -> None:
    def double(x: Any) -> tuple[Any, ...]:
        return (np.asarray(x * 2, "f4"),)

    device = client.local_devices()[0]
    executable = xla.compile_text(client, CALLBACK, [device], CompileOptions(), [double])
    del double
    np.testing.assert_array_equal(call(executable, ONE), ONE * 2)


def test_mlir() -> None:
    assert "stablehlo.add" in mlir.pretty(ADD)
    assert "loc(" in mlir.pretty(ADD, locations=True)
    with pytest.raises(mlir.ModuleError, match="does not parse"):
        mlir.parse("nonsense")


def test_portable_artifact(client: Any) -> None:
    artifact = mlir.portable_artifact(ADD)
    text = str(mlir.deserialized(artifact))
    np.testing.assert_array_equal(call(compiled(client, text), ONE, ONE), ONE + ONE)
    with pytest.raises(mlir.ModuleError, match="not a portable artifact"):
        mlir.deserialized(b"nonsense")


def test_importing_loads_no_jaxlib() -> None:
    code = """
        import sys
        import treadle_compiler.options, treadle_compiler.xla, treadle_compiler.mlir
        import treadle_compiler.executable, treadle_compiler.persistent
        for name in ("jaxlib", "scipy", "platformdirs", "jax"):
            assert name not in sys.modules, name
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
def test_no_room_to_compile(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("treadle_compiler.xla.resource.getrlimit", lambda _: (1 << 20, 1 << 20))
        with pytest.raises(xla.CompileError, match="no room to compile: 0 MB are left"):
            compiled(client, ADD)
    compiled(client, ADD)


@pytest.mark.parametrize(("release", "asked"), [((0, 11), True), ((0, 12), False)])
def test_the_level_that_some_compilations_do_not_end_at_is_left_out(
    client: Any, monkeypatch: pytest.MonkeyPatch, release: tuple[int, int], asked: bool
) -> None:
    level = ("xla_backend_optimization_level", 1)
    monkeypatch.setattr(xla, "_release", lambda: release)
    found = xla._flags(client, CompileOptions(effort="light"), set())
    assert (level in found) is asked
    by_the_user = CompileOptions(effort="light", flags=(level,))
    assert level in xla._flags(client, by_the_user, set())

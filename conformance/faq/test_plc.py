"""PLC: where data and computations live; also on three virtual ones."""

from __future__ import annotations

import numpy as np
import pytest

import treadle as sut
import treadle.numpy as tnp
from conformance import platform as under_test
from conformance.faq.rows import fresh_process, output_of, row

PLATFORM = "import treadle as sut; print(sut.devices()[0].platform)"


@row("PLC-01")
def test_plc_01_arrays_start_on_the_first_device() -> None:
    first = {sut.devices()[0]}
    assert tnp.ones(3).devices() == first
    assert sut.jit(lambda x: x + 1)(tnp.ones(3)).devices() == first


@pytest.mark.cpu
@row("PLC-02")
def test_plc_02_which_is_a_cpu_without_accelerator() -> None:
    assert output_of(PLATFORM) == "cpu"


@pytest.mark.gpu
@pytest.mark.tpu
@row("PLC-03")
def test_plc_03_with_an_accelerator_it_is_the_first_of_it() -> None:
    script = "import treadle as sut; d = sut.devices()[0]; print(d.platform, d.id, sut.default_backend())"
    assert output_of(script) == f"{under_test.KIND} 0 {under_test.KIND}"


@pytest.mark.cpu
@row("PLC-04")
def test_plc_04_devices_prints_a_set(capsys: pytest.CaptureFixture[str]) -> None:
    print(tnp.ones(3).devices())
    assert capsys.readouterr().out == "{CpuDevice(id=0)}\n"


@pytest.mark.gpu
@row("PLC-05")
def test_plc_05_devices_prints_a_set_on_a_gpu(capsys: pytest.CaptureFixture[str]) -> None:
    print(tnp.ones(3).devices())
    assert capsys.readouterr().out == "{CudaDevice(id=0)}\n"


@pytest.mark.cpu
@row("PLC-06")
def test_plc_06_the_older_spelling(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(DeprecationWarning, match="device_buffer"):
        print(tnp.ones(3).device_buffer.device())  # type: ignore[attr-defined]
    assert capsys.readouterr().out == "cpu:0\n"


@row("PLC-07")
def test_plc_07_fresh_arrays_are_uncommitted() -> None:
    for array in (
        tnp.ones(3),
        sut.device_put(2.5),
        sut.device_put(np.ones(2)),
        sut.jit(lambda x: x + 1)(tnp.ones(3)),
    ):
        assert array.committed is False


@row("PLC-10")
@pytest.mark.parametrize(
    "environment",
    [
        {"JAX_PLATFORMS": "cpu"},
        {"TREADLE_PLATFORMS": "cpu"},
        {"TREADLE_PLATFORMS": "cpu", "JAX_PLATFORMS": "nosuch"},
    ],
    ids=["jax", "treadle", "both"],
)
def test_plc_10_a_platform_for_the_process(environment: dict[str, str]) -> None:
    assert output_of(PLATFORM, **environment) == "cpu"


@pytest.mark.cpu
@row("PLC-11")
@pytest.mark.parametrize("platforms", ["cuda,cpu", "gpu,cpu"])
def test_plc_11_platforms_that_cannot_start_are_passed_over(platforms: str) -> None:
    assert output_of(PLATFORM, JAX_PLATFORMS=platforms) == "cpu"


@pytest.mark.gpu
@row("PLC-12")
def test_plc_12_the_order_of_platforms_is_their_priority() -> None:
    for platforms, first in (
        (f"cpu,{under_test.PLATFORM}", "cpu"),
        (f"{under_test.PLATFORM},cpu", "gpu"),
    ):
        assert output_of(PLATFORM, TREADLE_PLATFORMS=platforms) == first


@row("PLC-13")
@pytest.mark.parametrize("platform", ["tpu", "nosuch"])
def test_plc_13_a_platform_that_cannot_start(platform: str) -> None:
    done = fresh_process(
        f"""
import treadle as sut
try:
    sut.devices()
except RuntimeError as error:
    print("RuntimeError", {platform!r} in str(error))
""",
        JAX_PLATFORMS=platform,
    )
    assert done.stdout.strip() == "RuntimeError True", done.stderr


@row("PLC-14")
@pytest.mark.parametrize(
    "environment",
    [
        {"JAX_PLATFORM_NAME": "cpu"},
        {"TREADLE_PLATFORM_NAME": "cpu"},
        {"JAX_PLATFORM_NAME": "nosuch", "JAX_PLATFORMS": "cpu"},
    ],
    ids=["jax", "treadle", "lower priority"],
)
def test_plc_14_the_older_variable(environment: dict[str, str]) -> None:
    assert output_of(PLATFORM, **environment) == "cpu"


@row("PLC-15")
@pytest.mark.parametrize("prefix", ["jax", "treadle"])
def test_plc_15_the_same_by_config(prefix: str) -> None:
    printed = output_of(f"""
import treadle as sut
sut.config.update("{prefix}_platforms", "cpu")
print(sut.devices()[0].platform, sut.config.{prefix}_platforms)
""")
    assert printed == "cpu cpu"


@row("PLC-16", "PLC-17")
@pytest.mark.parametrize("prefix", ["jax", "treadle"])
@pytest.mark.parametrize("flag", ["platforms", "platform_name"])
def test_plc_16_and_by_an_absl_flag(prefix: str, flag: str) -> None:
    pytest.importorskip("absl", reason="absl is optional; install absl-py to test its flags")
    printed = output_of(f"""
from absl import app
import treadle as sut
sut.config.config_with_absl()
app.run(lambda argv: print(sut.devices()[0].platform, sut.config.jax_{flag}),
        ["p", "--{prefix}_{flag}=cpu"])
""")
    assert printed == "cpu cpu"


@row("PLC-19")
def test_plc_19_work_on_uncommitted_data_is_uncommitted() -> None:
    x = tnp.ones((2, 2))
    for result in (x + 1, sut.jit(lambda x: x * 2)(x), x @ x):
        assert result.devices() == {sut.devices()[0]}
        assert result.committed is False


def _on_three(script: str) -> list[str]:
    """Return the lines that a script prints in a process with three virtual devices `d`."""
    start = """
import numpy as np, treadle as sut, treadle.numpy as tnp
d = sut.devices()
def where(*arrays):
    print(*[f"{next(iter(a.devices())).id}{'c' if a.committed else 'u'}" for a in arrays])
"""
    return output_of(
        start + script, XLA_FLAGS="--xla_force_host_platform_device_count=3"
    ).splitlines()


@pytest.mark.cpu
@row("PLC-08")
def test_plc_08_default_device_redirects_for_a_while() -> None:
    printed = _on_three("""
x = np.ones(2, np.float32)
with sut.default_device(d[1]):
    where(tnp.ones(3), sut.jit(lambda x: x + 1)(x), sut.device_put(x), tnp.ones(2) * 2)
where(tnp.ones(3))
""")
    assert printed == ["1u 1u 1u 1u", "0u"]


@pytest.mark.cpu
@row("PLC-09")
def test_plc_09_it_nests_and_is_restored_on_exceptions() -> None:
    printed = _on_three("""
try:
    with sut.default_device(d[1]):
        with sut.default_device(d[2]):
            where(tnp.ones(1))
        where(tnp.ones(1))
        1 / 0
except ZeroDivisionError:
    where(tnp.ones(1))
""")
    assert printed == ["2u", "1u", "0u"]


@pytest.mark.cpu
@row("PLC-18")
def test_plc_18_device_put_with_a_device_commits() -> None:
    printed = _on_three("""
a = sut.device_put(1, d[2])
print(a.devices(), a.committed)
""")
    assert printed == ["{CpuDevice(id=2)} True"]


@pytest.mark.cpu
@row("PLC-20")
def test_plc_20_a_committed_input_decides() -> None:
    printed = _on_three("""
a = sut.device_put(1.0, d[2])
where(a + 1, a + tnp.ones(2), a + np.ones(2, np.float32), tnp.sin(a))
""")
    assert printed == ["2c 2c 2c 2c"]


@pytest.mark.cpu
@row("PLC-21", "PLC-22")
def test_plc_21_two_committed_devices_raise() -> None:
    eager, jitted = _on_three("""
a, b = sut.device_put(1, d[2]), sut.device_put(1, d[1])
for f in (lambda x, y: x + y, sut.jit(lambda x, y: x + y)):
    try:
        f(a, b)
    except ValueError as error:
        print(error)
""")
    for message, first, second in (
        (eager, "argument 0", "argument 1"),
        (jitted, "argument x of <lambda>", "argument y of <lambda>"),
    ):
        assert message.startswith("Received incompatible devices for jitted computation")
        for part in (first, "CpuDevice(id=2)", second, "CpuDevice(id=1)"):
            assert part in message


@pytest.mark.cpu
@row("PLC-23")
def test_plc_23_jitted_functions_follow_the_data() -> None:
    printed = _on_three("""
f = sut.jit(lambda x: x * 2)
where(f(sut.device_put(1.0, d[1])), f(1.0), f(sut.device_put(1.0, d[1])))
""")
    assert printed == ["1c 0u 1c"]


@pytest.mark.cpu
@row("PLC-24")
def test_plc_24_device_put_without_device_leaves_arrays_as_they_are() -> None:
    printed = _on_three("""
a, b = sut.device_put(1.0, d[1]), tnp.ones(2)
with sut.default_device(d[2]):
    where(sut.device_put(a), sut.device_put(b))
""")
    assert printed == ["1c 0u"]


@row("PLC-25")
def test_plc_25_device_put_puts_host_values_on_the_default_device() -> None:
    printed = _on_three("""
for value in (3, 2.5, np.ones(2), [1, 2]):
    where(*sut.tree_util.tree_leaves(sut.device_put(value)))
""")
    assert printed == ["0u", "0u", "0u", "0u 0u"]


@pytest.mark.cpu
@row("PLC-26")
def test_plc_26_arrays_are_created_and_then_moved() -> None:
    printed = _on_three("""
for c in (tnp.zeros(3), tnp.ones(3), tnp.full(3, 2.0), tnp.eye(3)):
    where(sut.device_put(c, d[1]), c)
""")
    assert printed == ["1c 0u"] * 4


@pytest.mark.cpu
@row("PLC-27")
def test_plc_27_device_put_moves_and_leaves_the_source() -> None:
    printed = _on_three("""
a = sut.device_put(np.arange(3), d[1])
b = sut.device_put(a, d[2])
where(a, b)
print(a.tolist() == b.tolist() == [0, 1, 2])
""")
    assert printed == ["1c 2c", "True"]


@pytest.mark.cpu
@row("PLC-28")
def test_plc_28_the_device_parameter_of_jit() -> None:
    printed = _on_three("""
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    f = sut.jit(lambda x: x + 1, device=d[1])
where(f(1.0))
print(*[each.category.__name__ for each in caught])
""")
    assert printed == ["1c", "DeprecationWarning"]


@pytest.mark.cpu
@row("PLC-29")
def test_plc_29_a_chain_of_placements() -> None:
    printed = _on_three("""
a = sut.device_put(np.arange(4.0), d[1])
b = tnp.sin(a) + 1
c, e = sut.jit(lambda x: (x * 2, x.sum()))(b)
moved = sut.device_put(c, d[2])
where(a, b, c, e, moved, moved + 1)
try:
    moved + b
except ValueError:
    print("ValueError")
""")
    assert printed == ["1c 1c 1c 1c 2c 2c", "ValueError"]

"""PLC: where data and computations live; the rows that one device shows."""

from __future__ import annotations

import numpy as np
import pytest

import treadle as sut
import treadle.numpy as tnp
from conformance.faq.rows import fresh_process, output_of, row

PLATFORM = "import treadle as sut; print(sut.devices()[0].platform)"


@row("PLC-01")
def test_plc_01_arrays_start_on_the_first_device() -> None:
    first = {sut.devices()[0]}
    assert tnp.ones(3).devices() == first
    assert sut.jit(lambda x: x + 1)(tnp.ones(3)).devices() == first


@row("PLC-02")
def test_plc_02_which_is_a_cpu_without_accelerator() -> None:
    assert output_of(PLATFORM) == "cpu"


@row("PLC-04")
def test_plc_04_devices_prints_a_set(capsys: pytest.CaptureFixture[str]) -> None:
    print(tnp.ones(3).devices())
    assert capsys.readouterr().out == "{CpuDevice(id=0)}\n"


@row("PLC-06")
def test_plc_06_the_older_spelling(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(DeprecationWarning, match="device_buffer"):
        print(tnp.ones(3).device_buffer.device())
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


@row("PLC-11")
@pytest.mark.parametrize("platforms", ["cuda,cpu", "gpu,cpu"])
def test_plc_11_platforms_that_cannot_start_are_passed_over(platforms: str) -> None:
    assert output_of(PLATFORM, JAX_PLATFORMS=platforms) == "cpu"


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

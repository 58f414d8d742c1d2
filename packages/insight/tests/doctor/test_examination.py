"""The doctor's checks, on imagined machines: each kind has a machine on which it alone is found."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from treadle_insight import findings
from treadle_insight.doctor import CacheFolder, Driver, Gpu, GpuProcess, Machine, Plugin, examined
from treadle_insight.doctor.examples import EXAMPLES, HEALTHY

GB = 1 << 30


def only(machine: Machine, kind: str) -> str:
    (found,) = examined(machine).findings()
    assert found.kind == kind
    return str(found)


def test_nothing_is_wrong_with_a_healthy_machine() -> None:
    assert examined(HEALTHY).findings() == ()
    assert examined(Machine()).findings() == ()


def test_each_kind_has_a_machine() -> None:
    assert [*EXAMPLES] == [code for code in findings if code.startswith("doctor.")]


@pytest.mark.parametrize("code", EXAMPLES)
def test_it_alone_is_found_on_its_machine(code: str) -> None:
    (found,) = examined(EXAMPLES[code]).findings()
    assert found.kind == code
    assert found.what.endswith((".", "?"))
    assert found.fix
    assert found.code  # a command
    assert len(str(found).splitlines()) <= 10


@pytest.mark.parametrize(
    ("driver", "cuda"), [("580.65.06", 13), ("575.57.08", 12), ("525.60.13", 12), ("470.1", 12)]
)
def test_the_plugin_that_is_proposed_suits_the_driver(driver: str, cuda: int) -> None:
    gpu = Gpu(0, "NVIDIA A100", 0, 40 * GB)
    machine = replace(HEALTHY, plugins=(), driver=Driver(driver, (gpu,)))
    said = only(machine, "doctor.plugin_missing")
    assert f'python -m pip install "jax-cuda{cuda}-plugin[with-cuda]==0.10.2"' in said
    assert "NVIDIA A100" in said


def test_a_gpu_whose_driver_cannot_be_asked_needs_a_plugin_too() -> None:
    machine = replace(HEALTHY, plugins=(), driver=None)
    assert "jax-cuda13-plugin" in only(machine, "doctor.plugin_missing")


def test_a_plugin_that_was_built_by_hand_has_no_release_to_compare() -> None:
    assert examined(replace(HEALTHY, plugins=(Plugin(13, ""),))).findings() == ()


def test_each_plugin_of_another_release_is_named() -> None:
    machine = replace(HEALTHY, plugins=(Plugin(12, "0.9.0"), Plugin(13, "0.10.2")))
    said = only(machine, "doctor.plugin_release")
    assert "jax-cuda12-plugin is of release 0.9.0, and jaxlib of 0.10.2." in said


def test_a_driver_that_no_plugin_allows_has_to_be_updated() -> None:
    machine = replace(HEALTHY, driver=Driver("470.57.02", HEALTHY.driver.gpus))  # type: ignore[union-attr]
    (found,) = examined(machine).findings()
    assert found.kind == "doctor.driver_old"
    assert found.code == ""
    assert found.fix.startswith("Update the driver:")


def test_the_other_folders_stay_in_the_library_path() -> None:
    path = {"/a": ("libcudnn.so.9",), "/b": ("libz.so.1",), "/c": ()}
    said = only(replace(HEALTHY, library_path=path), "doctor.library_shadowed")
    assert "export LD_LIBRARY_PATH=/b:/c" in said


@pytest.mark.parametrize(
    ("environ", "found"),
    [
        ({}, True),
        ({"TREADLE_MEM_FRACTION": ".25"}, False),
        ({"XLA_PYTHON_CLIENT_MEM_FRACTION": ".25"}, False),
        ({"TREADLE_MEM_FRACTION": "half"}, True),
        ({"TREADLE_PREALLOCATE": "false"}, False),
        ({"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}, False),
        ({"TREADLE_PREALLOCATE": "true", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}, True),
    ],
)
def test_memory_is_taken_if_what_is_reserved_is_not_free(
    environ: dict[str, str], found: bool
) -> None:
    driver = Driver("580.65.06", (Gpu(0, "GPU", 60 * GB, 100 * GB),))
    machine = replace(HEALTHY, driver=driver, environ=environ)
    assert bool(examined(machine).findings("doctor.memory_taken")) == found


def test_a_full_gpu_is_reported_even_if_nothing_is_reserved() -> None:
    driver = Driver("580.65.06", (Gpu(0, "GPU", 95 * GB, 100 * GB),))
    machine = replace(HEALTHY, driver=driver, environ={"TREADLE_PREALLOCATE": "0"})
    assert examined(machine).findings("doctor.memory_taken")


def test_this_process_is_not_the_other_one() -> None:
    processes = (GpuProcess(os.getpid(), "me", 90 * GB), GpuProcess(1, "you", 2 * GB))
    driver = Driver("580.65.06", (Gpu(0, "GPU", 92 * GB, 100 * GB),), processes)
    assert ": you (process 1) holds 2.1 GB." in only(
        replace(HEALTHY, driver=driver), "doctor.memory_taken"
    )


def test_a_library_that_is_missing_is_told_once() -> None:
    needs = {"treadle-ir": ("ml-dtypes>=0.5.3",), "treadle-numpy": ("ml-dtypes>=0.5.3",)}
    machine = replace(HEALTHY, requirements=needs)
    assert "needs ml-dtypes>=0.5.3, and it is not installed" in " ".join(
        only(machine, "doctor.version").split()
    )


def test_requirements_of_extras_are_not_required() -> None:
    needs = {"treadle": ('rich>=13.7; extra == "rich"',)}
    assert examined(replace(HEALTHY, requirements=needs)).findings() == ()


def test_a_full_disk_that_cannot_be_written_to_is_one_finding() -> None:
    machine = replace(HEALTHY, cache=CacheFolder("/cache", writable=False, free=0))
    only(machine, "doctor.cache_unwritable")


def test_the_table_shows_what_is_installed() -> None:
    (table,) = examined(HEALTHY).tables
    assert ("jaxlib", "0.10.2") in table.rows
    assert ("scipy", "not installed") in table.rows
    assert ("jax-cuda13-plugin", "0.10.2") in table.rows
    assert ("GPU 0", "NVIDIA H200") in table.rows
    (table,) = examined(replace(HEALTHY, driver=None)).tables
    assert ("NVIDIA GPU", "there is one, and its driver cannot be asked") in table.rows

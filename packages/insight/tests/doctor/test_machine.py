"""What the doctor sees of a machine: faked commands, folders of packages, libraries and cache folders."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from treadle_insight.doctor import CacheFolder, Driver, Gpu, GpuProcess, Machine, Plugin, machine
from treadle_insight.doctor.nvidia import driver_here

MB = 1 << 20
SMI = """#!/bin/sh
case "$1" in
  --query-gpu=*) printf '0, NVIDIA H200, 100, 143771, 580.65.06\\n1, NVIDIA H200, [N/A], 143771, 580.65.06\\n' ;;
  *) printf '4711, /usr/bin/python, 90\\n[N/A], hidden, 1\\n' ;;
esac
"""


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the machine that runs the tests is seen: neither its GPU nor its library."""
    monkeypatch.setattr(machine, "nvidia_gpu_present", lambda: False)
    monkeypatch.setitem(sys.modules, "pynvml", None)


def command(folder: Path, text: str) -> dict[str, str]:
    """Return the environment in which `nvidia-smi` is a script."""
    path = folder / "nvidia-smi"
    path.write_text(text)
    path.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def test_the_driver_is_asked_by_its_command(tmp_path: Path) -> None:
    assert driver_here(command(tmp_path, SMI)) == Driver(
        "580.65.06",
        (
            Gpu(0, "NVIDIA H200", 100 * MB, 143771 * MB),
            Gpu(1, "NVIDIA H200", 0, 143771 * MB),
        ),
        (GpuProcess(4711, "/usr/bin/python", 90 * MB),),
    )


@pytest.mark.parametrize(
    "text",
    ["#!/bin/sh\nexit 9\n", "#!/bin/sh\necho No devices were found\n", "no program"],
    ids=["fails", "no devices", "not a program"],
)
def test_a_command_that_fails_means_no_driver(text: str, tmp_path: Path) -> None:
    assert driver_here(command(tmp_path, text)) is None


class FakeError(Exception):
    """An error of the driver's library."""


def library(*, works: bool = True) -> ModuleType:
    """Return a module with the functions of nvidia-ml-py."""

    def start() -> None:
        if not works:
            raise FakeError("no driver")

    module = ModuleType("pynvml")
    module.__dict__.update(
        NVMLError=FakeError,
        nvmlInit=start,
        nvmlShutdown=lambda: None,
        nvmlDeviceGetCount=lambda: 1,
        nvmlDeviceGetHandleByIndex=lambda number: number,
        nvmlDeviceGetMemoryInfo=lambda handle: SimpleNamespace(used=5, total=10),
        nvmlDeviceGetName=lambda handle: "NVIDIA A100",
        nvmlDeviceGetComputeRunningProcesses=lambda handle: [
            SimpleNamespace(pid=12, usedGpuMemory=None)
        ],
        nvmlSystemGetDriverVersion=lambda: "550.54.14",
    )
    return module


def test_the_driver_is_asked_by_its_library_where_there_is_no_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", library())
    assert driver_here({"PATH": ""}) == Driver(
        "550.54.14", (Gpu(0, "NVIDIA A100", 5, 10),), (GpuProcess(12, "", 0),)
    )
    monkeypatch.setitem(sys.modules, "pynvml", library(works=False))
    assert driver_here({"PATH": ""}) is None


def distribution(folder: Path, name: str, version: str, *requires: str) -> None:
    """Write the metadata of an installed distribution."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    lines = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}"]
    lines += [f"Requires-Dist: {each}" for each in requires]
    (info / "METADATA").write_text("\n".join(lines) + "\n")


def file(folder: Path, path: str) -> None:
    """Write an empty file."""
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).touch()


def test_packages_plugins_and_libraries_are_found(tmp_path: Path) -> None:
    packages, system = tmp_path / "packages", tmp_path / "cuda"
    distribution(packages, "treadle-ir", "0.1.0", "ml_dtypes>=0.5.3", 'rich; extra == "rich"')
    distribution(packages, "ml_dtypes", "0.6.0")
    distribution(packages, "jax-cuda13-pjrt", "0.11.0")
    file(packages, "jax_plugins/xla_cuda13/xla_cuda_plugin.so")
    file(packages, "jax_plugins/xla_cuda12/xla_cuda_plugin.so")
    file(packages, "nvidia/cudnn/lib/libcudnn.so.9")
    file(system, "libcudnn.so.9")
    file(system, "readme.txt")
    environ = {"PATH": "", "LD_LIBRARY_PATH": f"{system}::/nowhere"}
    found = Machine.here(environ, [str(packages)])
    assert found.versions == {
        "treadle-ir": "0.1.0",
        "ml-dtypes": "0.6.0",
        "jax-cuda13-pjrt": "0.11.0",
    }
    assert found.requirements == {"treadle-ir": ("ml_dtypes>=0.5.3", 'rich; extra == "rich"')}
    assert found.plugins == (Plugin(12, ""), Plugin(13, "0.11.0"))
    assert found.own_libraries == ("libcudnn.so.9",)
    assert found.library_path == {str(system): ("libcudnn.so.9",), "/nowhere": ()}
    assert not found.gpu
    assert found.driver is None


def test_a_gpu_is_seen_by_its_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "nvidia_gpu_present", lambda: True)
    found = Machine.here({"PATH": ""}, [])
    assert found.gpu
    assert found.driver is None


def test_a_gpu_is_seen_by_its_driver(tmp_path: Path) -> None:
    assert Machine.here(command(tmp_path, SMI), []).gpu


def test_this_environment_is_found() -> None:
    found = Machine.here()
    assert found.versions["treadle-insight"]
    assert found.requirements["treadle-insight"]


def test_a_cache_folder_that_does_not_exist_is_as_its_parent(tmp_path: Path) -> None:
    folder = CacheFolder.of(tmp_path / "not" / "yet")
    assert folder.writable
    assert folder.free > 0
    (tmp_path / "file").touch()
    assert not CacheFolder.of(tmp_path / "file").writable
    assert not CacheFolder.of(tmp_path / "file" / "within").writable

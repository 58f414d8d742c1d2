"""What NVIDIA's driver says of the GPUs: by `nvidia-smi`, or by the library nvidia-ml-py where that is installed."""

from __future__ import annotations

import csv
import importlib
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, final

_SECONDS: Final = 20.0  # for nvidia-smi to answer; a GPU that is gone keeps it waiting
_MEGABYTE: Final = 1 << 20


@final
@dataclass(frozen=True)
class Gpu:
    """A GPU and its memory, in bytes."""

    number: int
    name: str
    used: int
    total: int


@final
@dataclass(frozen=True)
class GpuProcess:
    """A process that holds memory of a GPU, in bytes."""

    number: int
    name: str
    used: int


@final
@dataclass(frozen=True)
class Driver:
    """The driver's release, its GPUs, and the processes that use them."""

    release: str
    gpus: tuple[Gpu, ...]
    processes: tuple[GpuProcess, ...] = ()


def driver_here(environ: Mapping[str, str]) -> Driver | None:
    """Return what the driver says; None if it cannot be asked, or has no GPU.

    Args:
        environ: the environment variables, of which `PATH` is searched for `nvidia-smi`.
    """
    command = shutil.which("nvidia-smi", path=environ.get("PATH", ""))
    found = None if command is None else _by_command(command)
    return found or _by_library()


def _by_command(command: str) -> Driver | None:
    """Ask `nvidia-smi`."""
    gpus = _rows(command, "--query-gpu=index,name,memory.used,memory.total,driver_version")
    if not gpus:
        return None
    processes = _rows(command, "--query-compute-apps=pid,process_name,used_memory")
    return Driver(
        gpus[0][4],
        tuple([Gpu(int(i), name, _bytes(used), _bytes(total)) for i, name, used, total, _ in gpus]),
        tuple([GpuProcess(int(pid), name, _bytes(used)) for pid, name, used in processes]),
    )


def _rows(command: str, query: str) -> list[list[str]]:
    """Return the rows that `nvidia-smi` gives for a query; none if it fails."""
    arguments = [command, query, "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return []
    if done.returncode != 0:
        return []
    fields = len(query.split(","))
    rows = csv.reader(done.stdout.splitlines(), skipinitialspace=True)
    return [row for row in rows if len(row) == fields and row[0].isdecimal()]


def _bytes(megabytes: str) -> int:
    """Return a size that `nvidia-smi` gives in megabytes; 0 for `[N/A]`."""
    return int(megabytes) * _MEGABYTE if megabytes.isdecimal() else 0


def _by_library() -> Driver | None:
    """Ask the driver's library, by nvidia-ml-py."""
    try:
        library: Any = importlib.import_module("pynvml")  # Any: it has no types
    except ImportError:
        return None
    try:
        library.nvmlInit()
    except library.NVMLError:
        return None
    try:
        gpus, processes = [], []
        for number in range(library.nvmlDeviceGetCount()):
            handle = library.nvmlDeviceGetHandleByIndex(number)
            memory = library.nvmlDeviceGetMemoryInfo(handle)
            name = str(library.nvmlDeviceGetName(handle))
            gpus.append(Gpu(number, name, int(memory.used), int(memory.total)))
            for each in library.nvmlDeviceGetComputeRunningProcesses(handle):
                processes.append(GpuProcess(each.pid, "", int(each.usedGpuMemory or 0)))
        release = str(library.nvmlSystemGetDriverVersion())
    except library.NVMLError:
        return None
    finally:
        library.nvmlShutdown()
    return Driver(release, tuple(gpus), tuple(processes)) if gpus else None

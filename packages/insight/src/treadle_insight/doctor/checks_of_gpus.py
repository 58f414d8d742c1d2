"""Checks of what a GPU needs: a plugin of jaxlib's release, a driver, its own libraries, memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from treadle_insight.doctor.machine import Machine
from treadle_insight.doctor.nvidia import Driver, Gpu
from treadle_insight.doctor.versions import release
from treadle_insight.finding import Finding, bytes_text
from treadle_insight.kinds import Kind

_TOPIC: Final = "How much memory does a GPU process take?"
KINDS: Final = (
    Kind(
        "doctor.plugin_missing",
        "There is an NVIDIA GPU, and no plugin for it: programs run on the CPU.",
        topic=_TOPIC,
    ),
    Kind(
        "doctor.plugin_release",
        "The releases of jaxlib and of its plugin for GPUs differ: the plugin is refused, or fails later.",
        topic=_TOPIC,
    ),
    Kind(
        "doctor.driver_old",
        "NVIDIA's driver is older than the CUDA of the plugin allows.",
        topic=_TOPIC,
    ),
    Kind(
        "doctor.library_shadowed",
        "A folder in `LD_LIBRARY_PATH` has CUDA libraries that are loaded instead of the plugin's libraries.",
        topic=_TOPIC,
    ),
    Kind(
        "doctor.memory_taken",
        "Another process holds so much of a GPU's memory that what treadle reserves at its start is not free.",
        topic=_TOPIC,
    ),
)

# The oldest driver for each CUDA, by NVIDIA's tables of compatibility.
_OLDEST_DRIVERS: Final = MappingProxyType({12: "525.60.13", 13: "580.65.06"})
_RESERVED: Final = 0.75  # of the memory, which XLA takes at its start unless told otherwise
_LITTLE: Final = 0.1  # of the memory: with less, most programs fail
_OFF: Final = frozenset({"0", "off", "false", "no"})


def plugin_missing(machine: Machine) -> Iterator[Finding]:
    """Yield a finding if there is a GPU that no plugin is installed for.

    Args:
        machine: the machine.
    """
    if machine.gpu and not machine.plugins:
        driver = machine.driver
        name = f" ({driver.gpus[0].name})" if driver is not None else ""
        yield Finding(
            "doctor.plugin_missing",
            f"There is an NVIDIA GPU{name}, and jaxlib has no plugin for it: programs run on the CPU.",
            fix="Install the plugin of jaxlib's release, with its libraries.",
            code=_install(_cuda_for(driver), machine),
        )


def plugin_release(machine: Machine) -> Iterator[Finding]:
    """Yield a finding for each plugin whose release differs from jaxlib's.

    Args:
        machine: the machine.
    """
    jaxlib = machine.versions.get("jaxlib")
    for plugin in machine.plugins:
        if jaxlib and plugin.release and plugin.release != jaxlib:
            yield Finding(
                "doctor.plugin_release",
                f"{plugin.distribution} is of release {plugin.release}, and jaxlib of {jaxlib}.",
                fix="Install the plugin of jaxlib's release.",
                code=_install(plugin.cuda, machine),
            )


def driver_old(machine: Machine) -> Iterator[Finding]:
    """Yield a finding for each plugin whose CUDA needs a newer driver.

    Args:
        machine: the machine.
    """
    if machine.driver is None:
        return
    here = machine.driver.release
    for plugin in machine.plugins:
        oldest = _OLDEST_DRIVERS.get(plugin.cuda, "0")
        if release(here) >= release(oldest):
            continue
        older = [n for n, each in _OLDEST_DRIVERS.items() if release(here) >= release(each)]
        yield Finding(
            "doctor.driver_old",
            f"The driver has release {here}; CUDA {plugin.cuda} of {plugin.distribution} needs {oldest} or later.",
            fix=f"Update the driver, or install the plugin of CUDA {max(older)}."
            if older
            else "Update the driver: https://www.nvidia.com/drivers",
            code=_replace(plugin.cuda, max(older), machine) if older else "",
        )


def library_shadowed(machine: Machine) -> Iterator[Finding]:
    """Yield a finding for each folder of `LD_LIBRARY_PATH` whose libraries are found before the plugin's libraries.

    Args:
        machine: the machine.
    """
    own = {*machine.own_libraries}
    folders = [*machine.library_path]
    for folder in folders:
        shadowed = sorted(own & {*machine.library_path[folder]})
        if not shadowed:
            continue
        rest = ":".join([each for each in folders if each != folder])
        yield Finding(
            "doctor.library_shadowed",
            f"LD_LIBRARY_PATH leads to {folder}, whose {shadowed[0]} is loaded instead of the plugin's library.",
            why=(f"Libraries of the same name: {', '.join(shadowed)}.",) if shadowed[1:] else (),
            fix="Take the folder out of LD_LIBRARY_PATH.",
            code=f"export LD_LIBRARY_PATH={rest}" if rest else "unset LD_LIBRARY_PATH",
        )


def memory_taken(machine: Machine) -> Iterator[Finding]:
    """Yield a finding for each GPU that has less free memory than treadle reserves at its start.

    Args:
        machine: the machine.
    """
    driver = machine.driver
    if driver is None or not machine.plugins:
        return
    wanted = _reserved(machine)
    for gpu in driver.gpus:
        free = gpu.total - gpu.used
        if not gpu.total or free >= wanted * gpu.total:
            continue
        fraction = f"{0.9 * free / gpu.total:.2f}"
        yield Finding(
            "doctor.memory_taken",
            f"GPU {gpu.number}, {gpu.name}, has {bytes_text(free)} of {bytes_text(gpu.total)} free"
            f"{_holders(driver, gpu)}.",
            why=(f"treadle wants {wanted:.0%} of it at its start.",),
            fix="End the process if it is yours, or reserve less.",
            code=f"export TREADLE_MEM_FRACTION={fraction}",
        )


def _cuda_for(driver: Driver | None) -> int:
    """Return the newest CUDA that a driver allows; the newest of all if the driver is not known."""
    here = release(driver.release) if driver is not None else None
    allowed = [
        n for n, oldest in _OLDEST_DRIVERS.items() if here is None or here >= release(oldest)
    ]
    return max(allowed, default=min(_OLDEST_DRIVERS))


def _install(cuda: int, machine: Machine) -> str:
    """Return the command that installs a plugin of jaxlib's release."""
    jaxlib = machine.versions.get("jaxlib")
    pin = f"=={jaxlib}" if jaxlib else ""
    return f'python -m pip install "jax-cuda{cuda}-plugin[with-cuda]{pin}"'


def _replace(cuda: int, other: int, machine: Machine) -> str:
    """Return the commands that replace a plugin by another one."""
    removed = f"python -m pip uninstall -y jax-cuda{cuda}-plugin jax-cuda{cuda}-pjrt"
    return f"{removed}\n{_install(other, machine)}"


def _reserved(machine: Machine) -> float:
    """Return the share of a GPU's memory that has to be free when treadle starts."""
    first = machine.environ.get("TREADLE_PREALLOCATE")
    given = first or machine.environ.get("XLA_PYTHON_CLIENT_PREALLOCATE", "")
    if given.strip().lower() in _OFF:
        return _LITTLE
    fraction = machine.environ.get("TREADLE_MEM_FRACTION")
    fraction = fraction or machine.environ.get("XLA_PYTHON_CLIENT_MEM_FRACTION", "")
    try:
        return float(fraction)
    except ValueError:
        return _RESERVED


def _holders(driver: Driver, gpu: Gpu) -> str:
    """Return which other processes hold memory, where there is one GPU, so that it is its memory."""
    others = [each for each in driver.processes if each.number != os.getpid() and each.used]
    if len(driver.gpus) > 1 or not others:
        return ""
    largest = max(others, key=lambda each: each.used)
    name = os.path.basename(largest.name) or "a process"
    return f": {name} (process {largest.number}) holds {bytes_text(largest.used)}"

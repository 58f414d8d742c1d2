"""What the environment specifies about platforms and devices, and whether there is a GPU."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Final

from treadle_ir import ArgumentError
from treadle_ir.settings import environment_variables

_NVIDIA_DEVICES: Final = ("/dev/nvidia0", "/proc/driver/nvidia/version")


def requested_platforms(environ: Mapping[str, str]) -> tuple[tuple[str, ...], bool]:
    """Return the platforms that the environment names, best first, and whether all other platforms are excluded.

    TREADLE_PLATFORMS is a complete list. TREADLE_PLATFORM_NAME only names the platform that comes first.
    """
    for name in environment_variables("platforms"):
        names = words(environ.get(name, ""))
        if names:
            return names, True
    for name in environment_variables("platform_name"):
        names = words(environ.get(name, ""))
        if names:
            return names[:1], False
    return (), False


def nvidia_gpu_present() -> bool:
    """Return whether the kernel has a driver for an NVIDIA GPU, whatever is installed for Python."""
    return any([os.path.exists(each) for each in _NVIDIA_DEVICES])


def words(text: str) -> tuple[str, ...]:
    """Return the words of a list with commas, in lower case."""
    return tuple(word.strip().lower() for word in text.split(",") if word.strip())


def cpu_asynchronous(environ: Mapping[str, str]) -> bool:
    """Return whether calls on the CPU return before their results are there: unless the environment says no."""
    for name in ("TREADLE_CPU_ASYNC", *environment_variables("cpu_enable_async_dispatch")):
        text = environ.get(name, "").strip().lower()
        if text:
            return text not in ("0", "off", "false", "no", "n", "f")
    return True


def cpu_device_count(environ: Mapping[str, str]) -> int:
    """Return how many devices the CPU is to show.

    TREADLE_NUM_CPU_DEVICES, or XLA_FLAGS=--xla_force_host_platform_device_count=N.

    Raises:
        ArgumentError: not a positive number.
    """
    name, text = "", ""
    for name in environment_variables("num_cpu_devices"):
        text = environ.get(name, "").strip()
        if text and text != "-1":
            break
    else:
        name = "XLA_FLAGS=--xla_force_host_platform_device_count"
        found = re.findall(
            r"--xla_force_host_platform_device_count[= ](\S+)", environ.get("XLA_FLAGS", "")
        )
        if not found:
            return 1
        text = found[-1]
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentError(
            f"{name} must be a positive number, got {text!r}",
            fix=f"set it to 1 or more, or unset {name}",
        )
    return int(text)

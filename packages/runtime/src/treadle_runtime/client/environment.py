"""What the environment says of platforms and devices."""

from __future__ import annotations

import re
from collections.abc import Mapping

from treadle_ir import ArgumentError


def requested_platforms(environ: Mapping[str, str]) -> tuple[tuple[str, ...], bool]:
    """Return the platforms that the environment names, best first, and whether all other platforms are excluded.

    TREADLE_PLATFORMS, or else JAX_PLATFORMS, is a complete list. TREADLE_PLATFORM_NAME, or else
    JAX_PLATFORM_NAME, only names the platform that comes first.
    """
    for name in ("TREADLE_PLATFORMS", "JAX_PLATFORMS"):
        names = words(environ.get(name, ""))
        if names:
            return names, True
    for name in ("TREADLE_PLATFORM_NAME", "JAX_PLATFORM_NAME"):
        names = words(environ.get(name, ""))
        if names:
            return names[:1], False
    return (), False


def words(text: str) -> tuple[str, ...]:
    """Return the words of a list with commas, in lower case."""
    return tuple(word.strip().lower() for word in text.split(",") if word.strip())


def cpu_asynchronous(environ: Mapping[str, str]) -> bool:
    """Return whether calls on the CPU return before their results are there: unless the environment says no."""
    for name in (
        "TREADLE_CPU_ASYNC",
        "TREADLE_CPU_ENABLE_ASYNC_DISPATCH",
        "JAX_CPU_ENABLE_ASYNC_DISPATCH",
    ):
        text = environ.get(name, "").strip().lower()
        if text:
            return text not in ("0", "off", "false", "no", "n", "f")
    return True


def cpu_device_count(environ: Mapping[str, str]) -> int:
    """Return how many devices the CPU is to show.

    TREADLE_NUM_CPU_DEVICES, or JAX_NUM_CPU_DEVICES, or XLA_FLAGS=--xla_force_host_platform_device_count=N.

    Raises:
        ArgumentError: not a positive number.
    """
    name, text = "", ""
    for name in ("TREADLE_NUM_CPU_DEVICES", "JAX_NUM_CPU_DEVICES"):
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

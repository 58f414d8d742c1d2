"""What is on the devices, and who put it there."""

from __future__ import annotations

import gzip
from os import PathLike
from pathlib import Path

from treadle_runtime import devices, memory_profile


def device_memory_profile(backend: str | None = None) -> bytes:
    """Return the memory of the devices of a platform by who asked for it, for `pprof` (a gzipped protocol buffer).

    Raises:
        PlatformError: there is no such platform.

    Example:
        >>> from treadle.profiler import device_memory_profile
        >>> device_memory_profile()[:2].hex()  # gzip
        '1f8b'
    """
    return gzip.compress(memory_profile(devices(backend)[0].backend))


def save_device_memory_profile(filename: str | PathLike[str], backend: str | None = None) -> None:
    """Write `device_memory_profile` to a file: `pprof -web file` shows it.

    Example:
        >>> import pathlib
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "memory.prof")
        ...     save_device_memory_profile(file)
        ...     file.stat().st_size > 0
        True
    """
    Path(filename).write_bytes(device_memory_profile(backend))

"""jaxlib's profiler: its modules, imported when something is first measured, and the profile of a device's memory."""

from __future__ import annotations

import importlib
from typing import Any

from treadle_compiler import jaxlib
from treadle_runtime.client.backend import Backend
from treadle_runtime.client.guard import no_jax_import


def profiler_module() -> Any:  # Any: jaxlib has no types
    """Return jaxlib's module that records profiles."""
    return _module("jaxlib._profiler")


def profile_data_module() -> Any:  # Any: jaxlib has no types
    """Return jaxlib's module that reads profiles."""
    return _module("jaxlib._profile_data")


def _module(name: str) -> Any:
    jaxlib()  # with its chatter off, and not in a forked child
    with no_jax_import():
        return importlib.import_module(name)


def memory_profile(backend: Backend) -> bytes:
    """Return a profile of a platform's device memory and its allocation sites, in pprof's format but not gzipped."""
    return bytes(backend.raw.heap_profile())

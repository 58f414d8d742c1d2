"""`jax._src.lib`: jaxlib, by the names that JAX has for it; for dynamiqs."""

from __future__ import annotations

import importlib
from typing import Any

import jaxlib as jaxlib

from treadle_compiler import start_quietly

start_quietly()

version_str: str = jaxlib.version.__version__
version = tuple(int(number) for number in version_str.split(".")[:3])


def __getattr__(name: str) -> Any:
    """jaxlib's binary modules, imported when they are asked for."""
    if name in ("_jax", "_xla"):
        return importlib.import_module(f"jaxlib.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

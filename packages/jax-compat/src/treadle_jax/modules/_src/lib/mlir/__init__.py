"""`jax._src.lib.mlir`: jaxlib's bindings of MLIR, for libraries with rules of their own for lowering."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    """`ir` and `passmanager`, imported when they are asked for."""
    if name in ("ir", "passmanager"):
        return importlib.import_module(f"jaxlib.mlir.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

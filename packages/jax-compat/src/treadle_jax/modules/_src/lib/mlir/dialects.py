"""`jax._src.lib.mlir.dialects`: jaxlib's dialects; StableHLO is `hlo`, as JAX calls it."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any


def __getattr__(name: str) -> Any:
    """Return a dialect, imported when it is asked for."""
    dialect = f"jaxlib.mlir.dialects.{'stablehlo' if name == 'hlo' else name}"
    if name.startswith("_") or importlib.util.find_spec(dialect) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(dialect)

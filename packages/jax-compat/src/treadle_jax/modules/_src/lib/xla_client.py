"""`jax._src.lib.xla_client`: jaxlib's module of this name, for dynamiqs, with the error that treadle raises."""

from __future__ import annotations

import importlib
from typing import Any

from treadle.errors import JaxRuntimeError as XlaRuntimeError

__all__ = ["XlaRuntimeError"]


def __getattr__(name: str) -> Any:
    """Return the attribute of jaxlib with this name."""
    return getattr(importlib.import_module("jaxlib.xla_client"), name)

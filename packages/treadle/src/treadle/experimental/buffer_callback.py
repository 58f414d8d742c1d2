"""Python functions that write their results into the memory where they are wanted.

`Buffer`, `ExecutionContext` and `ExecutionStage` are jaxlib's classes of what a callback gets.
"""

from __future__ import annotations

from typing import Any

from treadle_compiler import jaxlib
from treadle_ir.errors import boundaries
from treadle_runtime import buffer_callback as buffer_callback

__all__ = ["Buffer", "ExecutionContext", "ExecutionStage", "buffer_callback"]

Buffer: Any
ExecutionContext: Any
ExecutionStage: Any


def __getattr__(name: str) -> Any:  # imported when it is asked for
    if name in ("Buffer", "ExecutionContext", "ExecutionStage"):
        return getattr(jaxlib().core.ffi, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


boundaries(__name__)

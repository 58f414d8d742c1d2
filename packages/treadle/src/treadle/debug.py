"""Printing, calling back and stopping in compiled functions; shardings of arrays."""

from __future__ import annotations

from treadle_ir.core import Callback as DebugEffect, OrderedCallback as OrderedDebugEffect
from treadle_ir.errors import boundaries
from treadle_runtime import (
    breakpoint,
    debug_callback as callback,
    debug_log as log,
    debug_print as print,
    inspect_array_sharding,
    visualize_array_sharding,
    visualize_sharding,
)

__all__ = [
    "DebugEffect",
    "OrderedDebugEffect",
    "breakpoint",
    "callback",
    "inspect_array_sharding",
    "log",
    "print",
    "visualize_array_sharding",
    "visualize_sharding",
]

boundaries(__name__)

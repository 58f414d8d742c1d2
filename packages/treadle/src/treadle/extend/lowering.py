"""What rules of compiled code that build MLIR are given: their context, and MLIR's own."""

from __future__ import annotations

from typing import Any

from treadle.interpreters.building import LoweringRuleContext as LoweringRuleContext
from treadle_compiler import ir_context, ir_dialects
from treadle_ir.errors import boundaries, unknown_name

__all__ = ["JaxIrContext", "LoweringRuleContext", "upstream_dialects"]

JaxIrContext: type[Any]
"""The class of the context that modules are built in: `ctx.module_context.context` is an instance."""
upstream_dialects: Any
"""The `DialectRegistry` of jaxlib with the dialects that a rule can build with."""


def __getattr__(name: str) -> Any:  # MLIR is imported when it is asked for
    if name == "JaxIrContext":
        return type(ir_context())
    if name == "upstream_dialects":
        return ir_dialects()
    raise unknown_name(__name__, name, __all__)


boundaries(__name__)

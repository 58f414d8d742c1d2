"""Evaluation of effectful operations: the host function is called here and now."""

from __future__ import annotations

from treadle_ir.primitives.effectful import HostCall
from treadle_ir.reference.registry import Elements, eval_rule


@eval_rule(HostCall)
def host_call_eval(primitive: HostCall, *operands: Elements) -> list[Elements]:
    """Call the function, and check what it returns."""
    return primitive.callback.checked(*operands)

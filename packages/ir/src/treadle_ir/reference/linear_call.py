"""NumPy evaluation of linear calls: run the function."""

from __future__ import annotations

from treadle_ir.primitives.linear_call import LinearCall
from treadle_ir.reference.control import run_program
from treadle_ir.reference.registry import Elements, eval_rule


@eval_rule(LinearCall)
def linear_call_eval(primitive: LinearCall, *operands: Elements) -> list[Elements]:
    """Run the function."""
    return run_program(primitive.program, operands)

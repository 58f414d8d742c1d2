"""Common subexpression elimination: an operation on the same operands is not repeated."""

from __future__ import annotations

from treadle_ir.core.program import Program
from treadle_ir.rewrite.forward import Forward
from treadle_ir.rewrite.nested import map_programs


def cse(program: Program) -> Program:
    """Remove equations that repeat an earlier equation, also within nested programs.

    Equations are the same when their attributes are (to the bit; nested programs by structure), their operands
    are (literals by bits and type) and they have no effects. Optimisation barriers are never merged.
    """
    return map_programs(program, Forward({}, merging=True))

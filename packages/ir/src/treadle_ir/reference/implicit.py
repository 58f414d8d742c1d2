"""NumPy evaluation of solutions: run the program that finds them."""

from __future__ import annotations

from treadle_ir.primitives.implicit import LinearSolve, Root
from treadle_ir.reference.control import run_program
from treadle_ir.reference.registry import Elements, eval_rule


@eval_rule(LinearSolve)
def linear_solve_eval(primitive: LinearSolve, *operands: Elements) -> list[Elements]:
    """Run `solve`."""
    return run_program(primitive.solve, operands)


@eval_rule(Root)
def root_eval(primitive: Root, *operands: Elements) -> list[Elements]:
    """Run `solve`."""
    return run_program(primitive.solve, operands)

"""Compute values once that XLA:CPU would compute again wherever they are read (`reads.py` says which).

Such a value passes through an operation that XLA does not inline into what reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from treadle_compiler.legalise.features import programs_in
from treadle_compiler.legalise.reads import reads_of
from treadle_compiler.legalise.rewriting import Rewrite, map_equations
from treadle_compiler.legalise.target import Target
from treadle_ir import Attributeless, Equation, Program, Type, Value, register
from treadle_ir.core import PURE


@register
@final
class ComputeOnce(Attributeless):
    """Its operand, which XLA computes before it computes what reads the result."""

    __slots__ = ()
    takes_keys: ClassVar[bool] = True
    name: ClassVar[str] = "compute_once"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The operand's type."""
        return operands


def applies(target: Target) -> bool:
    """Return whether XLA:CPU fuses the program as one device's."""
    return target.platform == "cpu" and not target.partitioned


def compute_expensive_once(program: Program) -> Program:
    """Put `compute_once` behind what makes values that are read often and cost much."""
    if not any([reads_of(each).once for each in programs_in(program)]):
        return program
    return map_equations(program, _rewrite_of)


def _rewrite_of(program: Program) -> Rewrite | None:
    once = reads_of(program).once
    if not once:
        return None

    def rewrite(equation: Equation) -> Sequence[Equation] | None:
        results = [Value(x.type) if x in once else x for x in equation.results]
        pairs = [(a, b) for a, b in zip(results, equation.results, strict=True) if a is not b]
        if not pairs:
            return None
        made = equation._replace(results=tuple(results))
        return [
            made,
            *[Equation(ComputeOnce(), (a,), (b,), PURE, equation.source) for a, b in pairs],
        ]

    return rewrite

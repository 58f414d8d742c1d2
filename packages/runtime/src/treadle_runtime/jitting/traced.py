"""A function staged for one signature, and what that cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from treadle_compiler import adds_constants
from treadle_ir import ArrayType, Operand, Program
from treadle_ir.rewrite import optimise
from treadle_ir.tracing import Tracer
from treadle_ir.tree import PyTreeDef


@final
@dataclass(slots=True)
class Timing:
    """What one signature of a jitted function cost, in seconds; None for what has not happened."""

    function: str
    types: tuple[ArrayType, ...]  # of the arguments
    trace: float = 0.0
    lower: float | None = None
    compile: float | None = None
    first_run: float | None = None
    from_disk: bool = False
    equations: int = 0

    @property
    def signature(self) -> str:
        """The types of the arguments as text, of the first twenty."""
        listed = ", ".join([repr(type) for type in self.types[:20]])
        return listed + (", ..." if len(self.types) > 20 else "")


@final
class Traced:
    """A function staged for one signature."""

    __slots__ = ("_optimised", "captured", "program", "structure", "timing")

    def __init__(
        self,
        program: Program,
        captured: tuple[Operand, ...],
        structure: PyTreeDef,
        timing: Timing,
    ) -> None:
        self.program = program
        self.captured = captured
        self.structure = structure  # of the results
        self.timing = timing
        self._optimised: Program | None = None

    @property
    def portable(self) -> bool:
        """Whether it can be used in other traces: it captured no tracer."""
        return not any([isinstance(each, Tracer) for each in self.captured])

    @property
    def optimised(self) -> Program:
        """The program after the rewriting passes."""
        if self._optimised is None:
            self._optimised = optimise(
                self.program, captured=len(self.captured), keeps_rounding=adds_constants()
            )
        return self._optimised

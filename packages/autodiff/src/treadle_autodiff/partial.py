"""A function of known and unknown operands: what is known is computed now, the rest becomes a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from treadle_autodiff.linearize import SplitTrace
from treadle_ir import Operand, Operands, Program, Type
from treadle_ir.process import frozen
from treadle_ir.tracing import Function, StagedTracer, StagingTrace, current_trace, run_under


@final
@frozen(eq=False)
class SplitKnown:
    """The results (tracers where they are not known), and the program of those that are not."""

    results: Operands
    known: tuple[bool, ...]
    program: Program
    captured: tuple[Operand, ...]  # the first parameters of the program


def split_known(
    function: Function,
    given: Sequence[Operand | Type],
    unknown: Sequence[bool],
    instantiate: bool | Sequence[bool] = False,
) -> SplitKnown:
    """Run a function of flat operands of which some are unknown, and given by their types.

    The program's results are the function's results that are not known; `instantiate` makes others unknown, too.
    Functions with derivative rules of their own are in the program as what they compute.
    """
    parent = current_trace()
    tape = StagingTrace(parent)
    split = SplitTrace(parent, tape)
    operands = [
        tape.parameter(x) if hidden else x  # type: ignore[arg-type]  # `given` is a type there
        for x, hidden in zip(given, unknown, strict=True)
    ]
    try:
        results = run_under(split, function, *operands)
        flags = [instantiate] * len(results) if isinstance(instantiate, bool) else instantiate
        known = tuple(
            [
                not flag and not (isinstance(x, StagedTracer) and x.owner is tape)
                for x, flag in zip(results, flags, strict=True)
            ]
        )
        program = tape.program(
            [x for x, is_known in zip(results, known, strict=True) if not is_known]
        )
    finally:
        split.closed = tape.closed = True
    return SplitKnown(results, known, program, tuple(tape.captured))

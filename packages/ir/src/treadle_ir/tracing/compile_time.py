"""`ensure_compile_time_eval`: operations on known arrays are evaluated while a function is traced."""

from __future__ import annotations

from typing import final

from treadle_ir.core.primitive import Primitive
from treadle_ir.tracing.array import Operands
from treadle_ir.tracing.trace import ROOT, Trace, current_trace, running
from treadle_ir.tracing.tracer import Tracer


@final
class CompileTimeTrace(Trace):
    """Evaluates operations without traced operands; the trace that was current before processes the others."""

    __slots__ = ()

    def process(self, primitive: Primitive, operands: Operands) -> Operands:
        """Evaluate the operation, or let the parent process it."""
        traced = any([isinstance(x, Tracer) and x.constant() is None for x in operands])
        trace = self.parent if traced else ROOT
        assert trace is not None
        with running(trace):
            return trace.process(primitive, operands)


@final
class ensure_compile_time_eval:  # noqa: N801 - reads as a statement
    """`with ensure_compile_time_eval():` evaluates operations on known arrays now, also while a function is traced.

    So Python's `if` works, in the block, on values that do not depend on the function's arguments.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> @treadle.jit
        ... def f(x):
        ...     with treadle.ensure_compile_time_eval():
        ...         large = bool(tnp.arange(3).sum() > 2)
        ...     return x * 2 if large else x
        >>> f(1.0)
        Array(2., dtype=float32, weak_type=True)
    """

    __slots__ = ("_running",)

    def __init__(self) -> None:
        self._running: list[running] = []

    def __enter__(self) -> None:
        inner = running(CompileTimeTrace(current_trace()))
        inner.__enter__()
        self._running.append(inner)

    def __exit__(self, *error: object) -> None:
        self._running.pop().__exit__(None, None, None)

"""Functions recorded as programs while they run on values, so that Python may read elements and choose by them.

Under `jit`, `x.item()` and `if x > 0` are errors; under `grad` they are not, and take what they read out of the
derivative in silence. A recording notes each of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any, ClassVar, Final, final

import numpy as np

from treadle_ir import Operand, Operands, Primitive, Program, Value, bind, type_of
from treadle_ir.core import Literal
from treadle_ir.errors import NOWHERE, Source, capture
from treadle_ir.tracing import (
    StagedTracer,
    StagingTrace,
    Trace,
    Tracer,
    current_trace,
    run_under,
    running,
)

_METHODS: Final = frozenset(
    {"__bool__", "__int__", "__float__", "__complex__", "__index__", "__trunc__", "item", "tolist"}
)


@final
@dataclass(frozen=True)
class Read:
    """A place where Python read the elements of a traced value.

    Attributes:
        value: the value in the recorded program.
        method: how: `item`, `__float__`, or `__bool__` for a condition.
        source: where.
    """

    value: Value
    method: str
    source: Source

    @property
    def chooses(self) -> bool:
        """Whether it was for a condition: `if`, `while`, `and`, `or`, `not`."""
        return self.method == "__bool__"


@final
@dataclass(frozen=True)
class Recording:
    """A function recorded for some operands.

    Attributes:
        program: the program, whose first parameters are the captured arrays.
        captured: these arrays.
        reads: where Python read elements, in order.
    """

    program: Program
    captured: tuple[Operand, ...]
    reads: tuple[Read, ...]


@final
class RecordedTracer(Tracer):
    """Represents a value that is both known and a part of the recorded program."""

    __slots__ = ("staged", "type")
    made_by: ClassVar[str] = "recorded, as by explain"

    def __init__(self, trace: RecordingTrace, staged: StagedTracer) -> None:
        self.owner = trace
        self.staged: Final = staged
        self.type = type_of(staged)

    @property
    def source(self) -> Source:
        """Where the value was made."""
        return self.staged.source

    def concrete(self) -> np.ndarray[Any, np.dtype[Any]]:
        """Return the elements, after noting that Python reads them."""
        trace = self.owner
        assert isinstance(trace, RecordingTrace)
        method = _reading_method()
        if method is not None:
            trace.reads.append(Read(self.staged.value, method, capture()))
        return np.asarray(trace.values[self.staged.value])


@final
class RecordingTrace(Trace):
    """Evaluates operations, and writes them down."""

    __slots__ = ("reads", "tape", "values")

    def __init__(self, parent: Trace) -> None:
        super().__init__(parent)
        self.tape: Final = StagingTrace(parent)
        self.values: Final[dict[Value, Operand]] = {}
        self.reads: Final[list[Read]] = []

    def parameter(self, operand: Operand) -> RecordedTracer:
        """Return the tracer of a parameter with this value."""
        staged = self.tape.parameter(type_of(operand))
        self.values[staged.value] = operand
        return RecordedTracer(self, staged)

    def process(self, primitive: Primitive, operands: Operands) -> Operands:
        """Write the operation down, and evaluate what was written."""
        tape = self.tape
        assert self.parent is not None
        written = len(tape.equations)
        with running(self.parent):
            results = tape.process(primitive, [self._staged(x) for x in operands])
            outside = tape.outside()
            for equation in tape.equations[written:]:
                given = [
                    atom.value
                    if isinstance(atom, Literal)
                    else self.values[atom]
                    if atom in self.values
                    else outside[atom]
                    for atom in equation.operands
                ]
                found = bind(equation.primitive, *given)  # type: ignore[arg-type]  # operands
                self.values.update(zip(equation.results, found, strict=True))
        return [RecordedTracer(self, x) if isinstance(x, StagedTracer) else x for x in results]

    def _staged(self, operand: Operand) -> Operand:
        """Return the operand as the tape takes it."""
        if isinstance(operand, RecordedTracer) and operand.owner is self:
            return operand.staged
        return operand

    def staged(self, results: Sequence[Operand]) -> list[Operand]:
        """Return results as the tape takes them."""
        return [self._staged(x) for x in results]


def record(function: Callable[..., Operands], operands: Sequence[Operand]) -> Recording:
    """Run a function of flat operands on values, and return its program and where Python read elements.

    Args:
        function: a function of as many operands as are given.
        operands: the values.
    """
    trace = RecordingTrace(current_trace())
    try:
        results = run_under(trace, function, *[trace.parameter(x) for x in operands])
        program = trace.tape.program(trace.staged(results))
    finally:
        trace.closed = trace.tape.closed = True
    return Recording(program, tuple(trace.tape.captured), tuple(trace.reads))


def _reading_method() -> str | None:
    """Return the method of arrays by which the user's code reads elements; None if treadle's own code does."""
    frame: FrameType | None = sys._getframe(2)
    user = capture()
    method = None
    while frame is not None and frame.f_code is not user.code:
        if frame.f_code.co_name in _METHODS:
            method = frame.f_code.co_name
        frame = frame.f_back
    return None if user is NOWHERE else method

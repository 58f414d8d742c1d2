"""Traces: interpretations of primitives, one current at a time.

A trace has a parent, the trace under which its rules run, and one method, `process`. The current trace is a
context variable: threads and tasks start clean, with evaluation. There are no levels: a trace that meets a
tracer which is not its own treats it as any other operand and leaves it to its parent
(decisions/0002-context-trace.md).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextvars import ContextVar, Token
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar, Final, ParamSpec, TypeVar, final

from treadle_ir.core.families import Extension, FunctionCall
from treadle_ir.core.primitive import Primitive
from treadle_ir.errors.kinds import TreadleError, out_of_memory
from treadle_ir.errors.other_libraries import explain
from treadle_ir.errors.source import Place, place, within
from treadle_ir.settings.context import context_overrides
from treadle_ir.tracing.array import Array

if TYPE_CHECKING:
    from treadle_ir.tracing.array import Operand, Operands
    from treadle_ir.tracing.ports import Evaluator

P = ParamSpec("P")
T = TypeVar("T")


class Trace(ABC):
    """One interpretation of primitives: `process` is what it must have."""

    __slots__ = ("closed", "parent")
    shown: ClassVar[str] = ""  # the transformation in the names of operations, as `jvp()`
    parent: Trace | None  # the trace under which this trace's rules run
    closed: bool  # set when the transformation is over; its tracers may not be used after that

    def __init__(self, parent: Trace | None) -> None:
        self.parent = parent
        self.closed = False

    @abstractmethod
    def process(self, primitive: Primitive, operands: Operands) -> Operands:
        """Apply a primitive to operands, in this trace's sense."""

    def accepts_tracers_of(self, other: Trace) -> bool:
        """Whether operations under this trace may have tracers of the other one for operands: its own, by default."""
        return other is self


@final
class EvalTrace(Trace):
    """Runs primitives at once: the trace at the bottom of every stack."""

    __slots__ = ("evaluator",)

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__(None)
        self.evaluator = evaluator

    def process(self, primitive: Primitive, operands: Operands) -> Operands:
        """Evaluate; the body of a `FunctionCall` runs as the Python it is."""
        if primitive.is_function:
            assert isinstance(primitive, (FunctionCall, Extension))
            return primitive.call(operands)
        try:
            return self.evaluator.evaluate(primitive, operands)
        except MemoryError as error:
            if isinstance(error, TreadleError):
                raise
            raise out_of_memory(error) from None


@final
class _Nothing:
    """Stands in until an evaluator is installed, while treadle_ir itself is imported."""

    def evaluate(self, primitive: Primitive, operands: Operands) -> Operands:
        raise AssertionError("no evaluator is installed")

    def call(
        self, function: Callable[..., T], args: object, kwargs: object, loops: bool = False, /
    ) -> T:
        raise AssertionError("no evaluator is installed")

    def array(
        self, elements: object, weak: bool, *, owned: bool = True, users: bool = False
    ) -> Array:
        raise AssertionError("no evaluator is installed")

    def adopted(self, x: object, kind: int, number: int) -> Array | None:
        raise AssertionError("no evaluator is installed")


ROOT: Final = EvalTrace(_Nothing())
_current: Final[ContextVar[Trace]] = ContextVar("treadle_trace", default=ROOT)
current_trace = _current.get
set_current = _current.set  # for hot paths, always with `reset_current` in a `finally`
reset_current = _current.reset


@final
class running:  # noqa: N801 - reads as a statement: `with running(trace):`
    """`with running(trace):` makes it the current trace for a while."""

    __slots__ = ("_token", "_trace")

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._token: Token[Trace] | None = None

    def __enter__(self) -> None:
        self._token = _current.set(self._trace)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._token is not None
        _current.reset(self._token)


def run_under(trace: Trace, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What a function returns while a trace is the current one.

    This is how functions of users are run. Wherever an interrupt such as Ctrl-C comes, the trace and the context that
    were current before are so again: a context manager can be interrupted on entering and on leaving.
    """
    before, overrides, here = _current.get(), context_overrides.get(), place.get()
    shown = trace.shown
    try:
        _current.set(trace)
        if here is not None:  # lines are the function's own
            path = within(here.path, shown) if shown else here.path
            place.set(Place(here.scope, None, None, path) if path else None)
        elif shown:
            place.set(Place("", None, None, shown))
        return function(*args, **kwargs)
    except (TypeError, ValueError) as error:
        explain(error)
        raise
    finally:
        _current.set(before)  # not by a token: the interrupt may have come before there was one
        context_overrides.set(overrides)
        if here is not None or shown:
            place.set(here)


def bind(primitive: Primitive, *operands: Operand) -> Sequence[Array]:
    """Apply a primitive under the current trace; always a sequence of results.

    To those who ask they are arrays. (The reference evaluator's are NumPy's, which have the same shape, element type,
    operators and methods; that is the one place where the two are taken for each other.)
    """
    return current_trace().process(primitive, operands)  # type: ignore[return-value]  # as said


def current_evaluator() -> Evaluator:
    """The evaluator at the bottom of the current trace."""
    trace = current_trace()
    while trace.parent is not None:
        trace = trace.parent
    assert isinstance(trace, EvalTrace), "evaluation is at the bottom of every stack of traces"
    return trace.evaluator


def evaluating(evaluator: Evaluator) -> running:
    """`with evaluating(ReferenceEvaluator()):` evaluates with it for a while, in this thread."""
    return running(EvalTrace(evaluator))

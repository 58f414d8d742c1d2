"""Traces: interpretations of primitives, one current at a time.

A trace has a parent, the trace under which its rules run, and one method, `process`. The current trace is a
context variable: threads and tasks start with evaluation. There are no levels: a trace treats a
tracer of a different trace as any other operand and leaves it to its parent
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
    """One interpretation of primitives, defined by `process`."""

    __slots__ = ("closed", "function", "parent")
    shown: ClassVar[str] = ""  # the transformation in the names of operations, as `jvp()`
    parent: Trace | None  # the trace under which this trace's rules run
    closed: bool  # set when the transformation is over; its tracers may not be used after that
    function: object  # that runs under it, for messages; unset until one does

    def __init__(self, parent: Trace | None) -> None:
        self.parent = parent
        self.closed = False

    @abstractmethod
    def process(self, primitive: Primitive, operands: Operands) -> Operands:
        """Apply a primitive to operands under this trace's interpretation."""

    def accepts_tracers_of(self, other: Trace) -> bool:
        """Return whether operations of this trace may have tracers of `other` as operands: by default only its own."""
        return other is self


@final
class EvalTrace(Trace):
    """Evaluates primitives immediately: the trace at the bottom of every stack."""

    __slots__ = ("evaluator",)

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__(None)
        self.evaluator = evaluator

    def process(self, primitive: Primitive, operands: Operands) -> Operands:
        """Evaluate a primitive; the body of a `FunctionCall` runs as a Python function."""
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
    """A placeholder until an evaluator is installed, while treadle_ir itself is imported."""

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
    """`with running(trace):` makes `trace` the current trace in the block."""

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
    """Call a function with `trace` as the current trace, and return its result.

    Users' functions are run this way. Wherever an interrupt such as Ctrl-C comes, the previous trace and context are
    restored; a context manager could be interrupted on entering and on leaving.
    """
    before, overrides, here = _current.get(), context_overrides.get(), place.get()
    shown = trace.shown
    trace.function = getattr(function, "function", function)  # a `TreeFunction` has the user's
    try:
        _current.set(trace)
        if here is not None:  # the function has its own locations
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

    The results are typed as arrays. (The reference evaluator's results are NumPy arrays, which have the same shape,
    element type, operators and methods; only here are the two treated as the same.)
    """
    return current_trace().process(primitive, operands)  # type: ignore[return-value]  # see above


def current_evaluator() -> Evaluator:
    """Return the evaluator at the bottom of the current trace."""
    trace = current_trace()
    while trace.parent is not None:
        trace = trace.parent
    assert isinstance(trace, EvalTrace), "evaluation is at the bottom of every stack of traces"
    return trace.evaluator


def evaluating(evaluator: Evaluator) -> running:
    """Return a context manager that evaluates with `evaluator` in this thread, such as `ReferenceEvaluator()`."""
    return running(EvalTrace(evaluator))

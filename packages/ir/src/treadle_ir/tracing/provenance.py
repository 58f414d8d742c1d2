"""Which arguments of a staged function a traced value depends on: for errors, which name them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from treadle_ir.core.values import Value
from treadle_ir.errors.kinds import ConcretizationError
from treadle_ir.errors.source import is_internal, short_name
from treadle_ir.tracing.arguments import positional_names
from treadle_ir.tracing.tracer import Tracer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from treadle_ir.tracing.arguments import Arguments
    from treadle_ir.tracing.staging import StagingTrace

_MOST: Final = 3  # arguments that a message names


@contextmanager
def naming_arguments(
    transformation: str, name: str, function: Callable[..., Any], arguments: Arguments
) -> Iterator[None]:
    """Say which function was being traced, and which of its arguments the value depends on, where Python asked for a
    value that is not known; the errors of `stage_tree` go through this.
    """
    try:
        yield
    except ConcretizationError as error:
        code = getattr(function, "__code__", None)
        place = ""
        if code is not None and not is_internal(code.co_filename):
            place = f", at {short_name(code.co_filename)}:{code.co_firstlineno},"
        depends = ""
        if error.arguments:
            paths = arguments.paths(positional_names(function))
            found = [paths[i] for i in error.arguments[:_MOST]]
            more = ", ..." if len(error.arguments) > _MOST else ""
            depends = f"; the value depends on {', '.join(found)}{more}"
        error.add_note(f"  while: tracing {name}{place} for {transformation}{depends}")
        raise


def arguments_behind(trace: StagingTrace, asked: object) -> tuple[int, ...]:
    """The positions of the trace's parameters that a value depends on, also one of a function staged or transformed
    inside of the trace's.

    Empty where none is known: the carry of a loop depends on what the loop was given, which is not looked for.

    Example:
        >>> from treadle_ir import ArrayType, ops
        >>> from treadle_ir.tracing.staging import StagingTrace
        >>> import numpy as np
        >>> trace = StagingTrace(None)
        >>> x, y = [trace.parameter(ArrayType((), np.dtype("f4"))) for _ in range(2)]
        >>> arguments_behind(trace, y)
        (1,)
    """
    needed = _ancestors(trace, _values(trace, asked))
    return tuple([i for i, parameter in enumerate(trace.parameters) if parameter in needed])


def _values(trace: StagingTrace, asked: object) -> set[Value]:
    """The values of the trace's own that stand for a tracer, or for what a function inside captures for it."""
    from treadle_ir.tracing.staging import StagedTracer, StagingTrace  # noqa: PLC0415 - which imports this

    while isinstance(asked, Tracer):
        if isinstance(asked, StagedTracer):
            if asked.owner is trace:
                return {asked.value}
            assert isinstance(asked.owner, StagingTrace)
            needed = _ancestors(asked.owner, {asked.value})
            outside = [x for value, x in asked.owner.outside().items() if value in needed]
            return {value for each in outside for value in _values(trace, each)}
        asked = asked.behind()
    return set()


def _ancestors(trace: StagingTrace, values: Iterable[Value]) -> set[Value]:
    """These values and all of the trace's that they are computed from."""
    needed = set(values)
    for equation in reversed(trace.equations):
        if not needed.isdisjoint(equation.results):
            needed.update([x for x in equation.operands if isinstance(x, Value)])
    return needed

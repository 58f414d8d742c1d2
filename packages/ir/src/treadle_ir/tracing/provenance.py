"""The arguments of a staged function on which a traced value depends: for errors, which name them."""

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
    """Name, in a `ConcretizationError`, the traced function and the arguments on which the value depends.

    The errors of `stage_tree` pass through this context.
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
    """Return the positions of the trace's parameters on which the value `asked` depends.

    The value may belong to a function that is staged or transformed inside the trace's function. The result is empty if
    no parameter is known: the carry of a loop depends on the loop's operands, which are not searched.

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
    """Return the trace's values that represent a tracer, or the captures of an inner function on which it depends."""
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
    """Return these values and all values of the trace from which they are computed."""
    needed = set(values)
    for equation in reversed(trace.equations):
        if not needed.isdisjoint(equation.results):
            needed.update([x for x in equation.operands if isinstance(x, Value)])
    return needed

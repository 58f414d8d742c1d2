"""`explain`: looks at one function for certain arguments, without running it unless values are asked for."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, Final

from treadle_autodiff import Argnums, derivative_of, grad
from treadle_insight.looks import PROGRAM_LOOKS, TABLE_LOOKS, program_look, table_look
from treadle_insight.recording import record
from treadle_insight.report import Report
from treadle_insight.subject import Subject
from treadle_ir import Operand, Operands, Program
from treadle_ir.calling import as_array
from treadle_ir.errors import ConcretizationError, integers, refused, wraps
from treadle_ir.rewrite import inline
from treadle_ir.settings import FULL_TRACEBACKS, TRACEBACK_FRAMES
from treadle_ir.tracing import positional_names, take_apart
from treadle_ir.tree import keystr, tree_flatten_with_path
from treadle_runtime import JitFunction, jit

_CALLERS: Final = 16  # lines that called an operation's line, at most


def explain(
    function: Callable[..., Any], *, values: bool = False, gradient: Argnums | None = None
) -> Callable[..., Report]:
    """Return a function that explains `function` for its arguments.

    The function is traced, or found traced, and its program is looked at: captured arrays, unrolled loops, donated
    arguments, costs by line, memory at the peak. Nothing is run and nothing compiled unless `values` is set. A function
    with an unrolled loop whose body is in another function is traced twice.

    Args:
        function: a function, or a jitted one, whose static and donated arguments are then known. Any: of users.
        values: whether to run the program, for findings that need values: zero gradients, NaNs, digits.
        gradient: the positions of the arguments whose gradient is explained, as for `grad`; None explains `function`
            itself. `explain(grad(f))` does the same as `explain(f, gradient=0)`.

    Returns:
        A function of the same arguments that returns a `Report`.

    Raises:
        ArgumentError: `function` is not a function, or `gradient` is not a number of an argument or several.

    Example:
        >>> import numpy as np
        >>> from treadle_insight import explain
        >>> from treadle_ir import ops
        >>> table = np.ones((1500, 1500), np.float32)
        >>> report = explain(lambda x: ops.multiply(x, table))(table)
        >>> [finding.kind for finding in report.findings()]
        ['capture.large']
    """

    if not callable(function):
        raise refused("explain", "function", "a function", function)
    if gradient is not None and not isinstance(gradient, int):
        gradient = integers("explain", "gradient", gradient)
    explained_function = function if gradient is None else grad(function, gradient)

    @wraps(function)
    def explained(*args: Any, **kwargs: Any) -> Report:
        jitted = explained_function if isinstance(explained_function, JitFunction) else None
        if jitted is None:
            shown = _without_aux(explained_function)
            jitted = jit(shown, static_argnums=_kept(explained_function, args))
        started = time.perf_counter()
        try:
            traced = jitted.trace(*args, **kwargs)
        except ConcretizationError as error:
            if not values or isinstance(function, JitFunction):
                if not isinstance(function, JitFunction):
                    error.add_note(f"  fix: {_RECORDS}")
                raise
            return report_on(recorded(explained_function, args, kwargs))
        seconds = time.perf_counter() - started

        def with_callers() -> Program:
            with FULL_TRACEBACKS.override(True), TRACEBACK_FRAMES.override(_CALLERS):
                return inline(jitted.trace(*args, **kwargs).program)

        results = [keystr(path) for path, _ in tree_flatten_with_path(traced.out_info)[0]]
        subject = Subject(
            traced.fun_name,
            inline(traced.program),
            traced.parameter_paths(positional_names(jitted.__wrapped__)),
            traced.captured,
            results,
            traced,
            jitted.__wrapped__ if isinstance(function, JitFunction) else explained_function,
            args,
            kwargs,
            values,
            seconds,
            with_callers,
            {frame.f_code for frame, _ in traceback.walk_stack(sys._getframe(1))},
            traced.operands if values else (),
        )
        return report_on(subject)

    return explained


_RECORDS: Final = (
    "explain(..., values=True) runs the function on its arguments, so that Python may read elements"
)


def _without_aux(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a derivative without the auxiliary output, which may be of any kind; other functions unchanged."""
    of = derivative_of(function)
    if of is None or not of.has_aux:
        return function

    @wraps(function)
    def without(*args: Any, **kwargs: Any) -> Any:
        first, second = function(*args, **kwargs)
        return (first[0], second) if of.mode == "value_and_grad" else first

    return without


def recorded(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Subject:
    """Return a function as a subject that was recorded while it ran on its arguments.

    Args:
        function: a function in which Python reads elements, as `if x > 0` does. Any: of users.
        args: its positional arguments.
        kwargs: its keyword arguments.
    """
    taken = take_apart(tuple(args), kwargs)
    operands = [as_array(leaf) for leaf in taken.leaves]
    results: list[str] = []
    shown = _without_aux(function)

    def flat(*operands: Operand) -> Operands:
        given, keywords = taken.rebuilt(operands)
        output = tree_flatten_with_path(shown(*given, **keywords))[0]
        results.extend([keystr(path) for path, _ in output])
        return [as_array(leaf) for _, leaf in output]

    recording = record(flat, operands)
    captured = recording.captured
    names = [f"captured array {number}" for number in range(len(captured))]
    return Subject(
        getattr(function, "__name__", "the function"),
        inline(recording.program),
        [*names, *taken.paths(positional_names(function))],
        captured,
        results,
        None,
        function,
        args,
        kwargs,
        values=True,
        operands=[*captured, *operands],
    )


def _kept(function: Callable[..., Any], args: Sequence[Any]) -> tuple[int, ...]:
    """Return the positions of arguments that a gradient passes to its function as they are, such as Python integers."""
    of = derivative_of(function)
    if of is None:
        return ()
    wanted = of.positions(len(args))
    kept = (int, str, FunctionType)
    return tuple([i for i, x in enumerate(args) if i not in wanted and isinstance(x, kept)])


def report_on(subject: Subject) -> Report:
    """Return a report on a program.

    Args:
        subject: the program, and what is known of its function.
    """
    count = len(subject.program.equations)
    title = f"{subject.name}, {count} operation{'' if count == 1 else 's'}"
    found = [finding for name in PROGRAM_LOOKS for finding in program_look(name)(subject)]
    tables = [table for name in TABLE_LOOKS for table in table_look(name)(subject)]
    return Report(title, found, tables)

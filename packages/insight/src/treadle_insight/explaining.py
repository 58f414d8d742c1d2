"""`explain`: looks at one function for certain arguments, without running it unless values are asked for."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable
from typing import Any, Final

from treadle_insight.looks import PROGRAM_LOOKS, TABLE_LOOKS, program_look, table_look
from treadle_insight.report import Report
from treadle_insight.subject import Subject
from treadle_ir import Program
from treadle_ir.errors import wraps
from treadle_ir.rewrite import inline
from treadle_ir.settings import FULL_TRACEBACKS, TRACEBACK_FRAMES
from treadle_ir.tracing import positional_names
from treadle_ir.tree import keystr, tree_flatten_with_path
from treadle_runtime import JitFunction, jit

_CALLERS: Final = 16  # lines that called an operation's line, at most


def explain(function: Callable[..., Any], *, values: bool = False) -> Callable[..., Report]:
    """Return a function that explains `function` for its arguments.

    The function is traced, or found traced, and its program is looked at: captured arrays, unrolled loops, donated
    arguments, costs by line, memory at the peak. Nothing is run and nothing compiled unless `values` is set. A function
    with an unrolled loop whose body is in another function is traced twice.

    Args:
        function: a function, or a jitted one, whose static and donated arguments are then known. Any: of users.
        values: whether to run the program, for findings that need values: zero gradients, NaNs, digits.

    Returns:
        A function of the same arguments that returns a `Report`.

    Example:
        >>> import numpy as np
        >>> from treadle_insight import explain
        >>> from treadle_ir import ops
        >>> table = np.ones((1500, 1500), np.float32)
        >>> report = explain(lambda x: ops.multiply(x, table))(table)
        >>> [finding.kind for finding in report.findings()]
        ['capture.large']
    """

    @wraps(function)
    def explained(*args: Any, **kwargs: Any) -> Report:
        jitted = function if isinstance(function, JitFunction) else jit(function)
        started = time.perf_counter()
        traced = jitted.trace(*args, **kwargs)
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
            jitted.__wrapped__,
            args,
            kwargs,
            values,
            seconds,
            with_callers,
            {frame.f_code for frame, _ in traceback.walk_stack(sys._getframe(1))},
        )
        return report_on(subject)

    return explained


def report_on(subject: Subject) -> Report:
    """Return a report on a program.

    Args:
        subject: the program, and what is known of its function.
    """
    count = len(subject.program.equations)
    title = f"{subject.name}, {count} operations"
    found = [finding for name in PROGRAM_LOOKS for finding in program_look(name)(subject)]
    tables = [table for name in TABLE_LOOKS for table in table_look(name)(subject)]
    return Report(title, found, tables)

"""Marks in a trace: what Python did, by names of the user's own."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from treadle_ir.errors import functions, names, wraps
from treadle_runtime import profiler_module

P = ParamSpec("P")
R = TypeVar("R")


class TraceAnnotation:
    """`with TraceAnnotation("load"):` marks what happens meanwhile; keyword arguments are shown with the name.

    Example:
        >>> from treadle.profiler import TraceAnnotation
        >>> with TraceAnnotation("load", batch=3):
        ...     total = sum(range(10))
    """

    def __init__(self, name: str, **kwargs: Any) -> None:  # Any: numbers and strings
        names("TraceAnnotation", name=name)
        self._mark = profiler_module().TraceMe(name, **kwargs)

    def set_metadata(self, **kwargs: Any) -> None:
        """Show more keyword arguments with the name."""
        self._mark.set_metadata(**kwargs)

    def __enter__(self) -> TraceAnnotation:
        self._mark.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._mark.__exit__(kind, error, traceback)


class StepTraceAnnotation(TraceAnnotation):
    """`with StepTraceAnnotation("train", step_num=i):` marks one step; TensorBoard then measures step by step."""

    def __init__(self, name: str, **kwargs: Any) -> None:  # Any: numbers and strings
        super().__init__(name, _r=1, **kwargs)


def annotate_function(
    func: Callable[P, R], name: str | None = None, **decorator_kwargs: Any
) -> Callable[P, R]:
    """Return the function, with a mark around each of its calls; a decorator. The name is by default the function's.

    Raises:
        ArgumentError: it is not a function.

    Example:
        >>> from treadle.profiler import annotate_function
        >>> @annotate_function
        ... def load():
        ...     return 3
        >>> load()
        3
    """
    functions("annotate_function", func=func)
    names("annotate_function", name=name)
    label = name or getattr(func, "__qualname__", None) or type(func).__qualname__

    @wraps(func)
    def marked(*args: P.args, **kwargs: P.kwargs) -> R:
        with TraceAnnotation(label, **decorator_kwargs):
            return func(*args, **kwargs)

    return marked

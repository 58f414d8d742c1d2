"""Constants: arrays that a staged function makes of concrete values, such as `array([1, 2])` under jit."""

from __future__ import annotations

from typing import Any, ClassVar, Final, final

import numpy as np

from treadle_ir.errors.tracebacks import boundary
from treadle_ir.tracing.array import Array, type_of
from treadle_ir.tracing.compile_time import CompileTimeTrace
from treadle_ir.tracing.staging import StagingTrace
from treadle_ir.tracing.trace import ROOT, Trace, current_trace
from treadle_ir.tracing.tracer import Tracer


@boundary
@final
class KnownTracer(Tracer):
    """Represents a constant array: a tracer, since code makes an array to find out whether it is being staged.

    It is transparent: Python may read its elements, and it may outlive the function that made it.
    """

    __slots__ = ("array", "type")
    made_by: ClassVar[str] = "made of what is known while a function is staged"

    def __init__(self, trace: Trace, array: Array) -> None:
        self.owner = trace
        self.array: Final = array
        self.type = type_of(array)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the array that tracers lack, such as its sharding, or how to wait for it."""
        return getattr(object.__getattribute__(self, "array"), name)

    def concrete(self) -> np.ndarray[Any, np.dtype[Any]]:
        """Return the elements."""
        return np.asarray(self.array)

    def behind(self) -> Array:
        """Return the array."""
        return self.array

    def constant(self) -> Array:
        """Return the array."""
        return self.array

    def original(self) -> Array:
        """Return the array."""
        return self.array


def as_staged(array: Array) -> Array:
    """Return a new array as the function that is being staged sees it, or `array` itself if none is staged.

    Example:
        >>> import numpy as np
        >>> from treadle_ir.calling import as_array
        >>> from treadle_ir import stage
        >>> x = as_array(np.ones(3))
        >>> as_staged(x) is x
        True
        >>> staged = stage(lambda: [print(type(as_staged(x)).__name__) or as_staged(x)])
        KnownTracer
    """
    trace: Trace | None = current_trace()
    if trace is ROOT or isinstance(array, Tracer):  # the common case
        return array
    while trace is not None and not isinstance(trace, (StagingTrace, CompileTimeTrace)):
        trace = trace.parent
    return KnownTracer(trace, array) if isinstance(trace, StagingTrace) else array

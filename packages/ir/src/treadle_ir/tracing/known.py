"""Arrays that a function makes of values known while it is staged, such as `array([1, 2])` under jit."""

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
    """Stands for an array of known elements: a tracer, since code that asks whether it is staged makes an array to see.

    It is transparent: Python may ask for its elements, and it may outlive the function that made it.
    """

    __slots__ = ("array", "type")
    made_by: ClassVar[str] = "made of what is known while a function is staged"

    def __init__(self, trace: Trace, array: Array) -> None:
        self.owner = trace
        self.array: Final = array
        self.type = type_of(array)

    def __getattr__(self, name: str) -> Any:
        """What the array has beside what tracers have: where it lies, how to wait for it."""
        return getattr(object.__getattribute__(self, "array"), name)

    def concrete(self) -> np.ndarray[Any, np.dtype[Any]]:
        """The elements."""
        return np.asarray(self.array)

    def behind(self) -> Array:
        """The array."""
        return self.array

    def constant(self) -> Array:
        """The array."""
        return self.array

    def original(self) -> Array:
        """The array."""
        return self.array


def as_staged(array: Array) -> Array:
    """A new array as the function that is being staged sees it; as it is where nothing is staged.

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
    if trace is ROOT or isinstance(array, Tracer):  # as nearly always
        return array
    while trace is not None and not isinstance(trace, (StagingTrace, CompileTimeTrace)):
        trace = trace.parent
    return KnownTracer(trace, array) if isinstance(trace, StagingTrace) else array

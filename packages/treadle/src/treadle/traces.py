"""Traces of a library's own: interpretations of operations by a method, in JAX's terms.

A `Trace` is current within `with set_current_trace(trace):`. Each operation is then given to its `process_primitive`,
under the name and with the parameters that it has in a jaxpr; what that returns is the result. Values of the trace are
instances of a subclass of `treadle.core.Tracer`, which is given the trace and what is known of the array.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Sequence
from typing import Any, TypeAlias

from treadle_ir import (
    Extension,
    FunctionCall,
    Operand,
    Operands,
    Primitive,
    Trace as Interpretation,
    current_trace,
    refused,
    running,
)

Value: TypeAlias = Any  # Any: a tracer of the library's own, or another array


class _Interpreting(ABCMeta):
    """What makes `Trace` the class of treadle's own interpretations, too."""

    def __instancecheck__(cls, x: object) -> bool:
        return issubclass(type(x), cls)

    def __subclasscheck__(cls, kind: type) -> bool:
        return cls in kind.__mro__ or (cls is Trace and Interpretation in kind.__mro__)


class Trace(Interpretation, metaclass=_Interpreting):
    """An interpretation of operations: derive from it, and write `process_primitive`.

    Functions with rules of their own, such as those of `custom_jvp`, are interpreted operation by operation, and what
    `jit` calls is one operation, `jit_p`.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.core import Trace, Tracer
        >>> from treadle.extend.core import set_current_trace, take_current_trace
        >>> class Named(Tracer):
        ...     def __init__(self, trace, value, name):
        ...         super().__init__(trace, value.aval)
        ...         self.value, self.name = value, name
        >>> class Names(Trace):
        ...     def process_primitive(self, primitive, tracers, params):
        ...         values = [x.value if isinstance(x, Named) else x for x in tracers]
        ...         names = [x.name if isinstance(x, Named) else str(x) for x in tracers]
        ...         result = primitive.bind_with_trace(self.parent, values, params)
        ...         return Named(self, result, f"{primitive}({', '.join(names)})")
        >>> x, trace = tnp.float32(2.0), Names()
        >>> with set_current_trace(trace):
        ...     y = tnp.sin(Named(trace, x, "x")) * 3
        >>> y.name
        'mul(sin(x), 3.0)'
    """

    def __init__(self, parent: Interpretation | None = None) -> None:
        super().__init__(current_trace() if parent is None else parent)

    @abstractmethod
    def process_primitive(
        self, primitive: Value, tracers: Sequence[Value], params: dict[str, Value], /
    ) -> Value:
        """The result of an operation; a list, if `primitive.multiple_results`."""

    def process(self, primitive: Primitive, operands: Operands) -> Operands:
        """Hand an operation over, as JAX names it."""
        # They import treadle.core, which offers this class.
        from treadle.extension import Application  # noqa: PLC0415
        from treadle.jaxprs import params_of, view_of  # noqa: PLC0415
        from treadle_numpy.lax.attributes import ordered  # noqa: PLC0415
        from treadle_numpy.lax.views import MetParameters  # noqa: PLC0415

        if isinstance(primitive, (FunctionCall, Extension)) and not isinstance(
            primitive, Application
        ):
            with running(self):
                return primitive.call(operands)
        view = view_of(primitive)
        params = MetParameters(params_of(primitive), primitive)
        found = self.process_primitive(view, [*ordered(primitive.name, operands)], params)
        if not view.multiple_results:
            return [found]
        if not isinstance(found, (list, tuple)):
            raise refused(
                f"{type(self).__name__}.process_primitive",
                f"the results of {view}",
                "a list",
                found,
            )
        results: list[Operand] = [*found]
        return results

    def full_raise(self, x: Value) -> Value:
        """The value: those of other traces may stand beside the trace's own."""
        return x

    def invalidate(self) -> None:
        """Say that the interpretation is over: its tracers may not be used any more."""
        self.closed = True

    def is_valid(self) -> bool:
        """Whether it is not over."""
        return not self.closed

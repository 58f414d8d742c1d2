"""Traces of a library's own: interpretations of operations by a method, in JAX's terms.

A `Trace` is current within `with set_current_trace(trace):`. Each operation is then given to its `process_primitive`,
under the name and with the parameters that it has in a jaxpr; what that returns is the result. Values of the trace are
instances of a subclass of `treadle.core.Tracer`, which is given the trace and what is known of the array.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from treadle_ir import FunctionCall, Operand, Operands, Primitive
from treadle_ir.core import Extension
from treadle_ir.errors import refused
from treadle_ir.primitives.call import CustomJvpCall, CustomVjpCall
from treadle_ir.tracing import Trace as Interpretation, Tracer, current_trace, running

Value: TypeAlias = Any  # Any: a tracer of the library's own, or another array


class _Interpreting(ABCMeta):
    """What makes `Trace` the class of treadle's own interpretations, too."""

    def __instancecheck__(cls, x: object) -> bool:
        return issubclass(type(x), cls)

    def __subclasscheck__(cls, kind: type) -> bool:
        return cls in kind.__mro__ or (cls is Trace and Interpretation in kind.__mro__)


class Trace(Interpretation, metaclass=_Interpreting):
    """An interpretation of operations: derive from it, and write `process_primitive`.

    What `jit` calls is one operation, `jit_p`. Functions with rules of their own are interpreted operation by operation
    where a subclass does not say what becomes of them, by methods that JAX's interpreters have:

    - `process_custom_jvp_call(primitive, fun, jvp, tracers, *, symbolic_zeros)`
    - `process_custom_vjp_call(primitive, fun, fwd, bwd, tracers, *, out_trees, symbolic_zeros)`

    The functions are flat, of class `treadle.extend.linear_util.WrappedFun`. Called with tracers of this trace they are
    interpreted by it, whichever trace is current. To keep the rules, such a method binds the primitive again, with
    functions that it made of these as the parameter `subfuns`.

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
        """Return the result of an operation; a list, if `primitive.multiple_results`."""

    def process(self, primitive: Primitive, operands: Operands) -> Operands:
        """Hand an operation over, as JAX names it."""
        # They import treadle.core, which offers this class.
        from treadle.extension import Application  # noqa: PLC0415
        from treadle.jaxprs import params_of, view_of  # noqa: PLC0415
        from treadle_numpy.lax.attributes import ordered  # noqa: PLC0415
        from treadle_numpy.lax.views import MetParameters  # noqa: PLC0415

        if isinstance(primitive, (CustomJvpCall, CustomVjpCall)):
            offered = self._offered(primitive, operands)
            if offered is not None:
                return offered
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

    def _offered(
        self, primitive: CustomJvpCall | CustomVjpCall, operands: Operands
    ) -> list[Operand] | None:
        """Return a subclass's results for a function with custom rules; None, if it has no method for that."""
        kind = "jvp" if isinstance(primitive, CustomJvpCall) else "vjp"
        method = getattr(self, f"process_custom_{kind}_call", None)
        if method is None:
            return None
        # They import treadle.core, which offers this class.
        from treadle.custom_derivatives import (  # noqa: PLC0415
            custom_jvp_call_p,
            custom_vjp_call_p,
        )
        from treadle.extend.linear_util import wrap_init  # noqa: PLC0415
        from treadle_numpy.lax.custom_calls import opened_jvp, opened_vjp  # noqa: PLC0415

        if isinstance(primitive, CustomJvpCall):
            wrapped = [wrap_init(self._interpreted(each)) for each in opened_jvp(primitive)]
            return [*method(custom_jvp_call_p, *wrapped, [*operands], symbolic_zeros=False)]
        *flat, out_trees = opened_vjp(primitive)
        wrapped = [wrap_init(self._interpreted(each)) for each in flat]
        parameters = {"out_trees": out_trees, "symbolic_zeros": False}
        return [*method(custom_vjp_call_p, *wrapped, [*operands], **parameters)]

    def _interpreted(self, function: Callable[..., Value]) -> Callable[..., Value]:
        """Return the function, run under this trace where it is given tracers of this trace."""

        def called(*operands: Value) -> Value:
            if any(isinstance(each, Tracer) and each.owner is self for each in operands):
                with running(self):
                    return function(*operands)
            return function(*operands)

        return called

    def full_raise(self, x: Value) -> Value:
        """Return the value: values of other traces may be used together with the trace's own."""
        return x

    def invalidate(self) -> None:
        """Say that the interpretation is over: its tracers may not be used any more."""
        self.closed = True

    def is_valid(self) -> bool:
        """Return whether it is not over."""
        return not self.closed

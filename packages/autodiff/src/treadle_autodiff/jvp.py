"""Forward mode: run a function on pairs of a primal and a tangent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar, final

from treadle_autodiff.dual import DualTrace, DualTracer, entering
from treadle_autodiff.registry import JvpRule, jvp_rules
from treadle_autodiff.tangents import Tangent, Zero
from treadle_ir import Operand, Operands, Primitive, type_of
from treadle_ir.errors import boundary, source
from treadle_ir.tracing import (
    Function,
    StagingTrace,
    current_trace,
    over_mesh_of,
    reset_current,
    run_under,
    set_current,
)

Out = TypeVar("Out")


@boundary
@final
class JvpTracer(DualTracer):
    """A primal and its tangent, side by side."""

    __slots__ = ()
    made_by: ClassVar[str] = "differentiated, as under grad or jvp"


@final
class JvpTrace(DualTrace):
    """Applies jvp rules; the rules run under its parent."""

    __slots__ = ()
    tracer: ClassVar[type[DualTracer]] = JvpTracer
    shown: ClassVar[str] = "jvp()"

    def differentiate(
        self, primitive: Primitive, primals: Operands, tangents: Sequence[Tangent]
    ) -> tuple[Operands, Sequence[Tangent]]:
        """By the primitive's jvp rule."""
        parent = self.parent
        assert parent is not None
        token = set_current(parent)
        try:
            rule = jvp_rules[primitive]
            if (
                type(parent) is StagingTrace
                and parent.derivative is None
                and not primitive.is_function
            ):
                return _located(rule, primitive, primals, tangents, parent)
            return rule(primitive, primals, tangents)
        finally:
            reset_current(token)


def _located(
    rule: JvpRule[Any],
    primitive: Primitive,
    primals: Operands,
    tangents: Sequence[Tangent],
    program: StagingTrace,
) -> tuple[Operands, Sequence[Tangent]]:
    """Apply a rule; its equations, except of the operation itself, say that they are the operation's derivative.

    Any: the rule of this primitive.
    """
    program.derivative, program.primal = source.derivative_source(primitive.name, 2), primitive
    try:
        return rule(primitive, primals, tangents)
    finally:
        program.derivative = program.primal = None


def jvp_flat(
    function: Function, primals: Operands, tangents: Sequence[Tangent]
) -> tuple[Operands, list[Tangent]]:
    """Results and their tangents of a function of flat operands."""
    return jvp_tree(lambda *operands: (function(*operands), None), primals, tangents)[:2]


def jvp_tree(
    function: Callable[..., tuple[Operands, Out]],
    primals: Operands,
    tangents: Sequence[Tangent],
    given: Sequence[object] = (),
) -> tuple[Operands, list[Tangent], Out]:
    """Apply `jvp_flat` to a function with auxiliary output, which is the third result.

    `given` are the user's values, where the primals are arrays made from them.
    """
    trace = JvpTrace(current_trace())
    tracers = [
        JvpTracer(trace, primal, tangent, user)
        for primal, tangent, user in zip(primals, tangents, given or primals, strict=True)
    ]
    try:
        with over_mesh_of(primals):
            results, out = run_under(trace, function, *(entering(tracers) if given else tracers))
    finally:
        trace.closed = True
        trace.casts.clear()
    return *split(trace, results), out


def split(trace: JvpTrace, results: Operands) -> tuple[Operands, list[Tangent]]:
    """The primals and the tangents of a function's results."""
    primals: list[Operand] = []
    tangents: list[Tangent] = []
    for result in results:
        if type(result) is JvpTracer and result.owner is trace:
            primals.append(result.primal)
            tangents.append(result.tangent)
        else:
            primals.append(result)
            tangents.append(Zero(type_of(result).tangent()))
    return primals, tangents

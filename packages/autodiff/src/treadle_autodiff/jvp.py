"""Forward mode: run a function on pairs of a primal and a tangent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final, final

import numpy as np

from treadle_autodiff.registry import jvp_rules
from treadle_autodiff.tangents import Tangent, Zero
from treadle_ir import (
    NOWHERE,
    Function,
    Operand,
    Operands,
    Primitive,
    Source,
    Trace,
    Tracer,
    concrete_elements,
    current_trace,
    reset_current,
    running,
    set_current,
    type_of,
)


@final
class JvpTracer(Tracer):
    """A primal and its tangent. As concrete as its primal is."""

    __slots__ = ("primal", "tangent", "type")
    made_by: ClassVar[str] = "differentiated, as under grad or jvp"

    def __init__(self, trace: Trace, primal: Operand, tangent: Tangent) -> None:
        self.trace = trace
        self.primal: Final = primal
        self.tangent: Final = tangent
        self.type = type_of(primal)

    @property
    def source(self) -> Source:
        """Where the primal was made."""
        return self.primal.source if isinstance(self.primal, Tracer) else NOWHERE

    def concrete(self) -> np.ndarray[Any, np.dtype[Any]] | None:
        """The primal's elements, if it has any."""
        return concrete_elements(self.primal)


@final
class JvpTrace(Trace):
    """Applies jvp rules; the rules run under its parent."""

    __slots__ = ()

    def process(self, primitive: Primitive, operands: Operands) -> Operands:
        """Results and their tangents, by the primitive's rule; constants go to the parent as they are."""
        primals: list[Operand] = []
        tangents: list[Tangent | None] = []
        differentiated = False
        for operand in operands:
            if type(operand) is JvpTracer and operand.trace is self:
                primals.append(operand.primal)
                tangents.append(operand.tangent)
                differentiated = differentiated or not isinstance(operand.tangent, Zero)
            else:
                primals.append(operand)
                tangents.append(None)
        assert self.parent is not None
        token = set_current(self.parent)
        try:
            if not differentiated:
                return self.parent.process(primitive, primals)
            known = [
                Zero(type_of(primal).tangent()) if tangent is None else tangent
                for primal, tangent in zip(primals, tangents, strict=True)
            ]
            results, result_tangents = jvp_rules[primitive](primitive, primals, known)
        finally:
            reset_current(token)
        return [
            result if isinstance(tangent, Zero) else JvpTracer(self, result, tangent)
            for result, tangent in zip(results, result_tangents, strict=True)
        ]


def jvp_flat(
    function: Function, primals: Operands, tangents: Sequence[Tangent]
) -> tuple[Operands, list[Tangent]]:
    """Results and their tangents of a function of flat operands."""
    trace = JvpTrace(current_trace())
    tracers = [
        JvpTracer(trace, primal, tangent) for primal, tangent in zip(primals, tangents, strict=True)
    ]
    try:
        with running(trace):
            results = function(*tracers)
        return split(trace, results)
    finally:
        trace.closed = True


def split(trace: JvpTrace, results: Operands) -> tuple[Operands, list[Tangent]]:
    """The primals and the tangents of a function's results."""
    primals: list[Operand] = []
    tangents: list[Tangent] = []
    for result in results:
        if type(result) is JvpTracer and result.trace is trace:
            primals.append(result.primal)
            tangents.append(result.tangent)
        else:
            primals.append(result)
            tangents.append(Zero(type_of(result).tangent()))
    return primals, tangents

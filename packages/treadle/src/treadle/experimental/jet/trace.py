"""The trace of Taylor mode: operands travel with their series; and what stands in for a rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final, final

import numpy as np

from treadle.experimental.jet.registry import rules_by_class
from treadle.experimental.jet.series import (
    Series,
    ZeroSeries,
    derivative,
    integral,
    moves,
    terms,
    zero_series,
)
from treadle_autodiff import Tangent, Zero, jvp_rules, materialise
from treadle_ir import Operand, Operands, Primitive, type_of, types_of
from treadle_ir.core import unsharded
from treadle_ir.errors import NOWHERE, Source
from treadle_ir.rewrite import prune
from treadle_ir.tracing import (
    Function,
    Trace,
    Tracer,
    concrete_elements,
    current_trace,
    interpret_unchecked as interpret,
    reset_current,
    run_under,
    set_current,
    stage_tree,
)


@final
class JetTracer(Tracer):
    """A value and the series of the curve through it."""

    __slots__ = ("primal", "series", "type")
    made_by: ClassVar[str] = "expanded in a Taylor series, as under jet"

    def __init__(self, trace: Trace, primal: Operand, series: Series) -> None:
        self.owner = trace
        self.primal: Final = primal
        self.series: Final = series
        self.type = type_of(primal)

    @property
    def source(self) -> Source:
        """Where the value was made."""
        return self.primal.source if isinstance(self.primal, Tracer) else NOWHERE

    def concrete(self) -> np.ndarray[Any, np.dtype[Any]] | None:
        """Return the value's elements, if it has any."""
        return concrete_elements(self.primal)


@final
class JetTrace(Trace):
    """Applies the rules of Taylor mode up to an order; they run under its parent."""

    __slots__ = ("order",)

    def __init__(self, parent: Trace, order: int) -> None:
        super().__init__(parent)
        self.order = order

    def process(self, primitive: Primitive, operands: Operands) -> Operands:
        """Return results with their series; operations on constants go to the parent."""
        primals: list[Operand] = []
        series: list[Series] = []
        for operand in operands:
            if type(operand) is JetTracer and operand.owner is self:
                primals.append(operand.primal)
                series.append(operand.series)
            else:
                primals.append(operand)
                series.append(zero_series)
        assert self.parent is not None
        token = set_current(self.parent)
        try:
            if all(isinstance(each, ZeroSeries) for each in series):
                return self.parent.process(primitive, primals)
            rule = rules_by_class.get(type(primitive)) or by_derivative
            results, found = rule(primitive, primals, series, self.order)
        finally:
            reset_current(token)
        return [
            result if isinstance(each, ZeroSeries) else JetTracer(self, result, each)
            for result, each in zip(results, found, strict=True)
        ]


def composed(
    function: Function, primals: Operands, series: Sequence[Series], order: int
) -> tuple[list[Operand], list[Series]]:
    """Return results and series of a function of flat operands, by the rules of its operations."""
    trace = JetTrace(current_trace(), order)
    entering = [
        x if isinstance(each, ZeroSeries) or not order else JetTracer(trace, x, each)
        for x, each in zip(primals, series, strict=True)
    ]
    try:
        outputs = run_under(trace, function, *entering)
    finally:
        trace.closed = True
    results: list[Operand] = []
    found: list[Series] = []
    for output in outputs:
        if type(output) is JetTracer and output.owner is trace:
            results.append(output.primal)
            found.append(output.series)
        else:
            results.append(output)
            found.append(zero_series)
    return results, found


def by_derivative(
    primitive: Primitive, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Return the series of any primitive that has a jvp rule: `y' = J(x) x'`, one order below."""
    results = current_trace().process(primitive, primals)
    moving = [i for i, each in enumerate(series) if not isinstance(each, ZeroSeries)]
    slopes = {i: derivative(terms(primals[i], series[i], order)[1:]) for i in moving}

    def rule(*operands: Operand) -> tuple[Operands, list[bool]]:
        given = iter(operands[len(primals) :])
        tangents: list[Tangent] = [
            next(given) if i in slopes else Zero(type_of(x).tangent())
            for i, x in enumerate(primals)
        ]
        _, changes = jvp_rules[primitive](primitive, operands[: len(primals)], tangents)
        moved = [not isinstance(change, Zero) and moves(type_of(change)) for change in changes]
        return [materialise(c) for c, flag in zip(changes, moved, strict=True) if flag], moved

    # The rule's own results are not needed: without them a linear operation is applied once for each order.
    types = [*unsharded(types_of(primals)), *(type_of(primals[i]).strong() for i in moving)]
    staged, moved = stage_tree(rule, *types)
    program = prune(staged.program)
    below = order - 1
    inner = [each if isinstance(each, ZeroSeries) else each[:below] for each in series]
    captured = staged.captured
    firsts, changes = composed(
        lambda *xs: interpret(program, *xs),
        [*captured, *primals, *(slopes[i][0] for i in moving)],
        [*(zero_series for _ in captured), *inner, *(slopes[i][1:] for i in moving)],
        below,
    )
    found = iter([integral(terms(x, each, below)) for x, each in zip(firsts, changes, strict=True)])
    return results, [next(found) if flag else zero_series for flag in moved]

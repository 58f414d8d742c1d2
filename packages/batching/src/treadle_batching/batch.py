"""Vectorisation: run a function on arrays that carry one more dimension, the batch.

Functions with derivative rules of their own are batched by traces of their own, and may close over what the trace
around them batches. A trace therefore takes for its own the tracers of every trace over the same axis: the same
object, since there is one for each `vmap`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final, TypeVar, final

from treadle_batching.axis import Axis, Dim, divided_by
from treadle_batching.moving import at_front
from treadle_batching.registry import batch_rules
from treadle_ir import (
    AbstractMesh,
    ArrayType,
    FunctionCall,
    Operand,
    Operands,
    Primitive,
    Sharding,
    type_of,
    types_of,
)
from treadle_ir.core import NamedAxis, with_partial_sums
from treadle_ir.errors import NOWHERE, Source, boundary, during
from treadle_ir.primitives.call import CustomJvpCall, CustomVjpCall
from treadle_ir.settings import named_axis
from treadle_ir.tracing import (
    Function,
    Trace,
    Tracer,
    checks_leaks,
    current_trace,
    refuse_leaks,
    reset_current,
    run_under,
    set_current,
)

Out = TypeVar("Out")


@boundary
@final
class BatchTracer(Tracer):
    """An array with a batch dimension, seen as one batch element."""

    __slots__ = ("axis", "dim", "operand", "type")
    made_by: ClassVar[str] = "vectorised, as under vmap"

    def __init__(self, trace: BatchTrace, operand: Operand, dim: int) -> None:
        self.owner = trace
        self.axis: Final = trace.axis
        self.operand: Final = operand
        self.dim: Final = dim
        type = type_of(operand)
        self.type = ArrayType(type.shape[:dim] + type.shape[dim + 1 :], type.dtype, type.weak)

    @property
    def source(self) -> Source:
        """Where the batched array was made."""
        return self.operand.source if isinstance(self.operand, Tracer) else NOWHERE

    def __treadle_sharding__(self, mesh: AbstractMesh) -> Sharding | None:
        """Return the sharding of one element of the batch."""
        batch = super().__treadle_sharding__(mesh)
        if batch is None:
            return None
        one = (*batch.dims[: self.dim], *batch.dims[self.dim + 1 :])
        return Sharding(batch.mesh, with_partial_sums(one, batch.partial))

    def behind(self) -> Operand | None:
        """Return the batched array."""
        return self.operand


@final
class BatchTrace(Trace):
    """Applies batch rules; the rules run under its parent."""

    __slots__ = ("axis",)
    shown: ClassVar[str] = "vmap()"

    def __init__(self, parent: Trace, axis: Axis) -> None:
        super().__init__(parent)
        self.axis = axis

    def accepts_tracers_of(self, other: Trace) -> bool:
        """Return whether `other` is a batching trace over the same axis."""
        return isinstance(other, BatchTrace) and other.axis is self.axis

    def process(self, primitive: Primitive, operands: Operands) -> Operands:
        """Apply to the whole batch at once, by the primitive's rule; what is not batched goes to the parent."""
        inner: list[Operand] = []
        dims: list[Dim] = []
        batched = False
        for operand in operands:
            if isinstance(operand, Tracer) and type(operand) is not BatchTracer:
                constant = operand.constant()  # of an argument that is not differentiated, a batch
                operand = operand if constant is None else constant
            if type(operand) is BatchTracer and operand.axis is self.axis:
                inner.append(operand.operand)
                dims.append(operand.dim)
                batched = True
            else:
                inner.append(operand)
                dims.append(None)
        if not batched:
            if isinstance(primitive, FunctionCall):
                batched = may_capture(primitive)
            elif self.axis.name is not None:
                batched = NamedAxis(self.axis.name) in primitive.effects(*types_of(inner))
        assert self.parent is not None
        token = set_current(self.parent)
        try:
            if not batched:
                return self.parent.process(primitive, inner)
            results, result_dims = batch_rules[primitive](primitive, self.axis, inner, dims)
        finally:
            reset_current(token)
        return [
            result if dim is None else BatchTracer(self, result, dim)
            for result, dim in zip(results, result_dims, strict=True)
        ]


def may_capture(primitive: FunctionCall) -> bool:
    """Return whether the functions of a call may have captured a batched array that is not among its operands."""
    if isinstance(primitive, CustomJvpCall):
        return not primitive.pure
    return isinstance(primitive, CustomVjpCall) and not primitive.rule.pure


def batch_flat(
    function: Function, axis: Axis, operands: Operands, dims: Sequence[Dim], label: str = "function"
) -> tuple[list[Operand], list[Dim]]:
    """Apply a function of flat operands to every batch element; results, and where the batch sits in each."""
    return batch_tree(lambda *xs: (function(*xs), None), axis, operands, dims, label)[:2]


def batch_tree(
    function: Callable[..., tuple[Operands, Out]],
    axis: Axis,
    operands: Operands,
    dims: Sequence[Dim],
    label: str = "function",
) -> tuple[list[Operand], list[Dim], Out]:
    """Apply `batch_flat` to a function with auxiliary output, which is the third result."""
    trace = BatchTrace(current_trace(), axis)
    tracers = [
        operand if dim is None else BatchTracer(trace, operand, dim)
        for operand, dim in zip(operands, dims, strict=True)
    ]
    try:
        with during(f"batching `{label}` over an axis of size {axis.size}"):
            outputs, out = run_under(trace, _named, axis, function, tracers)
        results: list[Operand] = []
        result_dims: list[Dim] = []
        for output in outputs:
            if type(output) is BatchTracer and output.axis is axis:
                results.append(output.operand)
                result_dims.append(output.dim)
            else:
                results.append(output)
                result_dims.append(None)
    finally:
        trace.closed = True
        trace.function = getattr(function, "function", function)  # not `_named`
    if checks_leaks():
        del tracers, outputs
        output = None  # type: ignore[assignment]  # release it
        refuse_leaks(trace)
    return results, result_dims, out


def _named(
    axis: Axis, function: Callable[..., tuple[Operands, Out]], operands: Operands
) -> tuple[Operands, Out]:
    """Run a function where collectives may name the axis, if it has a name."""
    if axis.name is None:
        return function(*operands)
    with named_axis(axis.name, axis.size):
        return function(*operands)


def map_rows(function: Function, size: int, stacked: Operands) -> list[Operand]:
    """Apply a function to each batch element (along axis 0) of the stacked operands, all batch elements at once."""
    axis = Axis(size, over=divided_by(stacked, [0] * len(stacked)))
    results, dims = batch_flat(function, axis, stacked, [0] * len(stacked))
    return [at_front(result, dim, axis) for result, dim in zip(results, dims, strict=True)]

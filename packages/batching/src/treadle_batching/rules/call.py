"""Batching of calls: a call of the batched program, and of batched functions where a call still has functions.

A function with derivative rules of its own keeps them: the rules are batched as the function is. All that
comes out of these has its batch at axis 0, since the parent may run a rule in the function's place. Where no operand
has a batch, the functions may have captured one; if not, no result has a batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, final

from treadle_batching.axis import Axis, Dims, WithDims
from treadle_batching.batch import batch_flat, batch_tree
from treadle_batching.moving import at_front, move
from treadle_batching.programs import batch_program, batched_type
from treadle_batching.registry import batch_rule
from treadle_ir import ArrayType, Operand, Operands, Primitive, bind, ops
from treadle_ir.core import Flags, InlineCall
from treadle_ir.primitives.call import (
    CustomJvpCall,
    CustomJvpStaged,
    CustomVjpCall,
    CustomVjpLinear,
    CustomVjpRule,
    CustomVjpStaged,
    FlatBackward,
    FlatJvp,
    Given,
    OptimizationBarrier,
)
from treadle_ir.tracing import Function, interpret_unchecked as interpret


@batch_rule(InlineCall)
def call_batch(primitive: InlineCall, axis: Axis, operands: Operands, dims: Dims, /) -> WithDims:
    """One call of the batched program."""
    batched = batch_program(primitive.program, axis, dims)
    sources = (*(None for _ in batched.captured), *range(len(operands)))
    call = primitive.rebuilt(batched.program, sources)
    return bind(call, *batched.captured, *operands), batched.dims


def _in_front(results: Operands, dims: Dims, axis: Axis) -> list[Operand]:
    return [at_front(result, dim, axis) for result, dim in zip(results, dims, strict=True)]


@final
class _OutputBatched:
    """Whether the results of a call are batched: if an operand is batched, or a captured array."""

    __slots__ = ("any",)

    def __init__(self, dims: Dims) -> None:
        self.any = any([dim is not None for dim in dims])

    def in_front(self, results: Operands, dims: Dims, axis: Axis) -> list[Operand]:
        """Return the results with their batch in front, if there is one."""
        self.any = self.any or any([dim is not None for dim in dims])
        return _in_front(results, dims, axis) if self.any else [*results]


@final
class _Places:
    """Where tangents are not None: takes a list of them apart, and completes one."""

    __slots__ = ("flags",)

    def __init__(self, tangents: Given) -> None:
        self.flags = [tangent is not None for tangent in tangents]

    # Any: tangents, their dims, or one other thing each
    def those(self, items: Sequence[Any]) -> list[Any]:
        """The items at these places."""
        return [item for item, flag in zip(items, self.flags, strict=True) if flag]

    def completed(self, items: Operands) -> Given:
        """The items at these places, None elsewhere."""
        there = iter(items)
        return [next(there) if flag else None for flag in self.flags]


def _batched_function(
    function: Function,
    axis: Axis,
    constants: Operands,
    dims: Dims,
    label: str,
    batch: _OutputBatched,
) -> Function:
    """A function over a batch. `constants` are its first arguments; `dims` belong to all arguments."""

    def batched(*xs: Operand) -> Operands:
        return batch.in_front(*batch_flat(function, axis, (*constants, *xs), dims, label), axis)

    return batched


def _batched_jvp(
    jvp: FlatJvp,
    axis: Axis,
    constants: Operands,
    dims: Dims,
    label: str,
    batch: _OutputBatched,
) -> FlatJvp:
    """A jvp rule over a batch. `constants` are its first primals, which have no tangents."""

    def batched(primals: Operands, tangents: Given) -> tuple[Operands, Given]:
        count = len(constants) + len(primals)
        places = _Places(tangents)

        def both(*xs: Operand) -> tuple[Operands, _Places]:
            results, result_tangents = jvp(xs[:count], places.completed(xs[count:]))
            there = _Places(result_tangents)
            return [*results, *there.those(result_tangents)], there

        every = (*constants, *primals, *places.those(tangents))
        all_dims = (*dims, *places.those(dims[len(constants) :]))
        results, result_dims, there = batch_tree(both, axis, every, all_dims, label)
        outputs = batch.in_front(results, result_dims, axis)
        number = len(there.flags)
        return outputs[:number], there.completed(outputs[number:])

    return batched


def _bound(call: Primitive, operands: Operands, batch: _OutputBatched) -> WithDims:
    """The results of a batched call, whose batches are all at axis 0."""
    results = bind(call, *operands)
    return results, [0 if batch.any else None] * len(results)


@batch_rule(CustomJvpCall)
def custom_jvp_function_batch(
    primitive: CustomJvpCall, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """The function and its jvp, both batched."""
    label, batch = primitive.label, _OutputBatched(dims)
    function = _batched_function(primitive.function, axis, (), dims, label, batch)
    jvp = _batched_jvp(primitive.jvp, axis, (), dims, label, batch)
    return _bound(CustomJvpCall(label, function, jvp, primitive.pure), operands, batch)


@batch_rule(CustomJvpStaged)
def custom_jvp_call_batch(
    primitive: CustomJvpStaged, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """The same for a call that was staged: its program and its deferred derivative are batched."""
    label, captured = primitive.label, primitive.derivative.captured
    run, constants, batch = (
        partial(interpret, primitive.program),
        operands[:captured],
        _OutputBatched(dims),
    )
    function = _batched_function(run, axis, constants, dims, label, batch)
    jvp = _batched_jvp(primitive.derivative, axis, constants, dims, label, batch)
    call = CustomJvpCall(label, function, jvp, primitive.derivative.pure)
    return _bound(call, operands[captured:], batch)


def _batched_rule(
    rule: CustomVjpRule, axis: Axis, dims: Dims, label: str, batch: _OutputBatched
) -> CustomVjpRule:
    """The functions of a custom_vjp over a batch at `dims`."""

    def forward(xs: Operands, perturbed: Flags) -> tuple[Operands, Operands, FlatBackward]:
        def both(*elements: Operand) -> tuple[Operands, tuple[int, FlatBackward]]:
            results, residuals, backward = rule.forward(elements, perturbed)
            return [*results, *residuals], (len(results), backward)

        results, result_dims, (count, backward) = batch_tree(both, axis, xs, dims, label)
        outputs = batch.in_front(results, result_dims, axis)
        if not batch.any:
            return outputs[:count], outputs[count:], backward

        def batched(residuals: Operands, cotangents: Given) -> Given:
            at_axis_0 = [0] * (len(residuals) + len(cotangents))
            return _backward(backward, axis, residuals, cotangents, at_axis_0, dims, label)

        return outputs[:count], outputs[count:], batched

    return CustomVjpRule(forward, pure=rule.pure)


def _backward(
    backward: FlatBackward,
    axis: Axis,
    residuals: Operands,
    cotangents: Given,
    dims: Dims,
    wanted: Dims,
    label: str,
) -> Given:
    """Cotangents of batched operands, their batch where theirs is; of the others, summed over the batch."""
    count = len(residuals)
    places = _Places(cotangents)

    def function(*xs: Operand) -> tuple[Operands, _Places]:
        outgoing = backward(xs[:count], places.completed(xs[count:]))
        there = _Places(outgoing)
        return there.those(outgoing), there

    given = (*residuals, *places.those(cotangents))
    all_dims = (*dims[:count], *places.those(dims[count:]))
    outputs, out_dims, there = batch_tree(function, axis, given, all_dims, label)
    outgoing: list[Operand | None] = []
    cts = there.completed(_in_front(outputs, out_dims, axis))
    for ct, place in zip(cts, wanted, strict=True):
        if ct is None:
            outgoing.append(None)
        else:
            outgoing.append(ops.reduce_add(ct, axes=(0,)) if place is None else move(ct, 0, place))
    return outgoing


@batch_rule(CustomVjpCall)
def custom_vjp_function_batch(
    primitive: CustomVjpCall, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """The function and both its rules, batched."""
    label, batch = primitive.label, _OutputBatched(dims)
    function = _batched_function(primitive.function, axis, (), dims, label, batch)
    rule = _batched_rule(primitive.rule, axis, dims, label, batch)
    return _bound(CustomVjpCall(label, function, rule), operands, batch)


@batch_rule(CustomVjpStaged)
def custom_vjp_call_batch(
    primitive: CustomVjpStaged, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """The same for a call that was staged; captured operands are constants for the rules."""
    label, captured = primitive.label, primitive.rule.captured
    run, constants, batch = (
        partial(interpret, primitive.program),
        operands[:captured],
        _OutputBatched(dims),
    )
    function = _batched_function(run, axis, constants, dims, label, batch)
    rule = _batched_rule(primitive.rule, axis, dims[captured:], label, batch)
    return _bound(CustomVjpCall(label, function, rule), operands[captured:], batch)


@batch_rule(CustomVjpLinear)
def custom_vjp_linear_batch(
    primitive: CustomVjpLinear, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """The linear map over a batch; its transpose runs the backward function over the batch."""
    count = primitive.residuals
    label = primitive.label

    def backward(residuals: Operands, cotangents: Given) -> Given:
        all_dims = (*dims[:count], *(0 for _ in cotangents))
        return _backward(
            primitive.backward, axis, residuals, cotangents, all_dims, dims[count:], label
        )

    types = []
    for type in primitive.types:
        batched = batched_type(type, 0, axis)
        assert isinstance(batched, ArrayType)
        types.append(batched)
    linear = replace(primitive, backward=backward, types=tuple(types))
    return _bound(linear, operands, _OutputBatched(dims))


@batch_rule(OptimizationBarrier)
def optimization_barrier_batch(
    primitive: OptimizationBarrier, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """The barrier over the whole batch."""
    return bind(primitive, *operands), dims

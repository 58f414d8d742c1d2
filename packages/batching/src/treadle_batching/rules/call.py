"""Batching of calls: a call of the batched program, and of batched functions where a call still has functions.

A function with derivative rules of its own keeps them: the rules are batched as the function is. All that
comes out of these has its batch at axis 0, since the parent may run a rule in the function's place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from treadle_batching.axis import Axis, Dim
from treadle_batching.batch import batch_flat, batch_tree
from treadle_batching.moving import at_front, move
from treadle_batching.programs import batch_program, batched_type
from treadle_batching.registry import batch_rule
from treadle_ir import (
    ArrayType,
    Function,
    InlineCall,
    Operand,
    Operands,
    Primitive,
    bind,
    interpret,
    ops,
)
from treadle_ir.primitives.call import (
    CustomJvpCall,
    CustomJvpStaged,
    CustomVjpCall,
    CustomVjpLinear,
    CustomVjpRule,
    CustomVjpStaged,
    FlatBackward,
    OptimizationBarrier,
)

Jvp: TypeAlias = Callable[[Operands, Operands], tuple[Operands, Operands]]


@batch_rule(InlineCall)
def call_batch(
    primitive: InlineCall, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """One call of the batched program."""
    batched = batch_program(primitive.program, axis, dims)
    sources = (*(None for _ in batched.captured), *range(len(operands)))
    call = primitive.rebuilt(batched.program, sources)
    return bind(call, *batched.captured, *operands), batched.dims


def _in_front(results: Operands, dims: Sequence[Dim], axis: Axis) -> list[Operand]:
    return [at_front(result, dim, axis) for result, dim in zip(results, dims, strict=True)]


def _batched_function(
    function: Function, axis: Axis, constants: Operands, dims: Sequence[Dim], label: str
) -> Function:
    """A function over a batch. `constants` are its first arguments; `dims` are those of all arguments."""

    def batched(*xs: Operand) -> Operands:
        return _in_front(*batch_flat(function, axis, (*constants, *xs), dims, label), axis)

    return batched


def _batched_jvp(jvp: Jvp, axis: Axis, constants: Operands, dims: Sequence[Dim], label: str) -> Jvp:
    """A jvp rule over a batch. `constants` are its first primals, which have no tangents."""

    def batched(primals: Operands, tangents: Operands) -> tuple[Operands, Operands]:
        count = len(constants) + len(primals)

        def both(*xs: Operand) -> Operands:
            results, result_tangents = jvp(xs[:count], xs[count:])
            return [*results, *result_tangents]

        every = (*constants, *primals, *tangents)
        pairs = batch_flat(both, axis, every, (*dims, *dims[len(constants) :]), label)
        outputs = _in_front(*pairs, axis)
        return outputs[: len(outputs) // 2], outputs[len(outputs) // 2 :]

    return batched


def _bound(call: Primitive, operands: Operands) -> tuple[Operands, Sequence[Dim]]:
    """The results of a batched call, whose batches are all at axis 0."""
    results = bind(call, *operands)
    return results, [0] * len(results)


@batch_rule(CustomJvpCall)
def custom_jvp_function_batch(
    primitive: CustomJvpCall, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """The function and its jvp, both batched."""
    label = primitive.label
    function = _batched_function(primitive.function, axis, (), dims, label)
    jvp = _batched_jvp(primitive.jvp, axis, (), dims, label)
    return _bound(CustomJvpCall(label, function, jvp, primitive.pure), operands)


@batch_rule(CustomJvpStaged)
def custom_jvp_call_batch(
    primitive: CustomJvpStaged, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """The same for a call that was staged: its program and its deferred derivative are batched."""
    label, captured = primitive.label, primitive.derivative.captured
    run, constants = partial(interpret, primitive.program), operands[:captured]
    function = _batched_function(run, axis, constants, dims, label)
    jvp = _batched_jvp(primitive.derivative, axis, constants, dims, label)
    return _bound(
        CustomJvpCall(label, function, jvp, primitive.derivative.pure), operands[captured:]
    )


def _batched_rule(
    rule: CustomVjpRule, axis: Axis, dims: Sequence[Dim], label: str
) -> CustomVjpRule:
    """The functions of a custom_vjp over a batch at `dims`."""

    def both(*elements: Operand) -> tuple[Operands, tuple[int, FlatBackward]]:
        results, residuals, backward = rule.forward(*elements)
        return [*results, *residuals], (len(results), backward)

    def forward(*xs: Operand) -> tuple[Operands, Operands, FlatBackward]:
        results, result_dims, (count, backward) = batch_tree(both, axis, xs, dims, label)
        outputs = _in_front(results, result_dims, axis)

        def batched(residuals: Operands, cotangents: Operands) -> Operands:
            at_axis_0 = [0] * (len(residuals) + len(cotangents))
            return _backward(backward, axis, residuals, cotangents, at_axis_0, dims, label)

        return outputs[:count], outputs[count:], batched

    return CustomVjpRule(forward, pure=rule.pure)


def _backward(
    backward: FlatBackward,
    axis: Axis,
    residuals: Operands,
    cotangents: Operands,
    dims: Sequence[Dim],
    wanted: Sequence[Dim],
    label: str,
) -> list[Operand]:
    """Cotangents of batched operands, their batch where theirs is; of the others, summed over the batch."""
    count = len(residuals)
    outputs, out_dims = batch_flat(
        lambda *xs: backward(xs[:count], xs[count:]),
        axis,
        (*residuals, *cotangents),
        dims,
        label,
    )
    outgoing = []
    for ct, place in zip(_in_front(outputs, out_dims, axis), wanted, strict=True):
        outgoing.append(ops.reduce_add(ct, axes=(0,)) if place is None else move(ct, 0, place))
    return outgoing


@batch_rule(CustomVjpCall)
def custom_vjp_function_batch(
    primitive: CustomVjpCall, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """The function and both its rules, batched."""
    label = primitive.label
    function = _batched_function(primitive.function, axis, (), dims, label)
    rule = _batched_rule(primitive.rule, axis, dims, label)
    return _bound(CustomVjpCall(label, function, rule), operands)


@batch_rule(CustomVjpStaged)
def custom_vjp_call_batch(
    primitive: CustomVjpStaged, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """The same for a call that was staged; captured operands are constants for the rules."""
    label, captured = primitive.label, primitive.rule.captured
    run, constants = partial(interpret, primitive.program), operands[:captured]
    function = _batched_function(run, axis, constants, dims, label)
    rule = _batched_rule(primitive.rule, axis, dims[captured:], label)
    return _bound(CustomVjpCall(label, function, rule), operands[captured:])


@batch_rule(CustomVjpLinear)
def custom_vjp_linear_batch(
    primitive: CustomVjpLinear, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """The linear map over a batch; its transpose runs the backward function over the batch."""
    count = primitive.residuals
    label = primitive.label

    def backward(residuals: Operands, cotangents: Operands) -> Operands:
        all_dims = (*dims[:count], *(0 for _ in cotangents))
        return _backward(
            primitive.backward, axis, residuals, cotangents, all_dims, dims[count:], label
        )

    types = []
    for type in primitive.types:
        batched = batched_type(type, 0, axis)
        assert isinstance(batched, ArrayType)
        types.append(batched)
    linear = CustomVjpLinear(label, backward, count, tuple(types))
    return _bound(linear, operands)


@batch_rule(OptimizationBarrier)
def optimization_barrier_batch(
    primitive: OptimizationBarrier, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """The barrier over the whole batch."""
    return bind(primitive, *operands), dims

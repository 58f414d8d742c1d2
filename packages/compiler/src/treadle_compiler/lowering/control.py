"""Lowering of control flow to StableHLO's `if`, `case` and `while`.

A scan is a while loop with a counter: it reads elements of the xs with dynamic slices and writes the ys with
dynamic updates, which XLA does in place. Constants and xs are used from outside of the loop's regions. Ordered
callbacks inside are chained by a token that goes through the loop or the branches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.elements import as_elements, as_numbers
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import TOKEN, ArrayType, Program, Type
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.process import deeper

_I32: Final = np.dtype(np.int32)


def _is_ordered(*programs: Program) -> bool:
    return any(effect.ordered for program in programs for effect in program.effects)


def _same_types(values: HloValues, types: Sequence[Type]) -> list[HloValue]:
    """Return values with the types of the equation, which may differ in weak marks, which XLA does not have."""
    return [HloValue(value.name, type) for value, type in zip(values, types, strict=True)]


def _known(index: HloValue, branches: int) -> int | None:
    """The branch that is taken whatever the operands, if that can be seen."""
    if branches == 1:
        return 0
    literal = index.literal
    return None if literal is None else min(max(int(np.asarray(literal)), 0), branches - 1)


@lowering_rule(Case)
def case_lowering(
    context: LoweringContext, primitive: Case, index: HloValue, /, *operands: HloValue
) -> HloValues:
    """Write one branch, or the known one, as by the platform, in place; two as `if`, more as `case`.

    The last branch of a `case` has all indices beyond it.
    """
    branches, types = primitive.branches, context.result_types
    with deeper():
        chosen = _known(index, len(branches))
        if chosen is not None:
            return context.inline(branches[chosen], *operands)
        ordered = _is_ordered(*branches)
        token = context.token_before() if ordered else None

        def branch(program: Program) -> str:
            def body(_: HloValues) -> HloValues:
                context.token = token
                results = context.inline(program, *operands)
                return results if context.token is None else [context.token, *results]

            return context.region((), body)

        zero = emit.scalar(context, 0, _I32)
        returned = (TOKEN, *types) if ordered else types
        if len(branches) == 2:
            # `if` runs its first region where the condition holds: an index above 0 means branch 1.
            above = emit.compare(context, index, zero, "gt")
            regions = [branch(branches[1]), branch(branches[0])]
            results = context.emit("stablehlo.if", (above,), returned, None, regions)
        else:
            at_least_0 = emit.binary(context, "maximum", index, zero)
            regions = [branch(each) for each in branches]
            results = context.emit("stablehlo.case", (at_least_0,), returned, None, regions)
    if ordered:
        context.token, *results = results
    return results


def _loop(
    context: LoweringContext,
    carries: HloValues,
    ordered: bool,
    condition: Callable[[HloValues], HloValue],
    body: Callable[[HloValues], HloValues],
) -> list[HloValue]:
    """A `while` whose body may have ordered effects."""
    state = [*carries, context.token_before()] if ordered else list(carries)
    types = [value.type for value in state]

    def holds(values: HloValues) -> HloValues:
        if ordered:
            context.token = values[-1]
        return [condition(values[: len(carries)])]

    def iteration(values: HloValues) -> HloValues:
        if ordered:
            context.token = values[-1]
        results = body(values[: len(carries)])
        return [*results, context.token] if ordered and context.token is not None else results

    regions = (context.region(types, holds), context.region(types, iteration))
    results = context.emit("stablehlo.while", state, types, None, regions)
    if ordered:
        context.token = results.pop()
    return results


@lowering_rule(While)
def while_lowering(context: LoweringContext, primitive: While, /, *operands: HloValue) -> HloValues:
    """A `while`; with a trip bound, the iterations are counted."""
    types = context.result_types
    cond_consts, body_consts, carry = primitive.operand_groups(operands)
    bound = primitive.trip_bound
    carries = _same_types(carry, types)
    if bound is not None:
        carries.insert(0, emit.scalar(context, 0, _I32))

    def condition(values: HloValues) -> HloValue:
        counted = values if bound is None else values[1:]
        (holds,) = context.inline(primitive.cond, *cond_consts, *counted)
        if bound is not None:
            below = emit.compare(context, values[0], emit.scalar(context, bound, _I32), "lt")
            holds = emit.binary(context, "and", below, holds)
        return holds

    def body(values: HloValues) -> HloValues:
        if bound is None:
            return context.inline(primitive.body, *body_consts, *values)
        count = emit.binary(context, "add", values[0], emit.scalar(context, 1, _I32))
        return [count, *context.inline(primitive.body, *body_consts, *values[1:])]

    with deeper():
        ordered = _is_ordered(primitive.cond, primitive.body)
        results = _loop(context, carries, ordered, condition, body)
    return results if bound is None else results[1:]


def _start(context: LoweringContext, index: HloValue, rank: int) -> list[HloValue]:
    return [index, *[emit.scalar(context, 0, _I32)] * (rank - 1)]


def _element(context: LoweringContext, x: HloValue, index: HloValue) -> HloValue:
    """`x[index]`."""
    sizes = (1, *x.shape[1:])
    row = emit.dynamic_slice(context, x, _start(context, index, len(sizes)), sizes)
    return emit.reshape(context, row, x.shape[1:])


def _written(context: LoweringContext, ys: HloValue, y: HloValue, index: HloValue) -> HloValue:
    """`ys` with `ys[index] = y`."""
    row = emit.reshape(context, y, (1, *y.shape))
    return emit.dynamic_update_slice(context, ys, row, _start(context, index, len(ys.shape)))


@lowering_rule(Scan)
def scan_lowering(context: LoweringContext, primitive: Scan, /, *operands: HloValue) -> HloValues:
    """A counted `while`. Its body holds `unroll` iterations; those left over, and all of a short loop, stand alone."""
    consts, carry, xs = primitive.operand_groups(operands)
    carry_types, y_types = primitive.result_groups(context.result_types)
    carries = _same_types(carry, carry_types)
    ys = []
    for type in y_types:
        assert isinstance(type, ArrayType)
        ys.append(context.constant(0, type.strong()))
    inner = primitive.operand_groups(primitive.body.parameters).xs
    length, unroll = primitive.length, min(primitive.unroll, max(primitive.length, 1))

    def iteration(values: HloValues, step: HloValue) -> list[HloValue]:
        """Carries and ys after the iteration with this number."""
        index = step
        if primitive.reverse:
            index = emit.binary(context, "subtract", emit.scalar(context, length - 1, _I32), step)
        elements = [
            as_elements(_element(context, as_numbers(x), index), parameter.type)
            for x, parameter in zip(xs, inner, strict=True)
        ]
        before, buffers = primitive.result_groups(values)
        results = context.inline(primitive.body, *consts, *before, *elements)
        returned, slices = primitive.result_groups(results)
        stacked = [
            as_elements(_written(context, as_numbers(buffer), as_numbers(y), index), buffer.type)
            for buffer, y in zip(buffers, slices, strict=True)
        ]
        after = _same_types(returned, [value.type for value in before])
        return [*after, *stacked]

    def iterations(values: HloValues) -> HloValues:
        step, state = values[0], list(values[1:])
        for _ in range(unroll):
            state = iteration(state, step)
            step = emit.binary(context, "add", step, emit.scalar(context, 1, _I32))
        return [step, *state]

    in_loop = length - length % unroll if length > unroll else 0
    state = [*carries, *ys]
    with deeper():
        if in_loop:
            limit = in_loop

            def more(values: HloValues) -> HloValue:
                return emit.compare(context, values[0], emit.scalar(context, limit, _I32), "lt")

            ordered = _is_ordered(primitive.body)
            first = [emit.scalar(context, 0, _I32), *state]
            state = _loop(context, first, ordered, more, iterations)[1:]
        for number in range(in_loop, length):
            state = iteration(state, emit.scalar(context, number, _I32))
    return state

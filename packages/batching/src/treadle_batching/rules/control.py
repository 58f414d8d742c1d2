"""Batching of control flow.

Inside of nested programs the batch is at axis 0. What stays the same for all batch elements stays unbatched: which
carries of a loop are batched is found by batching the body until that set stays the same. Where batch elements disagree
about the way to go, all ways are gone and each batch element takes its own: a `case` with a batched index runs all
branches, a `while` goes on until the last batch element is done, and batch elements that are done keep their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np

from treadle_batching.axis import Axis, Dim
from treadle_batching.batch import batch_flat
from treadle_batching.moving import at_front, with_dim
from treadle_batching.programs import (
    BatchedProgram,
    batch_program,
    batched_type,
)
from treadle_batching.registry import batch_rule
from treadle_ir import (
    Effects,
    EvalTrace,
    Flags,
    Operand,
    Operands,
    Program,
    Tracer,
    UnsupportedError,
    bind,
    current_trace,
    derived,
    frozen,
    interpret_unchecked as interpret,
    is_symbolic,
    ops,
    reached_carries,
    rewrite,
    share_captures,
    stage,
    type_of,
    unsharded,
)
from treadle_ir.dtypes import is_inexact
from treadle_ir.primitives.compare import Direction
from treadle_ir.primitives.control import Case, Scan, While


def _flags(dims: Sequence[Dim]) -> Flags:
    return tuple([dim is not None for dim in dims])


def _dims(flags: Sequence[bool]) -> list[Dim]:
    """The batch at axis 0 of what is batched."""
    return [0 if flag else None for flag in flags]


def _placed(
    operands: Operands, dims: Sequence[Dim], flags: Sequence[bool], axis: Axis, at: int = 0
) -> list[Operand]:
    """The operands that are flagged with their batch at one place, the others as they are."""
    return [
        with_dim(x, dim, at, axis) if flag else x
        for x, dim, flag in zip(operands, dims, flags, strict=True)
    ]


def _choose(condition: Operand, on_true: Operand, on_false: Operand) -> Operand:
    """Batch elements of one array or another; the condition is a vector."""
    shape = type_of(on_true).shape
    if len(shape) > 1:
        condition = ops.broadcast_in_dim(condition, shape=shape, dimensions=(0,))
    return ops.select(condition, on_true, on_false)


# --- case ------------------------------------------------------------------------------------------

_MOST_SPREAD: Final = 1 << 16  # elements, for which what is not batched is spread over the batch


@final
@frozen(eq=False)
class _Branches:
    primitive: Case
    captured: tuple[Operand, ...]
    dims: tuple[Dim, ...]


@batch_rule(Case)
def case_batch(
    primitive: Case, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """One choice for all batch elements is a choice between batched branches; else all branches, and a selection."""
    branches = primitive.branches
    if dims[0] is not None:
        _refuse_effects("case", branches)
        ways = [rewrite.unpromised(branch) for branch in branches]
        return _all_branches(ways, axis, operands, dims)
    flags = _flags(dims[1:])
    made = derived(
        branches[0],
        ("case", axis, branches[1:], flags),
        lambda: _batched_branches(branches, axis, flags),
    )
    placed = _placed(operands[1:], dims[1:], flags, axis)
    return bind(made.primitive, operands[0], *made.captured, *placed), made.dims


def _refuse_effects(name: str, programs: Sequence[Program]) -> None:
    """Refuse effects that must only happen for batch elements that take the branch: all branches are executed."""
    for effect in _effects(programs):
        if not effect.may_be_speculated:
            raise UnsupportedError(
                f"{name}: batch elements go different ways, and the effect `{effect.name}` would happen for all "
                "of them",
                fix="transform each batch element by itself, and batch that: `vmap(checkify(f))` in the place of "
                "`checkify(vmap(f))`",
            )


def _effects(programs: Sequence[Program]) -> Effects:
    """The effects that any of several programs has."""
    return frozenset().union(*[program.effects for program in programs])


def _batched_branches(branches: Sequence[Program], axis: Axis, flags: Flags) -> _Branches:
    none = [False] * len(branches[0].results)
    found = [batch_program(branch, axis, _dims(flags), none).dims for branch in branches]
    forced = [any(dim is not None for dim in each) for each in zip(*found, strict=True)]
    batched = [batch_program(branch, axis, _dims(flags), forced) for branch in branches]
    programs, captured = share_captures(
        [each.program for each in batched], [each.captured for each in batched]
    )
    return _Branches(Case(tuple(programs)), tuple(captured), tuple(_dims(forced)))


def _all_branches(
    branches: Sequence[Program], axis: Axis, operands: Operands, dims: Sequence[Dim]
) -> tuple[Operands, Sequence[Dim]]:
    index = at_front(operands[0], dims[0], axis)
    last = len(branches) - 1
    inputs = [_Input.of(x, dim, axis) for x, dim in zip(operands[1:], dims[1:], strict=True)]
    differ = any([each.stopped is not None for each in inputs])

    def inputs_of(number: int) -> list[Operand]:
        if not differ:
            return [each.x for each in inputs]
        way: Direction = "le" if number == 0 else "ge" if number == last else "eq"
        taken = ops.compare(index, np.int32(number), direction=way)
        return [each.of_those(taken) for each in inputs]

    def results_of(number: int) -> list[Operand]:
        outputs, out_dims = batch_flat(
            lambda *xs: interpret(branches[number], *xs),
            axis,
            inputs_of(number),
            [each.dim for each in inputs],
            "branch",
        )
        return [at_front(x, dim, axis) for x, dim in zip(outputs, out_dims, strict=True)]

    # From the last branch to the first: an index at most i takes branch i, so indices are clamped.
    chosen = results_of(last)
    for number in reversed(range(last)):
        this_one = ops.compare(index, np.int32(number), direction="le")
        chosen = [_choose(this_one, x, y) for x, y in zip(results_of(number), chosen, strict=True)]
    return chosen, [0] * len(chosen)


@final
@frozen(eq=False)
class _Input:
    """An operand of all branches, of which each takes derivatives by those batch elements only that go this way.

    The others run a branch on what it was not meant for. Cotangents of what they do not take are zero, and zero times
    an infinite derivative is NaN: of `sqrt` at 0, say, in a branch that is there to avoid it.
    """

    x: Operand
    dim: Dim
    stopped: Operand | None  # the same without a derivative; None where nobody differentiates

    @classmethod
    def of(cls, x: Operand, dim: Dim, axis: Axis) -> _Input:
        """What branches take for an operand; one that is not batched is spread over the batch, unless it is large."""
        type_ = type_of(x)
        concrete = not isinstance(x, Tracer) or isinstance(current_trace(), EvalTrace)
        if concrete or not is_inexact(type_.dtype):
            return cls(x, dim, None)
        if dim is None and (is_symbolic(type_.shape) or type_.size * axis.size > _MOST_SPREAD):
            return cls(x, dim, None)
        spread = at_front(x, dim, axis)
        return cls(spread, 0, ops.stop_gradient(spread))

    def of_those(self, taken: Operand) -> Operand:
        """The operand of a branch that some batch elements take."""
        return self.x if self.stopped is None else _choose(taken, self.x, self.stopped)


# --- loops -----------------------------------------------------------------------------------------


@final
@frozen(eq=False)
class _Loop:
    body: BatchedProgram
    carried: Flags

    @property
    def captured(self) -> tuple[Operand, ...]:
        return self.body.captured


@batch_rule(Scan)
def scan_batch(
    primitive: Scan, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """A loop over batched elements; xs and ys have their batch behind the axis of the loop."""
    first = primitive.constants
    fixed = first + primitive.carries
    flags = _flags(dims)
    body = primitive.body
    loop = derived(
        body,
        ("scan", axis, primitive.constants, primitive.carries, flags),
        lambda: _batched_scan(body, axis, first, fixed, flags),
    )
    constants = _placed(operands[:first], dims[:first], flags[:first], axis)
    carries = _placed(operands[first:fixed], dims[first:fixed], loop.carried, axis)
    xs = _placed(operands[fixed:], dims[fixed:], flags[fixed:], axis, at=1)
    scan = Scan(
        loop.body.program,
        primitive.length,
        len(loop.captured) + first,
        primitive.carries,
        primitive.reverse,
        primitive.unroll,
    )
    results = bind(scan, *loop.captured, *constants, *carries, *xs)
    of_ys = loop.body.dims[primitive.carries :]
    return results, [*_dims(loop.carried), *(None if dim is None else 1 for dim in of_ys)]


def _batched_scan(body: Program, axis: Axis, first: int, fixed: int, flags: Flags) -> _Loop:
    carries = fixed - first

    def batched(carried: Flags, forced: Flags) -> BatchedProgram:
        dims = _dims((*flags[:first], *carried, *flags[fixed:]))
        return batch_program(body, axis, dims, (*forced, *(False for _ in body.results[carries:])))

    none = (False,) * carries
    carried = reached_carries(
        lambda carried: _flags(batched(carried, none).dims), flags[first:fixed]
    )
    return _Loop(batched(carried, carried), carried)


@final
@frozen(eq=False)
class _WhileLoop:
    """A batched while loop. Where batch elements end at different iterations, `holds` computes each one's condition.

    Operands are then: what `holds` captured and the condition's constants, and the same for the body, all of
    them constants of the body; carries are the batch elements' conditions, then the carries.
    """

    primitive: While
    captured: tuple[Operand, ...]  # by the condition, then by the body
    of_cond: int  # how many the condition captured
    carried: Flags
    holds: Program | None


@batch_rule(While)
def while_batch(
    primitive: While, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """One condition for all: a loop over batched carries. Else a loop until no batch element's condition holds."""
    of_cond = primitive.cond_constants
    fixed = of_cond + primitive.body_constants
    flags = _flags(dims)
    loop = derived(
        primitive.body,
        (
            "while",
            axis,
            primitive.cond,
            of_cond,
            primitive.body_constants,
            flags,
            primitive.trip_bound,
        ),
        lambda: _batched_while(primitive, axis, flags),
    )
    placed = _placed(operands[:fixed], dims[:fixed], flags[:fixed], axis)
    carries = _placed(operands[fixed:], dims[fixed:], loop.carried, axis)
    for_cond = [*loop.captured[: loop.of_cond], *placed[:of_cond]]
    for_body = [*loop.captured[loop.of_cond :], *placed[of_cond:]]
    if loop.holds is None:
        results = bind(loop.primitive, *for_cond, *for_body, *carries)
        return results, _dims(loop.carried)
    first = interpret(loop.holds, *for_cond, *carries)
    results = bind(loop.primitive, *for_cond, *for_body, *first, *carries)[1:]
    return results, [0] * len(results)


def _batched_while(primitive: While, axis: Axis, flags: Flags) -> _WhileLoop:
    of_cond = primitive.cond_constants
    fixed = of_cond + primitive.body_constants
    cond, body = primitive.cond, primitive.body

    def condition(carried: Flags, forced: bool) -> BatchedProgram:
        return batch_program(cond, axis, _dims((*flags[:of_cond], *carried)), (forced,))

    def iteration(carried: Flags, forced: Flags) -> BatchedProgram:
        return batch_program(body, axis, _dims((*flags[of_cond:fixed], *carried)), forced)

    none = (False,) * len(body.results)
    every = (True,) * len(body.results)

    def after(carried: Flags) -> Sequence[bool]:
        if condition(carried, False).dims[0] is not None:
            return every
        return _flags(iteration(carried, none).dims)

    carried = reached_carries(after, flags[fixed:])
    holds, step = condition(carried, False), iteration(carried, carried)
    if holds.dims[0] is not None:
        _refuse_effects("while", [cond, body])
    if holds.dims[0] is None:
        batched = While(
            holds.program,
            step.program,
            len(holds.captured) + of_cond,
            len(step.captured) + primitive.body_constants,
            primitive.trip_bound,
        )
        captured = (*holds.captured, *step.captured)
        return _WhileLoop(batched, captured, len(holds.captured), carried, None)
    return _each_at_its_own_pace(primitive, axis, holds, step)


def _each_at_its_own_pace(
    primitive: While, axis: Axis, holds: BatchedProgram, step: BatchedProgram
) -> _WhileLoop:
    cond_count = len(holds.captured) + primitive.cond_constants
    body_count = len(step.captured) + primitive.body_constants
    carry_types = unsharded(step.program.parameter_types[body_count:])
    conditions = batched_type(primitive.cond.result_types[0], 0, axis)
    body_of_all = rewrite.unpromised(step.program)

    def iteration(*operands: Operand) -> Operands:
        for_cond, for_body = operands[:cond_count], operands[cond_count : cond_count + body_count]
        active, *carries = operands[cond_count + body_count :]
        moved = interpret(body_of_all, *for_body, *carries)
        kept: list[Any] = [
            _choose(active, new, old) for new, old in zip(moved, carries, strict=True)
        ]
        (still,) = interpret(holds.program, *for_cond, *kept)
        # A batch element that is done stays done, also where the condition captured something that changes outside.
        return [ops.and_(active, still), *kept]

    constants = unsharded(
        (
            *holds.program.parameter_types[:cond_count],
            *step.program.parameter_types[:body_count],
        )
    )
    body = stage(iteration, *constants, conditions, *carry_types)
    any_active = stage(
        lambda active, *_: [ops.reduce_or(active, axes=(0,))], conditions, *carry_types
    )
    batched = While(
        any_active.program, body.program, 0, cond_count + body_count, primitive.trip_bound
    )
    return _WhileLoop(
        batched,
        (*holds.captured, *step.captured),
        len(holds.captured),
        (True,) * len(carry_types),
        Program(holds.program.parameters, holds.program.equations, holds.program.results),
    )

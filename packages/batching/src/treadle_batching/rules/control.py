"""Batching of control flow.

Inside of nested programs the batch is at axis 0. What stays the same for all batch elements stays unbatched: which
carries of a loop are batched is found by batching the body until that set stays the same. Where batch elements disagree
about the way to go, all ways are gone and each batch element takes its own: a `case` with a batched index runs all
branches, a `while` goes on until the last batch element is done, and batch elements that are done keep their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import or_
from typing import Any, Final, final

import numpy as np

from treadle_batching.axis import Axis, Dim, Dims, WithDims
from treadle_batching.batch import batch_flat
from treadle_batching.moving import at_front, with_dim
from treadle_batching.programs import (
    BatchedProgram,
    BatchedPrograms,
    batch_program,
    batch_programs,
    batched_type,
)
from treadle_batching.registry import batch_rule
from treadle_ir import (
    ControlFlow,
    Effects,
    Operand,
    Operands,
    Program,
    Type,
    UnsupportedError,
    bind,
    ops,
    rewrite,
    stage,
    type_of,
)
from treadle_ir.analysis import forward
from treadle_ir.core import Flags, ScanOperands, WhileOperands, is_symbolic, unsharded
from treadle_ir.core.dtypes import is_inexact
from treadle_ir.primitives.compare import Direction
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.process import frozen
from treadle_ir.tracing import (
    EvalTrace,
    Tracer,
    current_trace,
    derived,
    interpret_unchecked as interpret,
)


def _flags(dims: Dims) -> Flags:
    return tuple([dim is not None for dim in dims])


def _dims(flags: Sequence[bool], at: int = 0) -> list[Dim]:
    """Return the batch dims of values whose batch is at one axis, and of values that are not batched."""
    return [at if flag else None for flag in flags]


def _placed(operands: Operands, dims: Dims, wanted: Dims, axis: Axis) -> list[Operand]:
    """Return the operands with their batch at the wanted axes; where that is None, as they are."""
    return [
        x if at is None else with_dim(x, dim, at, axis)
        for x, dim, at in zip(operands, dims, wanted, strict=True)
    ]


def _choose(condition: Operand, on_true: Operand, on_false: Operand) -> Operand:
    """Batch elements of one array or another; the condition is a vector."""
    shape = type_of(on_true).shape
    if len(shape) > 1:
        condition = ops.broadcast_in_dim(condition, shape=shape, dimensions=(0,))
    return ops.select(condition, on_true, on_false)


# --- case ------------------------------------------------------------------------------------------

_MOST_SPREAD: Final = 1 << 16  # elements, for which what is not batched is spread over the batch


@batch_rule(Case)
def case_batch(primitive: Case, axis: Axis, operands: Operands, dims: Dims, /) -> WithDims:
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
    placed = _placed(operands[1:], dims[1:], _dims(flags), axis)
    return bind(Case(made.programs), operands[0], *made.captured, *placed), made.dims[0]


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


def _batched_branches(branches: Sequence[Program], axis: Axis, flags: Flags) -> BatchedPrograms:
    """Batch the branches so that a result has a batch in all of them if it has one in any."""
    none = [False] * len(branches[0].results)
    found = [batch_program(branch, axis, _dims(flags), none).dims for branch in branches]
    forced = [any(dim is not None for dim in each) for each in zip(*found, strict=True)]
    return batch_programs(branches, axis, _dims(flags), [forced] * len(branches))


def _all_branches(
    branches: Sequence[Program], axis: Axis, operands: Operands, dims: Dims
) -> WithDims:
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
    """An operand of all branches; each branch differentiates only by the batch elements that take it.

    The others run a branch on what it was not meant for. Cotangents of what they do not take are zero, and zero times
    an infinite derivative is NaN: of `sqrt` at 0, say, in a branch that is there to avoid it.
    """

    x: Operand
    dim: Dim
    stopped: Operand | None  # the same without a derivative; None without differentiation

    @classmethod
    def of(cls, x: Operand, dim: Dim, axis: Axis) -> _Input:
        """Return the form of an operand for branches; an unbatched operand is repeated, unless it is large."""
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


def _batched_parameters(
    primitive: ControlFlow, axis: Axis, flags: Sequence[bool]
) -> tuple[Flags, ...]:
    """Return which parameters of the programs of a loop are batched, in some iteration at least.

    If batch elements disagree about whether a loop goes on, all that it carries is batched.
    """
    flows = primitive.flows()
    assert flows is not None, "loops have flows"

    def results(program: Program, given: Flags) -> Flags:
        none = [False] * len(program.results)
        return _flags(batch_program(program, axis, _dims(given), none).dims)

    return forward(flows, flags, results, or_, control=True).parameters


@final
@frozen(eq=False)
class _Loop:
    body: BatchedProgram
    batched: Flags  # per operand

    @property
    def captured(self) -> tuple[Operand, ...]:
        """What the body captured."""
        return self.body.captured


@batch_rule(Scan)
def scan_batch(primitive: Scan, axis: Axis, operands: Operands, dims: Dims, /) -> WithDims:
    """A loop over batched elements; xs and ys have their batch behind the axis of the loop."""
    flags = _flags(dims)
    loop = derived(
        primitive.body,
        ("scan", axis, primitive.constants, primitive.carries, flags),
        lambda: _batched_scan(primitive, axis, flags),
    )
    consts, carry, xs = primitive.operand_groups(loop.batched)
    placed = _placed(operands, dims, [*_dims(consts), *_dims(carry), *_dims(xs, at=1)], axis)
    groups = ScanOperands(loop.captured).joined(primitive.operand_groups(placed))
    results = bind(primitive.with_body(loop.body.program, groups), *groups.flat())
    carry_dims, y_dims = primitive.result_groups(loop.body.dims)
    return results, [*carry_dims, *_dims(_flags(y_dims), at=1)]


def _batched_scan(primitive: Scan, axis: Axis, flags: Flags) -> _Loop:
    body = primitive.body
    (batched,) = _batched_parameters(primitive, axis, flags)
    carry = primitive.operand_groups(batched).carry
    forced = (*carry, *(False for _ in body.results[len(carry) :]))
    return _Loop(batch_program(body, axis, _dims(batched), forced), batched)


@final
@frozen(eq=False)
class _WhileLoop:
    """A batched while loop. Where batch elements end at different iterations, `holds` computes each one's condition.

    Operands are then: what `holds` captured and the condition's constants, and the same for the body, all of
    them constants of the body; carries are the batch elements' conditions, then the carries.
    """

    primitive: While
    by_program: WhileOperands[Operand]  # what the condition and the body captured
    carried: Flags
    holds: Program | None

    @property
    def captured(self) -> tuple[Operand, ...]:
        """What both programs captured."""
        return self.by_program.flat()


@batch_rule(While)
def while_batch(primitive: While, axis: Axis, operands: Operands, dims: Dims, /) -> WithDims:
    """One condition for all: a loop over batched carries. Else a loop until no batch element's condition holds."""
    flags = _flags(dims)
    loop = derived(
        primitive.body,
        (
            "while",
            axis,
            primitive.cond,
            primitive.cond_constants,
            primitive.body_constants,
            flags,
            primitive.trip_bound,
        ),
        lambda: _batched_while(primitive, axis, flags),
    )
    cond_flags, body_flags, _ = primitive.operand_groups(flags)
    wanted = _dims((*cond_flags, *body_flags, *loop.carried))
    groups = loop.by_program.joined(primitive.operand_groups(_placed(operands, dims, wanted, axis)))
    if loop.holds is None:
        return bind(loop.primitive, *groups.flat()), _dims(loop.carried)
    active = interpret(loop.holds, *groups.for_cond)
    constants = (*groups.cond_consts, *groups.body_consts)
    results = bind(loop.primitive, *constants, *active, *groups.carry)[1:]
    return results, [0] * len(results)


def _batched_while(primitive: While, axis: Axis, flags: Flags) -> _WhileLoop:
    of_cond, of_body = _batched_parameters(primitive, axis, flags)
    carried = tuple(primitive.body_groups(of_body).carry)
    holds = batch_program(primitive.cond, axis, _dims(of_cond), (False,))
    step = batch_program(primitive.body, axis, _dims(of_body), carried)
    captured: WhileOperands[Any] = WhileOperands(holds.captured, step.captured)
    groups = captured.joined(primitive.operand_groups(flags))
    batched = primitive.with_programs(holds.program, step.program, groups)
    if holds.dims[0] is None:
        return _WhileLoop(batched, captured, carried, None)
    _refuse_effects("while", [primitive.cond, primitive.body])
    conditions = batched_type(primitive.cond.result_types[0], 0, axis)
    return _WhileLoop(
        _each_at_its_own_pace(batched, conditions),
        captured,
        (True,) * len(carried),
        Program(holds.program.parameters, holds.program.equations, holds.program.results),
    )


def _each_at_its_own_pace(loop: While, conditions: Type) -> While:
    """Return a loop that goes on while a batch element's condition holds, of a loop whose condition is a batch."""
    body_types = loop.body_groups(loop.body.parameter_types)
    carry_types = unsharded(body_types.carry)
    body_of_all = rewrite.unpromised(loop.body)

    def iteration(*operands: Operand) -> Operands:
        cond_consts, body_consts, (active, *carry) = loop.operand_groups(operands)
        moved = interpret(body_of_all, *body_consts, *carry)
        kept: list[Any] = [_choose(active, new, old) for new, old in zip(moved, carry, strict=True)]
        (still,) = interpret(loop.cond, *cond_consts, *kept)
        # A batch element that is done stays done, also where the condition captured something that changes outside.
        return [ops.and_(active, still), *kept]

    constants = unsharded(
        (*loop.cond.parameter_types[: loop.cond_constants], *body_types.body_consts)
    )
    body = stage(iteration, *constants, conditions, *carry_types)
    any_active = stage(
        lambda active, *_: [ops.reduce_or(active, axes=(0,))], conditions, *carry_types
    )
    return While(any_active.program, body.program, 0, len(constants), loop.trip_bound)

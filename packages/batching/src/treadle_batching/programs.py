"""Batched programs: a program applied to every batch element, as a program.

What calls and control flow are vectorised with. Each is kept by the program that it was made of, so that a
jitted function is vectorised once, and compiled once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from treadle_batching.axis import Axis, Dim
from treadle_batching.batch import batch_flat
from treadle_batching.moving import at_front
from treadle_ir import ArrayType, Operand, Operands, Program, Type
from treadle_ir.process import frozen
from treadle_ir.tracing import (
    derived,
    interpret_unchecked as interpret,
    share_captures,
    stage_tree,
)


@final
@frozen(eq=False)
class BatchedProgram:
    """A program over a batch. `captured` operands (there are none, as a rule) go first."""

    program: Program
    captured: tuple[Operand, ...]
    dims: tuple[Dim, ...]  # where the batch sits in each result


@final
@frozen(eq=False)
class BatchedPrograms:
    """The programs of one operation over a batch. All take the same `captured` operands first."""

    programs: tuple[Program, ...]
    captured: tuple[Operand, ...]
    dims: tuple[tuple[Dim, ...], ...]  # where the batch sits in the results of each program


def batched_type(type: Type, dim: Dim, axis: Axis) -> Type:
    """Return a type with the batch at `dim`, without a sharding."""
    if dim is None:
        return type.unsharded
    assert isinstance(type, ArrayType), "only arrays are batched"
    return type.with_shape((*type.shape[:dim], axis.size, *type.shape[dim:]))


def batch_program(
    program: Program,
    axis: Axis,
    dims: Sequence[Dim],
    forced: Sequence[bool] | None = None,
) -> BatchedProgram:
    """Batch a program, with the batch at `dims` in its parameters.

    Without `forced`, the batch of each result is where it happens to be. With it, results have their batch at
    axis 0; those that `forced` marks have one even if they are the same for all batch elements.
    """
    given = tuple(dims)
    wanted = None if forced is None else tuple(forced)
    return derived(
        program, ("batch", axis, given, wanted), lambda: _make_batched(program, axis, given, wanted)
    )


def _make_batched(
    program: Program, axis: Axis, dims: tuple[Dim, ...], forced: tuple[bool, ...] | None
) -> BatchedProgram:
    def function(*operands: Operand) -> tuple[Operands, tuple[Dim, ...]]:
        results, result_dims = batch_flat(
            lambda *xs: interpret(program, *xs), axis, operands, dims, "program"
        )
        if forced is None:
            return results, tuple(result_dims)
        placed: list[Dim] = [
            None if dim is None and not force else 0
            for dim, force in zip(result_dims, forced, strict=True)
        ]
        moved = [
            result if wanted is None else at_front(result, dim, axis)
            for result, dim, wanted in zip(results, result_dims, placed, strict=True)
        ]
        return moved, tuple(placed)

    types = program.parameter_types
    staged, found = stage_tree(
        function, *[batched_type(type, dim, axis) for type, dim in zip(types, dims, strict=True)]
    )
    return BatchedProgram(staged.program, staged.captured, found)


def batch_programs(
    programs: Sequence[Program],
    axis: Axis,
    dims: Sequence[Dim],
    forced: Sequence[Sequence[bool]],
) -> BatchedPrograms:
    """Batch the programs of one operation, and let each take what any of them captures.

    Args:
        programs: the programs, which have their first parameters in common.
        axis: the axis that is mapped over.
        dims: where the batch sits in the common parameters; all other parameters have it at axis 0.
        forced: for each program, which results have a batch in any case, as for `batch_program`.
    """
    batched = [
        batch_program(program, axis, [*dims, *[0] * (len(program.parameters) - len(dims))], wanted)
        for program, wanted in zip(programs, forced, strict=True)
    ]
    made, captured = share_captures(
        [each.program for each in batched], [each.captured for each in batched]
    )
    return BatchedPrograms(tuple(made), tuple(captured), tuple([each.dims for each in batched]))

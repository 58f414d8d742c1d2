"""Carries: what a loop hands from one iteration to the next, with types that stay.

A carry that starts as a Python number takes the element type that the body gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from treadle_ir import AbstractMesh, ArrayType, DTypeError, Operand, ShapeError, Sharding, ops
from treadle_ir.core import promoted
from treadle_ir.errors import ShardingTypeError, StructureError
from treadle_ir.sharding import types_here
from treadle_ir.tracing import explicit_mesh
from treadle_ir.tree import PyTreeDef, explain_difference
from treadle_numpy.lax.control.staging import Body, first_difference, paths_of
from treadle_numpy.operands.promote import with_dtype

_ROUNDS: Final = 4  # of staging a body again because a carry's element type changed
SAME_SHAPES: Final = "broadcast, reshape or pad to one shape: compiled programs have fixed shapes"


def type_differences(
    structure: PyTreeDef, left: Sequence[ArrayType], right: Sequence[ArrayType]
) -> tuple[str, bool]:
    """Return where two lists of types differ in more than weak marks, in words, and whether shapes do."""
    differ = [
        number
        for number, (one, two) in enumerate(zip(left, right, strict=True))
        if one.shape != two.shape or one.dtype != two.dtype
    ]
    if not differ:  # as nearly always
        return "", False
    paths = paths_of(structure)
    lines = [
        f"at {paths[n] or 'the only leaf'}: {left[n].strong()} and {right[n].strong()}"
        for n in differ[:20]
    ]
    return "; ".join(lines), any(left[n].shape != right[n].shape for n in differ)


def settled(
    name: str,
    carry: list[Operand],
    structure: PyTreeDef,
    what: str,
    stage_with: Callable[[Sequence[ArrayType]], Body],
    elements: Sequence[Operand] = (),
) -> tuple[list[Operand], Body]:
    """Carries and the body that keeps their types; weak carries take the element type that the body gives them.

    They are not weak then: their type results from a computation, not from a literal.

    `elements` are the arrays whose elements the body takes in addition to the carries.

    Raises:
        StructureError, ShapeError, DTypeError: the body changes what it carries.
    """
    rounds, mesh = 0, explicit_mesh()
    while True:
        types = types_here(carry)
        rows = [type.without_leading_axis() for type in types_here(elements)]
        body = _alike(stage_with, types, rows)
        rounds += 1
        returned = body.structures[0]
        if returned != structure:
            lines = "; ".join(explain_difference(structure, returned))
            raise StructureError(
                f"{name}: {what} must return the carry in the structure it came in, but in and out differ {lines}",
                fix=f"return the same containers as the initial value of {name} has",
            )
        results = body.result_types[0]
        changed = False
        for position, (type, result) in enumerate(zip(types, results, strict=True)):
            if type.weak and type.shape == result.shape and type.dtype != result.dtype:
                dtype, _ = promoted([type, result])
                if dtype != type.dtype:
                    carry[position] = with_dtype(carry[position], type, dtype, False)
                    changed = True
        if mesh is not None:
            changed = _divide(carry, types, results, body.shardings, mesh) or changed
        if not changed or rounds == _ROUNDS:
            break
    lines, is_shape = type_differences(structure, types, results)
    if lines:
        error = ShapeError if is_shape else DTypeError
        raise error(
            f"{name}: {what} must return the carry with the types it came in with, but in and out differ {lines}",
            fix=SAME_SHAPES
            if is_shape
            else "convert the initial value, or the carry that is returned, with .astype(...)",
        )
    if mesh is None:
        return carry, body
    differs = first_difference(types, [type.sharding for type in types], body.shardings)
    if differs is not None:
        number, one, two = differs
        where = paths_of(structure)[number] or "its only leaf"
        raise ShardingTypeError(
            f"{name}: {what} must return the carry as it took it, but at {where} it goes in as {one} "
            f"and comes out as {two}",
            fix="reshard the initial value, or the returned carry: `reshard(x, P(...))`",
        )
    return carry, body


def _divide(
    carry: list[Operand],
    types: Sequence[ArrayType],
    results: Sequence[ArrayType],
    after: Sequence[Sharding | None],
    mesh: AbstractMesh,
) -> bool:
    """Divide the carries that go in replicated as they come out: that costs nothing. Whether there were any."""
    changed = False
    for position, (type, result) in enumerate(zip(types, results, strict=True)):
        one, two = type.sharding, after[position]
        if type.shape != result.shape or one is None or two is None:
            continue
        if one.is_replicated and not two.is_replicated:
            carry[position] = ops.sharding_constraint(carry[position], mesh=mesh, layout=two.dims)
            changed = True
    return changed


def _alike(
    stage: Callable[[Sequence[ArrayType]], Body],
    types: Sequence[ArrayType],
    rows: Sequence[ArrayType],
) -> Body:
    """Return the body, staged for carries that vary over the same axes of shard_maps before and after it."""
    while True:
        body = stage((*types, *rows))
        returned = body.program.result_types
        after = [
            one.with_varying(one.varying | two.varying)
            for one, two in zip(types, returned, strict=False)
        ]
        if after == [*types] or len(returned) < len(types):
            return body
        types = after

"""Operations that put elements elsewhere: broadcast, reshape, transpose, reverse, concatenate, pad, slices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from treadle_ir.core.mesh import AbstractMesh
from treadle_ir.core.primitive import Primitive
from treadle_ir.primitives.indexing.dynamic import DynamicSlice
from treadle_ir.primitives.shape import (
    BroadcastInDim,
    Concatenate,
    Pad,
    Reshape,
    Reverse,
    Slice,
    Transpose,
)
from treadle_ir.sharding.rules import ArrayTypes, ResultDims, ShardedTypes, sharding_rule
from treadle_ir.sharding.sharded_type import Names, count, is_replicated, refuse


@sharding_rule(BroadcastInDim)
def broadcast_shardings(
    primitive: BroadcastInDim, operands: ShardedTypes, results: ArrayTypes, mesh: AbstractMesh, /
) -> ResultDims:
    """Return the dims of the operand; new axes are replicated."""
    (x,) = operands
    names = dict(zip(primitive.dimensions, x.dims, strict=True))
    return [tuple([names.get(axis, ()) for axis in range(results[0].ndim)])]


@sharding_rule(Transpose)
def transpose_shardings(
    primitive: Transpose, operands: ShardedTypes, results: ArrayTypes, mesh: AbstractMesh, /
) -> ResultDims:
    """Return the dims in the order of the permutation."""
    return [tuple([operands[0].dims[axis] for axis in primitive.permutation])]


@sharding_rule(Reverse)
def reverse_shardings(
    primitive: Reverse, operands: ShardedTypes, results: ArrayTypes, mesh: AbstractMesh, /
) -> ResultDims:
    """Return the dims of the operand."""
    return [operands[0].dims]


@sharding_rule(Concatenate)
def concatenate_shardings(
    primitive: Concatenate, operands: ShardedTypes, results: ArrayTypes, mesh: AbstractMesh, /
) -> ResultDims:
    """Require equal dims of all operands, also replicated ones: each operand is a part of the result."""
    first = operands[0].dims
    if any([each.dims != first for each in operands]):
        raise refuse(
            primitive,
            operands,
            "their shardings differ",
            "reshard one like the other first: `reshard(x, P(...))`",
        )
    return [first]


def resized_shardings(
    primitive: Primitive, operands: ShardedTypes, results: ArrayTypes, mesh: AbstractMesh, /
) -> ResultDims:
    """Return the dims of operand 0 if its new sizes divide.

    Raises:
        ShardingTypeError: the new size of a divided axis does not divide.
    """
    type, dims = operands[0]
    for axis, (names, old, new) in enumerate(zip(dims, type.shape, results[0].shape, strict=True)):
        parts = count(names, mesh)
        if old != new and new % parts:
            raise refuse(
                primitive,
                operands[:1],
                f"axis {axis} is divided into {parts} parts, of which the new size {new} is not a multiple",
            )
    return [dims]


sharding_rule(Pad)(resized_shardings)
sharding_rule(Slice)(resized_shardings)
sharding_rule(DynamicSlice)(resized_shardings)


@sharding_rule(Reshape)
def reshape_shardings(
    primitive: Reshape, operands: ShardedTypes, results: ArrayTypes, mesh: AbstractMesh, /
) -> ResultDims:
    """Keep the dims of unchanged axes; a run of axes may be merged, or an axis split, if the order is determined."""
    (x,), shape = operands, results[0].shape
    found: dict[int, Names] = {}
    runs = 0
    for before, after in _groups(x.type.shape, shape):
        names = [x.dims[axis] for axis in before]
        if len(before) == len(after) == 1:
            found[after[0]] = names[0]
            continue
        runs += 1
        made = _regrouped(names, [shape[axis] for axis in after], mesh)
        if made is None or (runs > 1 and not is_replicated(x.dims)):
            raise refuse(
                primitive, operands, f"how the shape {shape} is to be divided does not follow"
            )
        found.update(zip(after, made, strict=True))
    return [tuple([found.get(axis, ()) for axis in range(len(shape))])]


def _groups(before: Sequence[int], after: Sequence[int]) -> Iterator[tuple[list[int], list[int]]]:
    """Return the shortest runs of axes, without axes of size 1, that have as many elements before as after."""
    left = [axis for axis, size in enumerate(before) if size != 1]
    right = [axis for axis, size in enumerate(after) if size != 1]
    while left or right:
        old, new = [left.pop(0)] if left else [], [right.pop(0)] if right else []
        many = before[old[0]] if old else 1
        now = after[new[0]] if new else 1
        while many != now:
            if (many < now and left) or not right:
                old.append(left.pop(0))
                many *= before[old[-1]]
            else:
                new.append(right.pop(0))
                now *= after[new[-1]]
        yield old, new


def _regrouped(
    names: Sequence[Names], sizes: Sequence[int], mesh: AbstractMesh
) -> list[Names] | None:
    """Return the dims of axes that are made of others; None if they do not follow."""
    if not any(names):
        return [()] * len(sizes)
    if len(sizes) == 1:  # the leading ones are divided, the rest are not
        divided = [bool(each) for each in names]
        return [sum(names, ())] if divided == sorted(divided, reverse=True) else None
    if len(names) > 1:
        return None
    left, made = [*names[0]], []
    for size in sizes:
        taken: list[str] = []
        while left and size % mesh.shape[left[0]] == 0:
            size //= mesh.shape[left[0]]
            taken.append(left.pop(0))
        if left and size != 1:
            return None
        made.append(tuple(taken))
    return None if left else made

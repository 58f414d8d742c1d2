"""Batching of elementwise operations: one rule for the family."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_batching.axis import Axis, Dims, WithDims
from treadle_batching.moving import insert, move
from treadle_batching.registry import batch_rule
from treadle_ir import Elementwise, Operand, Operands, bind, ops, type_of


@batch_rule(Elementwise)
def elementwise_batch(
    primitive: Elementwise, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """Bring the arrays to one batch position and apply; scalars that all batch elements share stay scalars.

    The operands of one batch element have one shape, or are scalars. A batched scalar together with arrays is
    broadcast: with its batch alone it has neither their shape nor rank 0.
    """
    ranks = [type_of(x).ndim - (dim is not None) for x, dim in zip(operands, dims, strict=True)]
    rank = max(ranks)
    # Where the first batched operand of full rank has its batch; arrays that stay put need no transposition.
    place = next(
        (dim for r, dim in zip(ranks, dims, strict=True) if r == rank and dim is not None), 0
    )
    shape: tuple[int, ...] | None = None
    placed: list[Operand] = []
    for x, r, dim in zip(operands, ranks, dims, strict=True):
        if r == rank and dim is not None:
            placed.append(move(x, dim, place))
        elif r == 0 and dim is None:
            placed.append(x)
        elif dim is None:
            placed.append(insert(x, place, axis.size))
        else:
            if shape is None:
                shape = _batched_shape(operands, dims, ranks, rank, place, axis)
            placed.append(ops.broadcast_in_dim(x, shape=shape, dimensions=(place,)))
    results = bind(primitive, *placed)
    return results, [place] * len(results)


def _batched_shape(
    operands: Operands, dims: Dims, ranks: Sequence[int], rank: int, place: int, axis: Axis
) -> tuple[int, ...]:
    index = ranks.index(rank)
    row = list(type_of(operands[index]).shape)
    dim = dims[index]
    if dim is not None:
        del row[dim]
    row.insert(place, axis.size)
    return tuple(row)

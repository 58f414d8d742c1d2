"""Collectives over several named axes, of which a vmap binds one: the same over one axis after the other.

Batch elements are numbered with the last name fastest, so what is gathered is gathered from the last axis first, and
what is scattered is scattered from the first axis first.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import prod
from typing import TypeAlias

import numpy as np

from treadle_batching.axis import Axis, Dim, WithDims
from treadle_batching.batch import batch_flat
from treadle_batching.moving import move
from treadle_ir import Operand, Operands, bind, ops, type_of
from treadle_ir.calling import new_array
from treadle_ir.primitives.collective import AllGather, AllToAll, Permute, ReduceScatter

Runs: TypeAlias = Sequence[tuple[tuple[Hashable, ...], int]]
"""Names that a collective can take at once, and how many batch elements they have."""


def one_by_one(
    primitive: AllGather | ReduceScatter | AllToAll | Permute, axis: Axis, x: Operand, dim: Dim
) -> WithDims:
    """The collective as collectives of which each names this axis alone or others, batched."""
    runs = _runs(primitive.axis_names, primitive.size, axis)

    def apart(element: Operand) -> Operands:
        match primitive:
            case AllGather():
                return [_gathered(primitive, runs, element)]
            case ReduceScatter():
                return [_scattered(primitive, runs, element)]
            case AllToAll():
                return [_exchanged(primitive, runs, element)]
        return [_permuted(primitive, runs, element)]

    return batch_flat(apart, axis, [x], [dim])


def _runs(names: tuple[Hashable, ...], size: int, axis: Axis) -> Runs:
    """Return the names before the axis's name, its own, and the names after it."""
    at = names.index(axis.name)
    before, after = names[:at], names[at + 1 :]
    others = size // axis.size if axis.size else 0
    ahead = (ops.axis_size(before) if after else others) if before else 1
    sizes = (ahead, axis.size, others // ahead if ahead else 0)
    return [
        (run, count) for run, count in zip((before, (axis.name,), after), sizes, strict=True) if run
    ]


def _gathered(primitive: AllGather, runs: Runs, x: Operand) -> Operand:
    at, shape = primitive.axis, type_of(x).shape
    if not primitive.tiled:
        x = ops.reshape(x, shape=(*shape[:at], 1, *shape[at:]))
    for names, size in reversed(runs):
        (x,) = bind(AllGather(names, size, at, True), x)
    return x


def _scattered(primitive: ReduceScatter, runs: Runs, x: Operand) -> Operand:
    for names, size in runs:
        (x,) = bind(ReduceScatter(names, size, primitive.axis), x)
    return x


def _exchanged(primitive: AllToAll, runs: Runs, x: Operand) -> Operand:
    """The parts get an axis for each run, along which receivers become senders; then these go before `concat`."""
    split, concat, count = primitive.split, primitive.concat, primitive.size
    shape = type_of(x).shape
    ahead, rest = shape[:split], (shape[split] // count, *shape[split + 1 :])
    x = ops.reshape(x, shape=(*ahead, *[size for _, size in runs], *rest))
    for place, (names, size) in enumerate(runs):
        (x,) = bind(AllToAll(names, size, split + place, split + place), x)
    x = move(ops.reshape(x, shape=(*ahead, count, *rest)), split, concat)
    wide = type_of(x).shape
    joined = (*wide[:concat], prod(wide[concat : concat + 2]), *wide[concat + 2 :])
    return ops.reshape(x, shape=joined)


def _permuted(primitive: Permute, runs: Runs, x: Operand) -> Operand:
    """Return the source's values, selected from the values of all; zeros where there is no source."""
    sources = {there: here for here, there in primitive.pairs}
    places = range(primitive.size)
    table = np.array([[sources.get(place, 0), place in sources] for place in places], np.int32)
    number = ops.axis_index(primitive.axis_names)
    none = np.int32(0)
    own = ops.dynamic_slice(new_array(table), number, none, sizes=(1, 2))
    source, hit = [
        ops.reshape(ops.slice(own, start=(0, i), limit=(1, i + 1)), shape=()) for i in range(2)
    ]
    type = type_of(x)
    every = _gathered(AllGather(primitive.axis_names, primitive.size, 0, False), runs, x)
    sizes = (1, *type.shape)
    sent = ops.dynamic_slice(every, source, *[none] * len(type.shape), sizes=sizes)
    zeros = ops.broadcast_in_dim(type.dtype.type(0), shape=type.shape, dimensions=())
    wide = ops.broadcast_in_dim(
        ops.compare(hit, none, direction="ne"), shape=type.shape, dimensions=()
    )
    return ops.select(wide, ops.reshape(sent, shape=type.shape), zeros)

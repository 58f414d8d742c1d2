"""Find what XLA:CPU would compute again and again for operations that read an array in several places.

XLA puts an operation into the loop of the operation that uses it if it counts as cheap, and counts by its name: sines
and cosines are cheap, and so is a chain of cheap operations however long. It does so also where that loop reads an
element many times: `a * cos(x)[None, :]` computes a cosine for each element of `a`, and a stencil of a stencil, as in
a Runge-Kutta step, computes the inner one again at each point of the outer one. So a value that is read often and that
costs much goes through a call that XLA does not inline, and is computed once.

How often an element is read is counted by the sizes of what slices and the like give. What it costs is the longest
chain of cheap operations behind it, and what is read in other places for it each time that it is read.

Example:
    >>> from treadle_ir import ArrayType, ops, stage
    >>> from treadle_ir.core import dtypes
    >>> row = ArrayType((1000,), dtypes.BY_NAME["f32"])
    >>> wide = lambda x: [ops.broadcast_in_dim(ops.sine(x), shape=(1000, 1000), dimensions=[1])]
    >>> len(reads_of(stage(wide, row).program).once)
    1
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, TypeAlias, final

from treadle_compiler.kept import kept
from treadle_compiler.legalise.work import WORK
from treadle_ir import ArrayType, Atom, Elementwise, Equation, Primitive, Program, Value
from treadle_ir.core import InlineCall, is_symbolic
from treadle_ir.primitives.contract import DotGeneral
from treadle_ir.primitives.indexing import DynamicSlice, Gather
from treadle_ir.primitives.shape import (
    BroadcastInDim,
    Concatenate,
    Pad,
    Reshape,
    Reverse,
    Slice,
    Transpose,
)
from treadle_ir.process import frozen

_SAVED: Final = 1 << 20  # operations that are saved at least, some 18 us
_PASS: Final = 32  # operations for each element that take as long as to write and to read it
_LEAST: Final = 8  # operations for each element that do not take place while memory is waited for
_MOST: Final = 1 << 10  # operations for each element; nothing counts further
# Of what reading elsewhere costs: what is read in order is computed by vector instructions.
_IN_ORDER: Final = 1 / 3
_SEAM: Final = 8  # operations that it costs to ask on which side of a seam an element lies

# They read their operand at positions that differ from the positions in their result.
_MOVING: Final = (Concatenate, DynamicSlice, Gather, Pad, Reverse, Slice)
# What they give is computed with what uses it, and reads their operand in its order.
_IN_PLACE: Final = (BroadcastInDim, Reshape, Transpose)

_Cost: TypeAlias = tuple[int, int]
"""What XLA may compute for an element each time that it is read: the longest chain of operations that read in place,
and all that was read in other places for it."""

_NOTHING: Final = (0, 0)


@final
@frozen
class Reads:
    """What was found of a program."""

    once: frozenset[Value]  # the values to be computed once
    parameters: Sequence[float]  # how often an element of each is read
    results: Sequence[_Cost]


def reads_of(program: Program) -> Reads:
    """Return what is read often in a program, and what it costs; the program keeps it."""
    return kept(program, "reads", lambda: _reads_of(program))


def _reads_of(program: Program) -> Reads:
    often = _how_often(program)
    costs: dict[Atom, _Cost] = {}
    once: set[Value] = set()
    for equation in program.equations:
        primitive, results = equation.primitive, equation.results
        work = WORK.get(primitive.name)
        found: Sequence[_Cost]
        if work is not None:
            found = [_together(equation.operands, costs, work)] * len(results)
        elif isinstance(primitive, (InlineCall, *_IN_PLACE, *_MOVING)):
            found = _costs(equation, costs)
        else:
            continue
        for value, cost in zip(results, found, strict=True):
            count = often.get(value, 1.0)
            if count > 1.0 and _is_worth_it(value, count, sum(cost)):
                once.add(value)
            elif cost is not _NOTHING:
                costs[value] = cost
    return Reads(
        frozenset(once),
        [often.get(each, 0.0) for each in program.parameters],
        [costs.get(each, _NOTHING) for each in program.results],
    )


def _is_worth_it(value: Value, count: float, cost: int) -> bool:
    saved = (count - 1) * cost
    if cost < _LEAST or saved < _PASS or not isinstance(value.type, ArrayType):
        return False
    return not is_symbolic(value.type.shape) and saved * value.type.size >= _SAVED


# ---- how often


def _how_often(program: Program) -> dict[Value, float]:
    """Return how often an element of each value is computed, if it is computed wherever it is read.

    Operations that read elements in their places are computed together, as far as to one whose result is wanted in
    several places: its root. What has several roots is computed for each of them.
    """
    moved: dict[Value, float] = {}
    root: dict[Value, object] = {}  # the root of each value with one root
    several: dict[Value, set[object]] = {}

    def ends_in(value: Value, end: object) -> None:
        if root.setdefault(value, end) is not end:
            several.setdefault(value, {root[value]}).add(end)

    for value in program.results:
        if isinstance(value, Value):
            ends_in(value, value)
    for equation in reversed(program.equations):
        primitive, results = equation.primitive, equation.results
        in_place = primitive.name in WORK  # as most are
        reads = not in_place and _reads_elsewhere(primitive)
        end: object = None  # what all that read an array from memory have in common
        if in_place or reads or isinstance(primitive, (Elementwise, *_IN_PLACE)):
            end = result = results[0] if results else None
            if result is not None and result not in several:
                end = root.get(result, result)
        for i, operand in enumerate(equation.operands):
            if type(operand) is Value:
                count = _reads(equation, i) if reads else 0.0
                if count > 0.0:
                    moved[operand] = moved.get(operand, 0.0) + count
                else:
                    ends_in(operand, end)
    counts = {value: 1 + (len(ends) - 1) * _IN_ORDER for value, ends in several.items()}
    for value, count in moved.items():
        counts[value] = count + (counts.get(value, 1.0) if value in root else 0.0)
    return counts


def _reads_elsewhere(primitive: Primitive) -> bool:
    if isinstance(primitive, DotGeneral):
        return not primitive.contracting[0]
    return isinstance(primitive, (InlineCall, BroadcastInDim, *_MOVING))


def _reads(equation: Equation, i: int) -> float:
    """Return how often an operation reads each element of its operand `i` elsewhere than in its place."""
    primitive = equation.primitive
    if isinstance(primitive, InlineCall):
        return reads_of(primitive.program).parameters[i]
    x, result = equation.operands[i].type, equation.results[0].type
    if not isinstance(x, ArrayType) or not isinstance(result, ArrayType):
        return 0.0
    if is_symbolic(x.shape) or is_symbolic(result.shape) or not x.size:
        return 0.0
    match primitive:
        case BroadcastInDim():
            count = _rows(x.shape, result.shape, primitive.dimensions)
            return count if count > 1.0 else 0.0
        case DotGeneral():
            return _outer(primitive, x, result) if i else 0.0
        case Slice() | DynamicSlice() | Gather():
            return 0.0 if i else result.size / x.size
        case _:
            return 1.0


def _rows(shape: Sequence[int], target: Sequence[int], dimensions: Sequence[int]) -> float:
    """Return how often a broadcast reads an element; along axes inside of its last one LLVM reads it once for all."""
    own = [axis for axis, size in zip(dimensions, shape, strict=True) if size != 1]
    if not own:
        return 1.0
    last = max(own)
    return math.prod(target[: last + 1]) / math.prod(shape)


def _outer(primitive: DotGeneral, y: ArrayType, result: ArrayType) -> float:
    """Return how often an outer product reads an element of its second operand, which is broadcast."""
    batch = primitive.batching[1]
    free = iter(range(result.ndim - y.ndim + len(batch), result.ndim))
    axes = [batch.index(axis) if axis in batch else next(free) for axis in range(y.ndim)]
    return _rows(y.shape, result.shape, axes)


# ---- how much


def _costs(equation: Equation, costs: dict[Atom, _Cost]) -> Sequence[_Cost]:
    """Return what an element of each result costs."""
    primitive = equation.primitive
    if isinstance(primitive, InlineCall):
        chain, parts = _together(equation.operands, costs, 0)
        return [
            (min(chain + each[0], _MOST), min(parts + each[1], _MOST))
            for each in reads_of(primitive.program).results
        ]
    if isinstance(primitive, _IN_PLACE):
        return [costs.get(equation.operands[0], _NOTHING)]
    dearest = max([sum(costs.get(each, _NOTHING)) for each in equation.operands])
    seam = _SEAM if isinstance(primitive, (Pad, Concatenate)) else 0
    return [(0, min(dearest + seam + 1, _MOST))]


def _together(operands: Sequence[Atom], costs: dict[Atom, _Cost], work: int) -> _Cost:
    """An operation after its operands: of parallel chains the longest, since they have much in common."""
    chain = parts = 0
    for each in operands:
        cost = costs.get(each)
        if cost is not None:
            chain = max(chain, cost[0])
            parts += cost[1]
    return min(chain + work, _MOST), min(parts, _MOST)

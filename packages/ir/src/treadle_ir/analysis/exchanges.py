"""Communication between devices in a program: its collectives, over the meshes of the enclosing shard_maps.

Collectives that a compiler inserts (for `with_sharding_constraint`, sharded arguments) are not included: for these,
`treadle.jit(f).lower(...).compile().collectives()` reads the compiled program.

Bytes are counted for the ring algorithms: P. Patarasuk and X. Yuan, Bandwidth Optimal All-reduce Algorithms for
Clusters of Workstations, 2009; R. Thakur, R. Rabenseifner and W. Gropp, Optimization of Collective Communication
Operations in MPICH, 2005. A network may use other algorithms, but no algorithm reduces or gathers with fewer bytes.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias, final

from treadle_ir.analysis.iterations import iterations
from treadle_ir.analysis.memory import peak_memory
from treadle_ir.core.equality import has_programs, inside_out, programs_of
from treadle_ir.core.mesh import AbstractMesh
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Equation, Program
from treadle_ir.errors.source import Source
from treadle_ir.primitives.collective import AxisIndex, Collective, Permute, PVary
from treadle_ir.primitives.shard_map import ShardMap
from treadle_ir.process.frozen_classes import frozen

_Sizes: TypeAlias = Mapping[str, int]  # of the axes of a mesh, by their names
_SILENT: Final = (AxisIndex, PVary)  # a device computes them by itself
_RING: Final[dict[str, str]] = {
    "all_reduce": "all-reduce",
    "all_gather": "all-gather",
    "reduce_scatter": "reduce-scatter",
    "all_to_all": "all-to-all",
}


def ring_bytes(operation: str, given: int, size: int) -> int:
    """Return the bytes that each of `size` devices sends in the ring algorithm, with `given` bytes on each.

    2b(n-1)/n for `all-reduce`, b(n-1) for `all-gather`, b(n-1)/n for `reduce-scatter` and `all-to-all`, b for others;
    0 for a single device.

    Example:
        >>> ring_bytes("all-reduce", 1024, 8)
        1792
    """
    if size == 1:
        return 0
    if operation == "all-reduce":
        return -(-2 * given * (size - 1) // size)
    if operation == "all-gather":
        return given * (size - 1)
    if operation in ("reduce-scatter", "all-to-all"):
        return -(-given * (size - 1) // size)
    return given


@final
@frozen
class Exchange:
    """A collective of a program.

    `given` are the bytes of a device's operand, `sent` the bytes that it sends each time. `times` is how often the
    collective runs: once for each call of its program, in a scan as often as the scan's steps, in a loop as often as
    the loop's bound, or else once, and `exact` is false then. A collective that runs in such loops and outside of them
    is listed twice.
    """

    operation: str
    axis_names: tuple[Hashable, ...]
    devices: int
    given: int
    sent: int
    times: int
    exact: bool
    source: Source


@final
@frozen
class Distribution:
    """The cost of a shard_map on each device of its mesh, each time it runs.

    `times` is how often it runs, and `exact` whether that is known, as in an `Exchange`.
    """

    mesh: AbstractMesh
    operand_bytes: int  # of the global operands
    bytes_per_device: int  # of their shards
    peak: int  # bytes at once on a device, including the shards
    exchanges: tuple[Exchange, ...]
    times: int
    exact: bool
    source: Source

    @property
    def sent(self) -> int:
        """The bytes that a device sends each time."""
        return sum([each.sent * each.times for each in self.exchanges])


def distributions(program: Program) -> list[Distribution]:
    """Return each shard_map of a program and of the programs nested in it, in the order of their first calls.

    A shard_map of a program that is called in several places is listed once, with the number of its runs.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ArrayType, ops, stage
        >>> staged = stage(lambda x: [ops.add(x, x)], ArrayType((8,), np.dtype("f4")))
        >>> distributions(staged.program)  # a program for one device
        []
    """
    bodies: dict[tuple[int, AbstractMesh], tuple[int, tuple[Exchange, ...]]] = {}
    found: list[Distribution] = []
    for equation, _, times, exact in _runs(program, {}, ShardMap):
        shard_map = equation.primitive
        assert isinstance(shard_map, ShardMap)
        body = shard_map.body
        of_body = bodies.get((id(body), shard_map.mesh))
        if of_body is None:
            of_body = peak_memory(body).peak, _exchanges(body, shard_map.mesh.shape)
            bodies[id(body), shard_map.mesh] = of_body
        found.append(
            Distribution(
                shard_map.mesh,
                sum([operand.type.nbytes for operand in equation.operands]),
                sum([type.nbytes for type in body.parameter_types]),
                *of_body,
                times,
                exact,
                equation.source,
            )
        )
    return found


def _exchanges(body: Program, sizes: _Sizes) -> tuple[Exchange, ...]:
    """Return the collectives of a body, including the collectives in its loops and shard_maps."""
    found: list[Exchange] = []
    for equation, around, times, exact in _runs(body, sizes, Collective):
        primitive = equation.primitive
        assert isinstance(primitive, Collective)
        if not isinstance(primitive, _SILENT):
            found.append(_exchange(primitive, equation, around, times, exact))
    return tuple(found)


@final
class _Runs:
    """A program over a mesh whose axes have these sizes, and how often it runs, which is exact or a bound."""

    __slots__ = ("calls", "exact", "program", "sizes", "times")

    def __init__(self, program: Program, sizes: _Sizes, exact: bool) -> None:
        self.program = program
        self.sizes = sizes
        self.exact = exact
        self.times = 0
        self.calls: list[tuple[_Runs, int]] = []  # with the number of calls in each run


def _runs(
    root: Program, sizes: _Sizes, kind: type[Primitive]
) -> Iterator[tuple[Equation, _Sizes, int, bool]]:
    """Yield the operations of a kind in a program and its nested programs, in the order of their first calls.

    With each are the sizes of the enclosing axes, how often it runs, and whether this number is exact. Paths of
    calls are counted rather than followed, as there may be exponentially many.
    """
    inside_first = list(inside_out(root))
    holding = _holding(inside_first, kind)
    found: dict[tuple[int, tuple[tuple[str, int], ...], bool], _Runs] = {}

    def runs_of(program: Program, around: _Sizes, exact: bool) -> _Runs:
        key = id(program), tuple(around.items()), exact
        if key not in found:
            found[key] = _Runs(program, around, exact)
        return found[key]

    first = runs_of(root, sizes, True)
    first.times = 1
    in_order: dict[_Runs, list[Equation]] = {}
    waiting = [first]
    while waiting:
        each = waiting.pop()
        if each in in_order:
            continue
        in_order[each] = wanted = []
        for equation in each.program.equations:
            primitive = equation.primitive
            if isinstance(primitive, kind):
                wanted.append(equation)
            elif has_programs(primitive):
                count, known = iterations(primitive)
                around = primitive.mesh.shape if isinstance(primitive, ShardMap) else each.sizes
                each.calls += [
                    (runs_of(inner, around, each.exact and known), count)
                    for inner in programs_of(primitive)
                    if id(inner) in holding
                ]
        waiting += reversed([called for called, _ in each.calls])
    by_program: dict[int, list[_Runs]] = {}
    for each in in_order:
        by_program.setdefault(id(each.program), []).append(each)
    for program in reversed(inside_first):  # after all of its callers
        for each in by_program.get(id(program), ()):
            for called, count in each.calls:
                called.times += each.times * count
    for each, wanted in in_order.items():
        for equation in wanted:
            yield equation, each.sizes, each.times, each.exact


def _holding(inside_first: Iterable[Program], kind: type[Primitive]) -> set[int]:
    """Return the ids of the programs that contain an operation of a kind, directly or nested."""
    found: set[int] = set()
    for each in inside_first:
        if any(
            [
                isinstance(equation.primitive, kind)
                or not found.isdisjoint(map(id, programs_of(equation.primitive)))
                for equation in each.equations
            ]
        ):
            found.add(id(each))
    return found


def _exchange(
    primitive: Collective, equation: Equation, sizes: _Sizes, times: int, exact: bool
) -> Exchange:
    groups = getattr(primitive, "groups", None)
    size = (
        max(map(len, groups))
        if groups
        else math.prod([sizes[str(name)] for name in primitive.axis_names])
    )
    given = sum([operand.type.nbytes for operand in equation.operands])
    if isinstance(primitive, Permute):
        sent = given if any([source != target for source, target in primitive.pairs]) else 0
    else:
        sent = ring_bytes(_RING.get(primitive.name, primitive.name), given, size)
    return Exchange(
        primitive.name, primitive.axis_names, size, given, sent, times, exact, equation.source
    )

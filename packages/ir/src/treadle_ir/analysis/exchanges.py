"""What devices tell each other while a program runs: its collectives, over the meshes of the shard_maps around them.

What a compiler adds to lay out the rest (`with_sharding_constraint`, sharded arguments) is not there yet: for that,
`treadle.jit(f).lower(...).compile().collectives()` reads the compiled program.

Bytes are those of the ring algorithms: P. Patarasuk and X. Yuan, Bandwidth Optimal All-reduce Algorithms for Clusters
of Workstations, 2009; R. Thakur, R. Rabenseifner and W. Gropp, Optimization of Collective Communication Operations in
MPICH, 2005. A network may do otherwise, but reductions and gathers not with fewer bytes.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import Final, final

from treadle_ir.analysis.iterations import iterations
from treadle_ir.analysis.memory import peak_memory
from treadle_ir.equality import has_programs, inside_out, programs_of
from treadle_ir.frozen import frozen
from treadle_ir.meshes import AbstractMesh
from treadle_ir.primitive import Primitive
from treadle_ir.primitives.collective import AxisIndex, Collective, Permute, Vary
from treadle_ir.primitives.shard_map import ShardMap
from treadle_ir.program import Equation, Program
from treadle_ir.source import Source

_SILENT: Final = (AxisIndex, Vary)  # a device knows them by itself
_RING: Final[dict[str, str]] = {
    "all_reduce": "all-reduce",
    "all_gather": "all-gather",
    "reduce_scatter": "reduce-scatter",
    "all_to_all": "all-to-all",
}


def ring_bytes(operation: str, given: int, size: int) -> int:
    """The bytes that each of `size` devices sends, with `given` bytes on each, by the ring algorithm.

    2b(n-1)/n for `all-reduce`, b(n-1) for `all-gather`, b(n-1)/n for `reduce-scatter` and `all-to-all`, b for others;
    0 where each device has only itself to tell.

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

    `given` are the bytes of a device's operand, `sent` those that it sends each time. `times` is how often it runs: in
    a scan as often as the scan's steps, in a loop as often as its bound, or else once, and `exact` is false then.
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
    """What a shard_map comes to on each device of its mesh."""

    mesh: AbstractMesh
    operand_bytes: int  # of the whole operands
    bytes_per_device: int  # of their parts
    peak: int  # bytes at once on a device, the parts included
    exchanges: tuple[Exchange, ...]
    source: Source

    @property
    def sent(self) -> int:
        """The bytes that a device sends in a call."""
        return sum([each.sent * each.times for each in self.exchanges])


def distributions(program: Program) -> list[Distribution]:
    """Each shard_map of a program, and of the programs nested in it, in the order of the text.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ArrayType, ops, stage
        >>> staged = stage(lambda x: [ops.add(x, x)], ArrayType((8,), np.dtype("f4")))
        >>> distributions(staged.program)  # a program for one device
        []
    """
    found: list[Distribution] = []
    worth_a_look = _holding(program, ShardMap)
    waiting = [program]
    while waiting:
        inner: list[Program] = []
        for equation in waiting.pop().equations:
            primitive = equation.primitive
            if isinstance(primitive, ShardMap):
                found.append(_distribution(primitive, equation))
            elif has_programs(primitive):
                inner += [each for each in programs_of(primitive) if id(each) in worth_a_look]
        waiting += reversed(inner)
    return found


def _holding(program: Program, kind: type[Primitive]) -> set[int]:
    """The programs, by their ids, that hold an operation of a kind, or a program that does.

    One program may be called in many places, and in each of these the ones in it: the others need no look in each.
    """
    found: set[int] = set()
    for each in inside_out(program):
        if any(
            [
                isinstance(equation.primitive, kind)
                or not found.isdisjoint(map(id, programs_of(equation.primitive)))
                for equation in each.equations
            ]
        ):
            found.add(id(each))
    return found


def _distribution(primitive: ShardMap, equation: Equation) -> Distribution:
    parts = [type.nbytes for type in primitive.body.parameter_types]
    return Distribution(
        primitive.mesh,
        sum([operand.type.nbytes for operand in equation.operands]),
        sum(parts),
        peak_memory(primitive.body).peak,
        tuple(_exchanges(primitive)),
        equation.source,
    )


def _exchanges(shard_map: ShardMap) -> list[Exchange]:
    """The collectives of a body, those of loops and of shard_maps in it as well."""
    found: list[Exchange] = []
    worth_a_look = _holding(shard_map.body, Collective)
    waiting: list[tuple[Program, Mapping[str, int], int, bool]] = [
        (shard_map.body, shard_map.mesh.shape, 1, True)
    ]
    while waiting:
        program, sizes, times, exact = waiting.pop()
        inner: list[tuple[Program, Mapping[str, int], int, bool]] = []
        for equation in program.equations:
            primitive = equation.primitive
            if isinstance(primitive, Collective):
                if not isinstance(primitive, _SILENT):
                    found.append(_exchange(primitive, equation, sizes, times, exact))
            elif has_programs(primitive):
                count, known = iterations(primitive)
                inside = primitive.mesh.shape if isinstance(primitive, ShardMap) else sizes
                inner += [
                    (each, inside, times * count, exact and known)
                    for each in programs_of(primitive)
                    if id(each) in worth_a_look
                ]
        waiting += reversed(inner)
    return found


def _exchange(
    primitive: Collective, equation: Equation, sizes: Mapping[str, int], times: int, exact: bool
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

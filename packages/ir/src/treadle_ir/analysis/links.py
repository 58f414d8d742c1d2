"""The load of a collective on the links of a mesh: bytes and steps, by axis.

Each axis of a mesh is a ring of links that carry both directions, and a ring algorithm goes round it; two devices have
one link. Over several axes the data go along all of them at once, a share along each. `analysis/exchanges.py`
counts the bytes that a device sends, whatever the links are; this module counts the bytes over an axis's busiest link.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from treadle_ir.core.program import Equation
from treadle_ir.primitives.collective import (
    AllGather,
    AllReduce,
    AllToAll,
    AxisIndex,
    Collective,
    Permute,
    PVary,
    ReduceScatter,
)


class Load(NamedTuple):
    """Bytes over the busiest link of a mesh axis, and the number of links that they pass one after the other."""

    bytes: int
    hops: int


_SILENT: Final = (AxisIndex, PVary)  # a device computes them by itself


def link_loads(equation: Equation, sizes: Mapping[str, int]) -> dict[str, Load]:
    """Return the load of each mesh axis of a collective; nothing for other operations, and for axes without a mesh.

    Over n devices in all and a axes, with b bytes on a device: b(n-1)/a for `all_gather`, b(n-1)/n/a for
    `reduce_scatter`, both of these for `all_reduce`, b n/4/a for `all_to_all`, which sends each part in the
    shorter direction round the ring (b between two devices). `permute` loads a link with all that goes over it.

    Source: P. Patarasuk and X. Yuan, Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations, 2009.
    """
    primitive = equation.primitive
    if not isinstance(primitive, Collective) or isinstance(primitive, _SILENT):
        return {}
    names = [str(name) for name in primitive.axis_names]
    if any(name not in sizes for name in names):
        return {}
    given = sum([operand.type.nbytes for operand in equation.operands])
    axes = {name: sizes[name] for name in names}
    if isinstance(primitive, Permute):
        return _permuted(primitive, given, axes)
    axes = {name: size for name, size in axes.items() if size > 1}
    groups = getattr(primitive, "groups", None)
    devices = max(map(len, groups)) if groups else math.prod(axes.values())
    if not axes or devices == 1:
        return dict.fromkeys(names, Load(0, 0))
    gathered = given * (devices - 1) // len(axes)
    scattered = given * (devices - 1) // (devices * len(axes))
    load = Load(given, devices)  # any other collective: all bytes, once round
    if isinstance(primitive, AllGather):
        load = Load(gathered, devices)
    elif isinstance(primitive, ReduceScatter):
        load = Load(scattered, devices)
    elif isinstance(primitive, AllReduce):
        load = Load(2 * scattered, 2 * devices)
    elif isinstance(primitive, AllToAll):
        load = Load(given if devices == 2 else given * devices // (4 * len(axes)), devices // 2)
    return dict.fromkeys(names, Load(0, 0)) | dict.fromkeys(axes, load)


def _permuted(primitive: Permute, given: int, axes: Mapping[str, int]) -> dict[str, Load]:
    """Route each pair along one axis after the other, in their order, in the shorter direction of each ring."""
    busy: dict[str, Counter[tuple[tuple[int, ...], int]]] = {name: Counter() for name in axes}
    hops = dict.fromkeys(axes, 0)
    for source, target in primitive.pairs:
        at, to = _place(source, axes), _place(target, axes)
        for axis, (name, size) in enumerate(axes.items()):
            ahead = (to[axis] - at[axis]) % size
            forward = 2 * ahead <= size
            length = ahead if forward else size - ahead
            hops[name] = max(hops[name], length)
            ring = tuple(at[:axis] + at[axis + 1 :])
            start = at[axis] if forward else to[axis]
            for step in range(length):
                busy[name][ring, (start + step) % size if size > 2 else 0] += 1
            at[axis] = to[axis]
    return {name: Load(given * max(busy[name].values(), default=0), hops[name]) for name in axes}


def _place(number: int, axes: Mapping[str, int]) -> list[int]:
    """Return the coordinates of a device; the last axis varies fastest."""
    found = []
    for size in reversed([*axes.values()]):
        number, at = divmod(number, size)
        found.append(at)
    return found[::-1]

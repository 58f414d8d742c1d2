"""Which devices take part in a collective together, from the notations of HLO's text.

    {{0,1},{2,3}}                                              each group as it is; {} is one group of all
    [2,4]<=[2,2,2]T(2,0,1)                                     numbers in order, turned, cut into rows
    mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)) {'b':(2)2}     the groups along axes of a mesh, or along parts of axes

Numbers are the places of the devices in the program's order.
"""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np

from treadle_compiler.mlir import ModuleError

Groups = tuple[tuple[int, ...], ...]
_Grid = np.ndarray[Any, np.dtype[np.int64]]

_LISTED: Final = re.compile(r"\{((?:\{[\d,]*\},?)*)\}")
_ROWS: Final = re.compile(r"\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?")
_MESH: Final = re.compile(
    r"mesh\[([^\]]*)\](?:, device_ids=\(\[([\d,]+)\](?:T\(([\d,]+)\))?\))? \{([^}]*)\}"
)
_AXIS: Final = re.compile(r"'([^']*)'=(\d+)")
_PART: Final = re.compile(r"'([^']*)'(?::\((\d+)\)(\d+))?")


def device_groups(text: str, devices: int) -> Groups:
    """The groups that a text begins with, for a program on so many devices.

    Raises:
        ModuleError: it begins with none of the notations.
    """
    if found := _LISTED.match(text):
        listed = [_numbers(group) for group in re.findall(r"\{([\d,]*)\}", found[1])]
        return tuple(listed) or (tuple(range(devices)),)
    if found := _ROWS.match(text):
        return _groups(_counted(found[2], found[3]).reshape(_numbers(found[1])))
    if found := _MESH.match(text):
        return _along(found[1], found[2], found[3], found[4])
    raise ModuleError(
        f"XLA wrote the groups of a collective in a way that is not known: {text[:80]}",
        fix="please report it, with the release of jaxlib",
    )


def _along(axes: str, counted: str | None, turned: str | None, parts: str) -> Groups:
    """The groups along axes of a mesh: devices that differ in nothing but their places on these."""
    sizes = {name: int(size) for name, size in _AXIS.findall(axes)}
    cuts: dict[str, set[int]] = {name: {1, size} for name, size in sizes.items()}
    wanted = []
    for name, before, size in _PART.findall(parts):
        start = int(before or 1)
        end = start * int(size or sizes[name])
        cuts[name] |= {start, end}
        wanted.append((name, start, end))
    # Each axis is cut where a part begins or ends, into pieces (start, end) of the size end / start.
    pieces = [
        (name, start, end)
        for name in sizes
        for start, end in zip(sorted(cuts[name]), sorted(cuts[name])[1:], strict=False)
    ]
    total = int(np.prod([*sizes.values()], dtype=np.int64))
    numbers = _counted(counted, turned) if counted else np.arange(total)
    grid = numbers.reshape([end // start for _, start, end in pieces])
    inside = [
        index
        for name, start, end in wanted
        for index, piece in enumerate(pieces)
        if piece[0] == name and start <= piece[1] and piece[2] <= end
    ]
    outside = [index for index in range(len(pieces)) if index not in inside]
    size = int(np.prod([grid.shape[index] for index in inside], dtype=np.int64))
    return _groups(grid.transpose([*outside, *inside]).reshape(-1, size))


def _counted(sizes: str, turned: str | None) -> _Grid:
    """The numbers 0, 1, ... in an array of these sizes, its axes turned."""
    shape = _numbers(sizes)
    grid = np.arange(int(np.prod(shape, dtype=np.int64))).reshape(shape)
    return (grid.transpose(_numbers(turned)) if turned else grid).reshape(-1)


def _groups(rows: _Grid) -> Groups:
    return tuple([tuple([int(number) for number in row]) for row in rows])


def _numbers(text: str) -> tuple[int, ...]:
    return tuple([int(number) for number in text.split(",") if number])

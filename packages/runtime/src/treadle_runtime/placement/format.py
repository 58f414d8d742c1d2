"""How the elements of an array lie in the memory of its devices: `Layout`, and with the devices, `Format`."""

from __future__ import annotations

from typing import final

from treadle_ir import frozen
from treadle_runtime.placement.sharding import Sharding


@final
@frozen
class Layout:
    """The axes of an array from the one whose neighbours lie farthest apart to the one that is contiguous."""

    major_to_minor: tuple[int, ...]


@final
@frozen
class Format:
    """A layout, on the devices of a sharding."""

    layout: Layout
    sharding: Sharding


def row_major(ndim: int) -> Layout:
    """The layout of every array of treadle: the last axis is contiguous."""
    return Layout(tuple(range(ndim)))

"""Programs for several devices: the shardings of parameters and results over the axes of a mesh, in Shardy's words."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from treadle_compiler.types import string_text
from treadle_ir import AbstractMesh, Type
from treadle_ir.core import DimShardings, partial_sums_of
from treadle_ir.process import frozen

if TYPE_CHECKING:
    from treadle_ir.primitives.partitioned import Partitioner


@final
@frozen
class Partitioning:
    """The shardings of the parameters and results of a program over the axes of a mesh.

    `None` for a result leaves it to XLA, which reports what it chose.
    """

    mesh: AbstractMesh
    parameters: tuple[DimShardings, ...]
    results: tuple[DimShardings | None, ...]


@final
@frozen
class ManualScope:
    """The shard_maps around an operation: their mesh, and the axes on which its collectives may be."""

    mesh: AbstractMesh
    axes: tuple[str, ...]

    @property
    def left(self) -> tuple[str, ...]:
        """The axes of the mesh that are the compiler's."""
        return tuple([name for name in self.mesh.axis_names if name not in self.axes])

    def groups(self, names: Sequence[Hashable]) -> np.ndarray[Any, np.dtype[Any]]:
        """The devices that a collective over some axes is between: a row for each group, in the order of the names."""
        mesh = self.mesh
        places = np.arange(mesh.size).reshape(mesh.axis_sizes)
        along = [mesh.axis_names.index(str(name)) for name in names]
        others = [axis for axis in range(places.ndim) if axis not in along]
        return places.transpose(*others, *along).reshape(
            -1, prod([mesh.axis_sizes[axis] for axis in along])
        )


def mesh_text(name: str, axes: Sequence[tuple[str, int]]) -> str:
    """The declaration of a mesh: `sdy.mesh @mesh = <["x"=4, "y"=2]>`."""
    listed = ", ".join([f"{string_text(axis)}={size}" for axis, size in axes])
    return f"sdy.mesh {name} = <[{listed}]>"


def dim_shardings_text(dims: DimShardings, open: bool = False) -> str:
    """Return dimension shardings as text: `[{"x"}, {}, {?}]`; `?` leaves an axis, or its rest (`open`), to XLA."""
    parts = []
    for names in dims:
        words = [string_text(name) for name in names or ()]
        if open or names is None:
            words.append("?")
        parts.append("{" + ", ".join(words) + "}")
    return f"[{', '.join(parts)}]"


def per_value_text(mesh: str, shardings: Sequence[DimShardings], open: bool) -> str:
    """Return the shardings of several values over a mesh of that name, as an attribute."""
    each = ", ".join(
        [f"<{mesh}, {dim_shardings_text(dims, open)}{_unreduced_text(dims)}>" for dims in shardings]
    )
    return f"#sdy.sharding_per_value<[{each}]>"


def axes_text(names: Sequence[str]) -> str:
    """Manual axes, as an attribute."""
    return f"#sdy<manual_axes{{{', '.join([string_text(name) for name in names])}}}>"


def sharding_text(mesh: str, dims: DimShardings) -> str:
    """Return a sharding over a mesh of that name, as an attribute."""
    return f"#sdy.sharding<{mesh}, {dim_shardings_text(dims)}{_unreduced_text(dims)}>"


def _unreduced_text(dims: DimShardings) -> str:
    """Return the axes over which an array is a partial sum; XLA does not need the axes of its cotangents."""
    unreduced = sorted(partial_sums_of(dims).unreduced)
    return f", unreduced={{{', '.join(map(string_text, unreduced))}}}" if unreduced else ""


@final
@frozen
class Inspection:
    """A callback that receives the sharding of an array of a program, and the number of its axes."""

    callback: Callable[[Any], object]  # Any: the runtime's shardings
    ndim: int


def inspection_mark(number: int) -> str:
    """Return the placeholder in a text for the address of a function, until the program is compiled."""
    return f"inspection {number}."


@final
@frozen(eq=False)
class CustomPart:
    """A call whose user says how it is partitioned, with the types of its operands and results."""

    partitioner: Partitioner
    operands: tuple[Type, ...]
    results: tuple[Type, ...]


PARTITIONED: Final = "treadle_custom_partitioning"
"""The target of custom calls that XLA asks about while it partitions a program."""


def part_mark(number: int) -> str:
    """Return the placeholder in a text for the key of such a call, until the program is compiled."""
    return f"custom partitioning {number}."

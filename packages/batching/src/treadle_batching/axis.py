"""The axis being mapped, and where it sits in an array."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias, final

from treadle_ir import Operands
from treadle_ir.errors import ShardingTypeError
from treadle_ir.process import frozen
from treadle_ir.sharding import shardings_here


@final
@frozen
class Axis:
    """The axis being mapped: its size, and its name if collectives may use it.

    `over` is what divides it of the explicit axes of the mesh in force; None where there are none.
    """

    size: int
    name: Hashable | None = None
    over: tuple[str, ...] | None = None


Dim: TypeAlias = int | None  # where the batch sits; None: not batched
Dims: TypeAlias = Sequence[Dim]
WithDims: TypeAlias = tuple[Operands, Dims]
"""Results, and where the batch sits in each."""


def divided_by(leaves: Sequence[object], dims: Dims) -> tuple[str, ...] | None:
    """Return the explicit axes of the mesh in force that divide the mapped axis of arrays; None where there are none.

    Raises:
        ShardingTypeError: they divide it differently.
    """
    shardings = shardings_here(leaves)
    if shardings is None:
        return None
    found: tuple[str, ...] = ()
    for sharding, dim in zip(shardings, dims, strict=True):
        names = sharding.dims[dim] if sharding is not None and dim is not None else ()
        if names and found and names != found:
            raise ShardingTypeError(
                f"vmap: the mapped axis is sharded over {found} in one argument and over {names} in another",
                fix="reshard one of them first: `reshard(x, P(...))`",
            )
        found = found or names
    return found

"""Types with their shardings as rules take them and errors show them, and what all rules need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias, final

from treadle_ir.core.dtypes import user_name
from treadle_ir.core.mesh import AbstractMesh, ClosedDimShardings
from treadle_ir.core.partial import PartialDimShardings, partial_sums_of
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.sharding import sizes_text as sizes_text
from treadle_ir.core.types import ArrayType
from treadle_ir.errors.kinds import ShardingTypeError

Names: TypeAlias = tuple[str, ...]

RESHARD = "reshard one of them first: `reshard(x, P(...))`"
SAY = "specify the sharding of the result, `out_sharding=P(...)`, or reshard an operand first, `reshard(x, P(...))`"


@final
class ShardedType(NamedTuple):
    """The type of an operand, and which axes of the mesh divide each of its axes."""

    type: ArrayType
    dims: ClosedDimShardings

    def __str__(self) -> str:
        return type_text(self.type, self.dims)

    def without_partial_sums(self) -> ShardedType:
        """Return the same without the axes over which sums are partial."""
        return ShardedType(self.type, tuple(self.dims))


def type_text(type: ArrayType, dims: ClosedDimShardings | None) -> str:
    """Return a type with its sharding as errors show it: `float32[8@x,4]`, `float32[8,4]{U:x}`."""
    return f"{user_name(type.dtype)}[{sizes_text(type.shape, dims)}]{partial_sums_of(dims)}"


def replicated_dims(ndim: int) -> ClosedDimShardings:
    """Return the dims of a replicated array."""
    return ((),) * ndim


def is_replicated(dims: ClosedDimShardings) -> bool:
    """Return whether nothing is divided and no sum is partial."""
    return not any(dims) and type(dims) is not PartialDimShardings


def count(names: Names, mesh: AbstractMesh) -> int:
    """Into how many parts some axes of a mesh divide."""
    parts = 1
    for name in names:
        parts *= mesh.shape[name]
    return parts


def refuse(
    primitive: Primitive, operands: Sequence[ShardedType], why: str, fix: str = SAY
) -> ShardingTypeError:
    """The error for operands whose result could lie in several ways, or in none."""
    arrays = [each for each in operands if each.type.ndim] or operands
    listed = " and ".join(map(str, arrays))
    return ShardingTypeError(f"{primitive.name} of {listed}: {why}", fix=fix)


def checked(
    primitive: Primitive, operands: Sequence[ShardedType], dims: ClosedDimShardings
) -> ClosedDimShardings:
    """Return the dimension shardings of a result, which must name each axis of the mesh at most once.

    Raises:
        ShardingTypeError: one stands there twice.
    """
    named = [name for names in dims for name in names]
    if len({*named}) != len(named):
        twice = next(name for name in named if named.count(name) > 1)
        raise refuse(
            primitive,
            operands,
            f"the axis {twice!r} of the mesh would divide two axes of the result, but it can divide one only",
            RESHARD,
        )
    return dims


def merged(
    primitive: Primitive,
    operands: Sequence[ShardedType],
    axes: Sequence[Names],
    what: str,
    fix: str = RESHARD,
) -> Names:
    """Return the dims of an axis that several operands share: a sharded operand wins.

    Raises:
        ShardingTypeError: two are divided differently.
    """
    found: Names = ()
    for names in axes:
        if names and found and names != found:
            raise refuse(
                primitive,
                operands,
                f"{what} is divided by {_listed(found)} in one and by {_listed(names)} in another",
                fix,
            )
        found = found or names
    return found


def _listed(names: Names) -> str:
    return " and ".join(map(repr, names))

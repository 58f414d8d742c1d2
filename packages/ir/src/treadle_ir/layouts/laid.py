"""Arrays with how they lie, as errors show them, and what all rules need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias, final

from treadle_ir.deferred import LayoutWithSums, sums_of
from treadle_ir.dtypes import user_name
from treadle_ir.errors import ShardingTypeError
from treadle_ir.meshes import AbstractMesh, Whole
from treadle_ir.primitive import Primitive
from treadle_ir.types import ArrayType

Names: TypeAlias = tuple[str, ...]

RESHARD = "lay one of them anew first: `reshard(x, P(...))`"
SAY = "say how the result is to lie, `out_sharding=P(...)`, or lay an operand anew first, `reshard(x, P(...))`"


@final
class Laid(NamedTuple):
    """The type of an array, and how it lies."""

    type: ArrayType
    layout: Whole

    def __str__(self) -> str:
        return type_text(self.type, self.layout)

    def without_sums(self) -> Laid:
        """The same, as it is divided."""
        return Laid(self.type, tuple(self.layout))


def sizes_text(shape: Sequence[int], layout: Whole | None) -> str:
    """Sizes with the axes of the mesh that divide them: `8@x,4`, `8@(x,y),4`."""
    if layout is None:
        return ",".join(map(str, shape))
    return ",".join(
        [
            f"{size}@{names[0] if len(names) == 1 else '(' + ','.join(names) + ')'}"
            if names
            else f"{size}"
            for size, names in zip(shape, layout, strict=True)
        ]
    )


def type_text(type: ArrayType, layout: Whole | None) -> str:
    """A type with how an array of it lies: `float32[8@x,4]`, `float32[8,4]{U:x}`."""
    return f"{user_name(type.dtype)}[{sizes_text(type.shape, layout)}]{sums_of(layout)}"


def whole(ndim: int) -> Whole:
    """Nothing is divided."""
    return ((),) * ndim


def is_whole(layout: Whole) -> bool:
    """Whether nothing is divided, and no sum put off."""
    return not any(layout) and type(layout) is not LayoutWithSums


def count(names: Names, mesh: AbstractMesh) -> int:
    """Into how many parts some axes of a mesh divide."""
    parts = 1
    for name in names:
        parts *= mesh.shape[name]
    return parts


def refuse(
    primitive: Primitive, operands: Sequence[Laid], why: str, fix: str = SAY
) -> ShardingTypeError:
    """The error for operands whose result could lie in several ways, or in none."""
    arrays = [each for each in operands if each.type.ndim] or operands
    listed = " and ".join(map(str, arrays))
    return ShardingTypeError(f"{primitive.name} of {listed}: {why}", fix=fix)


def checked(primitive: Primitive, operands: Sequence[Laid], layout: Whole) -> Whole:
    """The layout of a result, in which each axis of the mesh stands once at most.

    Raises:
        ShardingTypeError: one stands there twice.
    """
    named = [name for names in layout for name in names]
    if len({*named}) != len(named):
        twice = next(name for name in named if named.count(name) > 1)
        raise refuse(
            primitive,
            operands,
            f"the axis {twice!r} of the mesh would divide two axes of the result, but it can divide one only",
            RESHARD,
        )
    return layout


def merged(
    primitive: Primitive,
    operands: Sequence[Laid],
    axes: Sequence[Names],
    what: str,
    fix: str = RESHARD,
) -> Names:
    """How an axis lies that several operands share: what is whole gives way.

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

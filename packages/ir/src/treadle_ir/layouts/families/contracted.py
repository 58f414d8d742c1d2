"""Products of matrices and convolutions."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_ir.layouts.laid import Laid, checked, merged, refuse
from treadle_ir.layouts.rules import layout_rule
from treadle_ir.meshes import AbstractMesh, Whole
from treadle_ir.primitives.contract import Convolution, DotGeneral, free_axes
from treadle_ir.types import ArrayType


@layout_rule(DotGeneral)
def dot_general_layouts(
    primitive: DotGeneral,
    operands: Sequence[Laid],
    results: Sequence[ArrayType],
    mesh: AbstractMesh,
) -> Sequence[Whole]:
    """Free axes as they were; a sum over an axis that both operands divide alike could lie in several ways."""
    x, y = operands
    for left, right in zip(*primitive.contracting, strict=True):
        one, two = x.layout[left], y.layout[right]
        if one and two and one == two:
            raise refuse(
                primitive,
                operands,
                f"both are divided by {one[0]!r} along the axes that are summed over "
                f"({left} and {right}), so that it is ambiguous how the result lies",
            )
        merged(primitive, operands, (one, two), f"the axis that is summed over ({left}, {right})")
    batch = [
        merged(
            primitive,
            operands,
            (x.layout[left], y.layout[right]),
            f"the batching axis ({left}, {right})",
        )
        for left, right in zip(*primitive.batching, strict=True)
    ]
    free = [
        each.layout[axis]
        for number, each in enumerate((x, y))
        for axis in free_axes(
            each.type.ndim, primitive.batching[number], primitive.contracting[number]
        )
    ]
    return [checked(primitive, operands, (*batch, *free))]


@layout_rule(Convolution)
def convolution_layouts(
    primitive: Convolution,
    operands: Sequence[Laid],
    results: Sequence[ArrayType],
    mesh: AbstractMesh,
) -> Sequence[Whole]:
    """Only the batch may be divided."""
    x, kernel = operands
    batch = primitive.lhs_spec[0]
    others = [names for axis, names in enumerate(x.layout) if axis != batch]
    if any(others) or any(kernel.layout) or primitive.batch_group_count != 1:
        raise refuse(primitive, operands, "only the batch may be divided")
    layout: list[tuple[str, ...]] = [()] * results[0].ndim
    layout[primitive.out_spec[0]] = x.layout[batch]
    return [tuple(layout)]

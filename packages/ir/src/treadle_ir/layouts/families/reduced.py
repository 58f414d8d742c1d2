"""Operations that combine elements: reductions, windows, and matrices in the last two axes."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_ir.families import LinearAlgebra, Reducing
from treadle_ir.layouts.laid import Laid, merged, refuse
from treadle_ir.layouts.rules import layout_rule
from treadle_ir.meshes import AbstractMesh, Whole
from treadle_ir.primitives.reduce import ArgReduction, Reduction
from treadle_ir.primitives.window import ReduceWindowFamily
from treadle_ir.types import ArrayType


@layout_rule(Reducing)
def reducing_layouts(
    primitive: Reducing, operands: Sequence[Laid], results: Sequence[ArrayType], mesh: AbstractMesh
) -> Sequence[Whole]:
    """The axes that are left."""
    if isinstance(primitive, ArgReduction):
        gone: tuple[int, ...] = (primitive.axis,)
    else:
        assert isinstance(primitive, Reduction)
        gone = primitive.axes
    layout = operands[0].layout
    return [tuple([names for axis, names in enumerate(layout) if axis not in gone])] * len(results)


@layout_rule(ReduceWindowFamily)
def window_layouts(
    primitive: ReduceWindowFamily,
    operands: Sequence[Laid],
    results: Sequence[ArrayType],
    mesh: AbstractMesh,
) -> Sequence[Whole]:
    """Axes along which windows have more than one element have to be whole."""
    x = operands[0]
    for axis, names in enumerate(x.layout):
        if names and (
            primitive.window_dimensions[axis] != 1 or x.type.shape[axis] != results[0].shape[axis]
        ):
            raise refuse(
                primitive,
                operands,
                f"windows reach along axis {axis}, which is divided",
                "lay it anew first, so that the axis is whole: `reshard(x, P(...))`",
            )
    return [x.layout] * len(results)


@layout_rule(LinearAlgebra)
def matrix_layouts(
    primitive: LinearAlgebra,
    operands: Sequence[Laid],
    results: Sequence[ArrayType],
    mesh: AbstractMesh,
) -> Sequence[Whole]:
    """The batch is divided as it was; matrices have to be whole."""
    depth = max([each.type.ndim for each in operands]) - 2
    for each in operands:
        if any(each.layout[depth:]):
            raise refuse(
                primitive,
                operands,
                "matrices, the last two axes, have to be whole",
                "lay them anew first: `reshard(x, P(...))`",
            )
    batch = tuple(
        [
            merged(primitive, operands, [each.layout[axis] for each in operands], f"axis {axis}")
            for axis in range(depth)
        ]
    )
    return [(*batch, *((),) * (type.ndim - depth)) for type in results]

"""Batch rules of sliding windows: along the mapped axis, a window of one element."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from treadle_batching.axis import Axis, Dims, WithDims
from treadle_batching.moving import with_dim
from treadle_batching.registry import batch_rule
from treadle_ir import Operands, bind
from treadle_ir.primitives.window import ReduceWindowFamily, Windowed, WindowSelection

W = TypeVar("W", bound=Windowed)


def _shifted(primitive: W, dim: int) -> W:
    """Return the primitive for arrays with one more axis, at `dim`."""

    def one_more(sizes: tuple[int, ...]) -> tuple[int, ...]:
        return (*sizes[:dim], 1, *sizes[dim:])

    return replace(
        primitive,
        window_dimensions=one_more(primitive.window_dimensions),
        window_strides=one_more(primitive.window_strides),
        padding=(*primitive.padding[:dim], (0, 0), *primitive.padding[dim:]),
        base_dilation=one_more(primitive.base_dilation),
        window_dilation=one_more(primitive.window_dilation),
    )


@batch_rule(ReduceWindowFamily)
def reduce_window_batch(
    primitive: ReduceWindowFamily, axis: Axis, operands: Operands, dims: Dims
) -> WithDims:
    """Each element of the batch by itself, where it stands."""
    (dim,) = dims
    assert dim is not None
    return bind(_shifted(primitive, dim), *operands), [dim]


@batch_rule(WindowSelection)
def window_selection_batch(
    primitive: WindowSelection, axis: Axis, operands: Operands, dims: Dims
) -> WithDims:
    """Each element of the batch by itself, where it stands in one of the operands."""
    place = dims[1] if dims[1] is not None else dims[0]
    assert place is not None
    moved = [
        with_dim(operand, dim, place, axis) for operand, dim in zip(operands, dims, strict=True)
    ]
    return bind(_shifted(primitive, place), *moved), [place]

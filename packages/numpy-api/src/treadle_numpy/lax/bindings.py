"""Functions that views bind where the parameters of JAX's primitive differ from the function of `treadle.lax`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from treadle_ir import ArgumentError, Array, DType, ops
from treadle_ir.errors import flags, integer, integers, pairs, refused
from treadle_ir.primitives.compare import Direction
from treadle_ir.primitives.window import Selection
from treadle_numpy.lax.approximate import approx_max_k, approx_min_k
from treadle_numpy.lax.collectives import all_gather as gathered
from treadle_numpy.lax.creation import empty
from treadle_numpy.lax.elementwise import conj as conjugated
from treadle_numpy.lax.reductions import argmax as greatest, argmin as least
from treadle_numpy.lax.views import PrimitiveView
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.exact import strict
from treadle_numpy.operands.shapes import Shape
from treadle_numpy.operands.trees import Tree


def _only_axis(name: str, axes: object) -> int:
    named = integers(name, "axes", axes)
    if len(named) != 1:
        raise ArgumentError(f"{name}_p.bind: axes is {named}, but one axis is searched")
    return named[0]


def argmax(operand: ArrayLike, *, axes: Sequence[int], index_dtype: DTypeLike) -> Array:
    """Return the position of the greatest element along the only one of `axes`."""
    return greatest(operand, _only_axis("argmax", axes), index_dtype)


def argmin(operand: ArrayLike, *, axes: Sequence[int], index_dtype: DTypeLike) -> Array:
    """Return the position of the least element along the only one of `axes`."""
    return least(operand, _only_axis("argmin", axes), index_dtype)


def convert_element_type(
    operand: ArrayLike, *, new_dtype: DTypeLike, weak_type: bool = False
) -> Array:
    """Return the same numbers in another element type, with the weak mark or without."""
    flags("convert_element_type", weak_type=weak_type)
    wanted: DType | None = as_dtype("convert_element_type", new_dtype)
    if wanted is None:
        raise refused("convert_element_type", "new_dtype", "an element type", None)
    return ops.convert(
        coerce("convert_element_type", 0, operand), dtype=wanted, weak=bool(weak_type)
    )


def copy(operand: ArrayLike) -> Array:
    """Return the same elements in memory of their own."""
    return ops.copy(coerce_array("copy", 0, operand))


def conj(operand: ArrayLike) -> Array:
    """Return the complex conjugate."""
    return conjugated(operand)


def all_gather(
    x: Tree,
    *,
    all_gather_dimension: int,
    axis_name: Hashable,
    axis_index_groups: object = None,
    tiled: bool = False,
) -> Tree:
    """Return all batch elements along an axis."""
    if isinstance(axis_name, tuple) and len(axis_name) == 1:
        (axis_name,) = axis_name
    return gathered(
        x,
        axis_name,
        axis_index_groups=axis_index_groups,
        axis=integer("all_gather", "all_gather_dimension", all_gather_dimension),
        tiled=tiled,
    )


def approx_top_k(
    operand: ArrayLike,
    *,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
) -> list[Array]:
    """Return the greatest or least elements along an axis, and their positions."""
    flags("approx_top_k", is_max_k=is_max_k)
    function = approx_max_k if is_max_k else approx_min_k
    return function(
        operand,
        k,
        reduction_dimension,
        recall_target,
        reduction_input_size_override,
        aggregate_to_topk,
    )


def add_any(x: ArrayLike, y: ArrayLike) -> Array:
    """Return the sum of two tangents."""
    return ops.add(*strict("add_any", x, y))


def empty2(*, shape: Shape, dtype: DTypeLike) -> Array:
    """Zeros."""
    return empty(shape, dtype)


def name(x: ArrayLike, *, name: str) -> Array:
    """Return the same value, under a name that policies of `checkpoint` know."""
    return ops.checkpoint_name(array_of(coerce("name", 0, x)), label=name)


def _selection(function: str, select_prim: object) -> Selection:
    found = select_prim.name if isinstance(select_prim, PrimitiveView) else None
    directions: dict[str | None, Direction] = {"ge": "ge", "le": "le"}
    if found not in directions:
        raise refused(function, "select_prim", "ge_p or le_p", select_prim)
    return "ge" if found == "ge" else "le"


def select_and_scatter_add(
    source: ArrayLike,
    operand: ArrayLike,
    *,
    select_prim: PrimitiveView,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int],
    padding: Sequence[tuple[int, int]],
) -> Array:
    """Return each element of `source` added to where its window selects an element of the operand."""
    name = "select_and_scatter_add"
    values, x = [array_of(each) for each in strict(name, source, operand)]
    return ops.select_and_scatter_add(
        values,
        x,
        select=_selection(name, select_prim),
        window_dimensions=integers(name, "window_dimensions", window_dimensions),
        window_strides=integers(name, "window_strides", window_strides),
        padding=tuple([(low, high) for low, high in pairs(name, "padding", padding)]),
    )


def select_and_gather_add(
    tangents: ArrayLike,
    operand: ArrayLike,
    *,
    select_prim: PrimitiveView,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int],
    padding: Sequence[tuple[int, int]],
    base_dilation: Sequence[int] = (),
    window_dilation: Sequence[int] = (),
) -> Array:
    """Return the element of `tangents` where each window selects an element of the operand."""
    name = "select_and_gather_add"
    values, x = [array_of(each) for each in strict(name, tangents, operand)]
    return ops.select_and_gather_add(
        values,
        x,
        select=_selection(name, select_prim),
        window_dimensions=integers(name, "window_dimensions", window_dimensions),
        window_strides=integers(name, "window_strides", window_strides),
        padding=tuple([(low, high) for low, high in pairs(name, "padding", padding)]),
        base_dilation=integers(name, "base_dilation", base_dilation),
        window_dilation=integers(name, "window_dilation", window_dilation),
    )

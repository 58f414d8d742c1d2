"""Slices taken from and combined into computed places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from treadle_ir import ArgumentError, Array, ops
from treadle_ir.errors import flags, refused, sequence
from treadle_ir.primitives.indexing import FillValue
from treadle_numpy.indexing.modes import (
    GatherScatterMode as GatherScatterMode,
    IndexMode,
    gather_mode,
)
from treadle_numpy.indexing.writing import ScatterInstruction
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import as_axes
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.exact import strict
from treadle_numpy.operands.shapes import Shape, as_shape

__all__ = [
    "GatherDimensionNumbers",
    "GatherScatterMode",
    "ScatterDimensionNumbers",
    "gather",
    "index_take",
    "scatter",
    "scatter_add",
    "scatter_max",
    "scatter_min",
    "scatter_mul",
    "scatter_sub",
]


class GatherDimensionNumbers(NamedTuple):
    """Which axes of a gather are what.

    `offset_dims` are the axes of the result that run along a slice; its other axes run over the index vectors.
    `collapsed_slice_dims` are axes of the operand whose slices have size 1, and are gone. Entry i of an index vector is
    the start along axis `start_index_map[i]` of the operand. Batching axes run along operand and indices alike.

    Example:
        >>> rows = GatherDimensionNumbers((1,), (0,), (0,))
        >>> rows.start_index_map
        (0,)
    """

    offset_dims: tuple[int, ...]
    collapsed_slice_dims: tuple[int, ...]
    start_index_map: tuple[int, ...]
    operand_batching_dims: tuple[int, ...] = ()
    start_indices_batching_dims: tuple[int, ...] = ()


class ScatterDimensionNumbers(NamedTuple):
    """Which axes of a scatter are what, as for a gather whose result the updates are.

    `update_window_dims` are the axes of the updates that run along a slice; the others run over the index vectors.
    `inserted_window_dims` are axes of the operand that the updates are without. Entry i of an index vector is the start
    along axis `scatter_dims_to_operand_dims[i]` of the operand. Batching axes run along operand and indices alike.

    Example:
        >>> rows = ScatterDimensionNumbers((1,), (0,), (0,))
        >>> rows.scatter_dims_to_operand_dims
        (0,)
    """

    update_window_dims: Sequence[int]
    inserted_window_dims: Sequence[int]
    scatter_dims_to_operand_dims: Sequence[int]
    operand_batching_dims: Sequence[int] = ()
    scatter_indices_batching_dims: Sequence[int] = ()


def gather(
    operand: ArrayLike,
    start_indices: ArrayLike,
    dimension_numbers: GatherDimensionNumbers,
    slice_sizes: Shape,
    *,
    unique_indices: bool = False,
    indices_are_sorted: bool = False,
    mode: IndexMode = None,
    fill_value: FillValue = None,
) -> Array:
    """Gather slices of an array at computed places: the last axis of the indices holds the index vectors.

    Args:
        operand: an array.
        start_indices: integers; the last axis holds the index vectors.
        dimension_numbers: a `GatherDimensionNumbers`, which assigns the axes of operand, indices and result.
        slice_sizes: the size of the slices along each axis of the operand.
        unique_indices: a promise that no element is read twice.
        indices_are_sorted: a promise that the index vectors are sorted.
        mode: "clip": slices out of range are moved into range; "fill" (the default): they are `fill_value`
            throughout; "promise_in_bounds": a promise that there are none.
        fill_value: by default NaN for floats and complex numbers, the least value for signed integers, the greatest
            for unsigned ones, True for booleans.

    Raises:
        ArgumentError: `dimension_numbers` is of another class, or there is no such mode.
        ShapeError: axes or sizes do not fit the operand and the indices.
        DTypeError: the indices are not integers.

    Example:
        >>> import numpy as np
        >>> x = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        >>> rows = GatherDimensionNumbers((1,), (0,), (0,))
        >>> print(gather(x, np.array([[2], [0], [7]]), rows, (1, 2)))
        [[ 5.  6.]
         [ 1.  2.]
         [nan nan]]
    """
    flags("gather", unique_indices=unique_indices, indices_are_sorted=indices_are_sorted)
    d = dimension_numbers
    if not isinstance(d, GatherDimensionNumbers):
        raise refused("gather", "dimension_numbers", "GatherDimensionNumbers", d)
    return ops.gather(
        coerce_array("gather", 0, operand),
        coerce_array("gather", 1, start_indices),
        offset_dims=tuple(d.offset_dims),
        collapsed_slice_dims=tuple(d.collapsed_slice_dims),
        start_index_map=tuple(d.start_index_map),
        slice_sizes=as_shape("gather", slice_sizes),
        operand_batching_dims=tuple(d.operand_batching_dims),
        start_indices_batching_dims=tuple(d.start_indices_batching_dims),
        mode=gather_mode(mode, "fill"),
        fill_value=fill_value,
        indices_are_sorted=indices_are_sorted,
        unique_indices=unique_indices,
    )


def index_take(src: ArrayLike, idxs: Sequence[ArrayLike], axes: Sequence[int]) -> Array:
    """Return the slices at positions along some axes: `idxs` has a vector of positions for each of `axes`.

    These axes are replaced by one in front, along which the vectors run. Positions are moved into range.

    Raises:
        AxisError: there is no such axis.
        ArgumentError: the positions are not one vector for each axis.

    Example:
        >>> import numpy as np
        >>> x = np.arange(6).reshape(2, 3)
        >>> print(index_take(x, (np.array([1, 0]), np.array([2, 2])), (0, 1)))
        [5 2]
    """
    name = "index_take"
    x = coerce_array(name, 0, src)
    along = as_axes(name, sequence(name, "axes", axes), x.ndim)
    places = [coerce_array(name, 1, each) for each in sequence(name, "idxs", idxs)]
    shapes = {each.shape for each in places}
    if len(places) != len(along) or not along or len(shapes) != 1 or places[0].ndim != 1:
        raise ArgumentError(
            f"{name}: idxs have the shapes {[each.shape for each in places]}, but must be one vector of one length "
            f"for each of the axes {along}"
        )
    vectors = ops.concatenate(
        [ops.reshape(array_of(p), shape=(places[0].size, 1)) for p in strict(name, *places)],
        dimension=1,
    )
    return ops.gather(
        x,
        vectors,
        offset_dims=tuple(range(1, x.ndim - len(along) + 1)),
        collapsed_slice_dims=tuple(sorted(along)),
        start_index_map=along,
        slice_sizes=tuple([1 if i in along else n for i, n in enumerate(x.shape)]),
        mode="clip",
    )


class ScatterFunction(Protocol):
    """A function that combines updates into an array, as an instance of it shows to type checkers."""

    __name__: str

    def __call__(
        self,
        operand: ArrayLike,
        scatter_indices: ArrayLike,
        updates: ArrayLike,
        dimension_numbers: ScatterDimensionNumbers,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: IndexMode = None,
    ) -> Array:
        """Return the array with the updates combined into it."""


def _scatter(
    name: str, instruction: ScatterInstruction, doc: str, shown: str, others: str = ""
) -> ScatterFunction:
    def function(
        operand: ArrayLike,
        scatter_indices: ArrayLike,
        updates: ArrayLike,
        dimension_numbers: ScatterDimensionNumbers,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: IndexMode = None,
    ) -> Array:
        d = dimension_numbers
        if not isinstance(d, ScatterDimensionNumbers):
            raise refused(name, "dimension_numbers", "ScatterDimensionNumbers", d)
        flags(name, indices_are_sorted=indices_are_sorted, unique_indices=unique_indices)
        x, new = strict(name, operand, updates)
        return instruction(
            array_of(x),
            coerce_array(name, 1, scatter_indices),
            array_of(new),
            update_window_dims=tuple(d.update_window_dims),
            inserted_window_dims=tuple(d.inserted_window_dims),
            scatter_dims_to_operand_dims=tuple(d.scatter_dims_to_operand_dims),
            operand_batching_dims=tuple(d.operand_batching_dims),
            scatter_indices_batching_dims=tuple(d.scatter_indices_batching_dims),
            mode=gather_mode(mode, "fill"),
            indices_are_sorted=indices_are_sorted,
            unique_indices=unique_indices,
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{doc}

    The last axis of the indices holds the index vectors; `dimension_numbers` assigns the axes. Updates out
    of range are dropped, or with `mode` "clip" moved into range; "promise_in_bounds" says that there are none.
    `indices_are_sorted` and `unique_indices` are promises too.

    Raises:
        ArgumentError: `dimension_numbers` is of another class, or there is no such mode.
        ShapeError: axes or sizes do not fit the operand, the indices and the updates.
        DTypeError: operand and updates have different element types{others}, or the indices are not integers.

    Example:
        >>> import numpy as np
        >>> numbers = ScatterDimensionNumbers((), (0,), (0,))
        >>> x, places = np.array([5.0, 5.0, 5.0]), np.array([[0], [2], [9]])
        >>> print({name}(x, places, np.array([2.0, 7.0, 1.0]), numbers))
        {shown}
    """
    return function


scatter = _scatter(
    "scatter",
    ops.scatter,
    "Scatter updates to computed places of an array; of several updates to one place, an unspecified one stays.",
    "[2. 5. 7.]",
)
scatter_add = _scatter(
    "scatter_add",
    ops.scatter_add,
    "The array with updates added at computed places.",
    "[ 7.  5. 12.]",
)
scatter_mul = _scatter(
    "scatter_mul",
    ops.scatter_multiply,
    "The array multiplied by updates at computed places.",
    "[10.  5. 35.]",
)
scatter_min = _scatter(
    "scatter_min",
    ops.scatter_minimum,
    "The lesser of elements and updates at computed places.",
    "[2. 5. 5.]",
    " or complex ones",
)
scatter_max = _scatter(
    "scatter_max",
    ops.scatter_maximum,
    "The greater of elements and updates at computed places.",
    "[5. 5. 7.]",
    " or complex ones",
)


def scatter_sub(
    operand: ArrayLike,
    scatter_indices: ArrayLike,
    updates: ArrayLike,
    dimension_numbers: ScatterDimensionNumbers,
    *,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    mode: IndexMode = None,
) -> Array:
    """Return the array with updates subtracted at computed places: `scatter_add` of their negatives.

    Raises:
        ArgumentError: `dimension_numbers` is of another class.
        ShapeError, DTypeError: as for `scatter_add`.

    Example:
        >>> import numpy as np
        >>> numbers = ScatterDimensionNumbers((), (0,), (0,))
        >>> print(scatter_sub(np.ones(3), np.array([[1], [1]]), np.array([1.0, 2.0]), numbers))
        [ 1. -2.  1.]
    """
    x, new = strict("scatter_sub", operand, updates)
    return scatter_add(
        x,
        scatter_indices,
        ops.negate(new),
        dimension_numbers,
        indices_are_sorted=indices_are_sorted,
        unique_indices=unique_indices,
        mode=mode,
    )

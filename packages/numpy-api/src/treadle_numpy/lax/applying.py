"""A function applied at computed places."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treadle_ir import Array, ShapeError, ops
from treadle_ir.errors import functions
from treadle_numpy.indexing.modes import IndexMode
from treadle_numpy.lax.control.loops import while_loop
from treadle_numpy.lax.gather_scatter import ScatterDimensionNumbers, scatter_add
from treadle_numpy.operands.arrays import filled
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.shapes import Shape, as_shape

__all__ = ["scatter_apply"]


def scatter_apply(
    operand: ArrayLike,
    scatter_indices: ArrayLike,
    func: Callable[[Array], ArrayLike],
    dimension_numbers: ScatterDimensionNumbers,
    *,
    update_shape: Shape = (),
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    mode: IndexMode = None,
) -> Array:
    """Return the array with an elementwise function applied at computed places, as often as each is named.

    Places are described as for `scatter`, whose updates would have the shape `update_shape`. The function is called
    with the whole array, and its results are taken where a place was named; repeatedly, unless `unique_indices` says
    that no place is named twice. Only then does it have a derivative in reverse mode.

    Raises:
        ShapeError: the function returns another shape, or the shapes of places and updates do not fit.
        ArgumentError: `dimension_numbers` is of another class.

    Example:
        >>> import numpy as np
        >>> numbers = ScatterDimensionNumbers((), (0,), (0,))
        >>> places = np.array([[1], [1], [2]])
        >>> print(scatter_apply(np.ones(3), places, lambda x: 2 * x, numbers, update_shape=(3,)))
        [1. 4. 2.]
    """
    functions("scatter_apply", func=func)
    x = coerce_array("scatter_apply", 0, operand)
    one = np.int32(1)
    counts = scatter_add(
        filled(x.shape, np.int32(0)),
        scatter_indices,
        filled(as_shape("scatter_apply", update_shape), one),
        dimension_numbers,
        indices_are_sorted=indices_are_sorted,
        unique_indices=unique_indices,
        mode=mode,
    )

    def applied(left: Array, values: Array) -> Array:
        new = converted(coerce_array("scatter_apply", 2, func(values)), x.dtype)
        if new.shape != x.shape:
            raise ShapeError(
                f"scatter_apply: func returned the shape {new.shape} for an array of shape {x.shape}",
                fix="func must be elementwise",
            )
        return ops.select(ops.compare(left, np.int32(0), direction="gt"), new, values)

    if unique_indices:
        return applied(counts, x)
    _, result = while_loop(
        lambda state: ops.compare(
            ops.reduce_maximum(state[0], axes=tuple(range(x.ndim))), np.int32(0), direction="gt"
        ),
        lambda state: (ops.subtract(state[0], one), applied(*state)),
        (counts, x),
    )
    return result

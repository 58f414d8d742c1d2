"""The greatest and least elements where an approximation would do: computed exactly, which meets any recall."""

from __future__ import annotations

from treadle_ir import ArgumentError, Array, DTypeError, ops
from treadle_ir.core.dtypes import is_floating, user_name
from treadle_ir.errors import flags, integer, refused, shown
from treadle_numpy.lax.shapes import moved
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce_array

__all__ = ["approx_max_k", "approx_min_k"]


def approx_max_k(
    operand: ArrayLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
) -> list[Array]:
    """Return the `k` greatest elements along an axis, descending, and their positions (i32).

    The interface allows leaving some out, down to `recall_target`; here the result is exact. Without
    `aggregate_to_topk` all elements are returned in order, since the number of candidates is not fixed then.

    Raises:
        DTypeError: the elements are not floats.
        AxisError: there is no such axis.
        ArgumentError: k is negative or more than the axis has elements, or recall_target is not above 0 and up to 1.

    Example:
        >>> import numpy as np
        >>> values, positions = approx_max_k(np.array([3.0, 1.0, 4.0], np.float32), 2)
        >>> print(values, positions)
        [4. 3.] [2 0]
    """
    return _extremes(
        "approx_max_k",
        operand,
        k,
        reduction_dimension,
        recall_target,
        reduction_input_size_override,
        aggregate_to_topk,
        False,
    )


def approx_min_k(
    operand: ArrayLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
) -> list[Array]:
    """Return the `k` least elements along an axis, ascending, and their positions (i32): see `approx_max_k`.

    Raises:
        DTypeError: the elements are not floats.
        AxisError: there is no such axis.
        ArgumentError: k is negative or more than the axis has elements, or recall_target is not above 0 and up to 1.

    Example:
        >>> import numpy as np
        >>> values, positions = approx_min_k(np.array([3.0, 1.0, 4.0], np.float32), 2)
        >>> print(values, positions)
        [1. 3.] [1 0]
    """
    return _extremes(
        "approx_min_k",
        operand,
        k,
        reduction_dimension,
        recall_target,
        reduction_input_size_override,
        aggregate_to_topk,
        True,
    )


def _extremes(
    name: str,
    operand: ArrayLike,
    k: object,
    axis: int,
    recall: object,
    override: object,
    aggregate: bool,
    least: bool,
) -> list[Array]:
    x = coerce_array(name, 0, operand)
    if not is_floating(x.dtype):
        raise DTypeError(f"{name}: operand must be a floating type, got {user_name(x.dtype)}")
    along = as_axis(name, axis, x.ndim)
    count, size = integer(name, "k", k), x.shape[along]
    if not 0 <= count <= size:
        raise ArgumentError(
            f"{name}: k is {count}, but must be between 0 and the size {size} of axis {along}"
        )
    if not isinstance(recall, (int, float)):
        raise refused(name, "recall_target", "a number", recall)
    if not 0 < recall <= 1:
        raise ArgumentError(f"{name}: recall_target is {shown(recall)}, not above 0 and up to 1")
    integer(name, "reduction_input_size_override", override)
    flags(name, aggregate_to_topk=aggregate)
    found = moved(ops.negate(x) if least else x, along, -1)
    values, places = ops.top_k(found, k=count if aggregate else size)
    values = ops.negate(values) if least else values
    return [moved(values, -1, along), moved(places, -1, along)]

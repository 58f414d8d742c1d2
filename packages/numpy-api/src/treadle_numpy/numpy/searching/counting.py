"""How often numbers occur."""

from __future__ import annotations

from treadle_ir import ArgumentError, Array, ops
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_inexact, is_integer
from treadle_ir.errors import integer, integer_or_none
from treadle_numpy.indexing.concrete import concrete_mask
from treadle_numpy.indexing.positions import counted, counting
from treadle_numpy.numpy.reductions.sums import mean_dtypes
from treadle_numpy.numpy.ufuncs.extremes import maximum
from treadle_numpy.operands.arrays import filled
from treadle_numpy.operands.coerce import ArrayLike, coerce_array, operand_type
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.promote import converted

__all__ = ["bincount"]


def bincount(
    x: ArrayLike,
    weights: ArrayLike | None = None,
    minlength: int = 0,
    *,
    length: int | None = None,
    out_sharding: Device = None,
) -> Array:
    """Return how often each number from 0 on occurs, or the sum of the weights where it does.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Constraints:
        While tracing, `length` must say how many numbers are counted.

    Differs from NumPy: negative numbers count as 0.

    Raises:
        ConcretizationError: while tracing, without `length`.
        ArgumentError: `x` is not a vector of integers, or `length` is negative.

    Example:
        >>> import numpy as np
        >>> print(bincount(np.array([1, 1, 3])))
        [0 2 0 1]
    """
    if out_sharding is not None:
        return with_out_sharding(bincount, out_sharding, x, weights, minlength, length=length)
    minlength = integer("bincount", "minlength", minlength)
    length = integer_or_none("bincount", "length", length)
    if length is not None and length < 0:
        raise ArgumentError(f"bincount: length must be 0 or more, got {length}")
    values = coerce_array("bincount", 0, x)
    if not is_integer(values.dtype) or values.ndim != 1:
        raise ArgumentError(f"bincount: x must be a vector of integers, got {operand_type(values)}")
    if length is None:
        elements = concrete_mask("bincount", values, "pass `length`")
        length = max(int(elements.max()) + 1 if elements.size else 0, minlength)
    whole = default_dtype(int)
    if weights is None:
        amounts = filled(values.shape, whole.type(1))
        result = whole
    else:  # 16-bit floats are summed in 32 bits, as sums are
        given = coerce_array("bincount", 1, weights)
        result = given.dtype
        amounts = converted(given, mean_dtypes(result)[0]) if is_inexact(result) else given
    counting_type = counting((length,))
    places = maximum(counted(values, length, counting_type), counting_type.type(0))
    sums = ops.scatter_add(
        filled((length,), amounts.dtype.type(0)),
        ops.reshape(places, shape=(values.size, 1)),
        amounts,
        update_window_dims=(),
        inserted_window_dims=(0,),
        scatter_dims_to_operand_dims=(0,),
        mode="fill",
    )
    return sums if sums.dtype == result else converted(sums, result)

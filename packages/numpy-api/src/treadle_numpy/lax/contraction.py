"""Products summed over axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import ml_dtypes
import numpy as np

from treadle_ir import Array, DType, Operand, ShapeError, ops
from treadle_ir.core.dtypes import is_bool, is_complex, is_floating, is_inexact, is_integer, is_key
from treadle_ir.errors import integers, refused, sequence
from treadle_ir.primitives.contract import AxisPairs
from treadle_numpy.lax.precision import PrecisionLike, precision_name
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce_array, operand_type
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.exact import strict
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.promote import with_dtype

_F32: Final = np.dtype(np.float32)

__all__ = ["DotDimensionNumbers", "batch_matmul", "dot", "dot_general"]

DotDimensionNumbers: TypeAlias = tuple[
    tuple[Sequence[int], Sequence[int]], tuple[Sequence[int], Sequence[int]]
]


def contracted(
    x: Operand,
    y: Operand,
    contracting: AxisPairs,
    batching: AxisPairs = ((), ()),
    precision: PrecisionLike = None,
    element_type: DTypeLike | None = None,
) -> Array:
    """Apply `dot_general` to operands of one element type; make arrays of host scalars.

    Floats may be summed to any type, and integers to all types that have no fewer bytes.
    """
    a, b = array_of(x), array_of(y)
    wanted = as_dtype("preferred_element_type", element_type)
    if wanted is not None and a.dtype == b.dtype:
        a, b = [within_integers(each, wanted) for each in (a, b)]
    summed = wanted
    if wanted is not None and is_floating(a.dtype) and not _holds(wanted, a.dtype):
        # Floats of 16 bits are summed in 32 before the sum becomes something else.
        summed = _F32 if a.dtype.itemsize < _F32.itemsize else None
    product = ops.dot_general(
        a,
        b,
        contracting=contracting,
        batching=batching,
        precision=precision_name(precision),
        element_type=summed,
    )
    if wanted is None or product.dtype == wanted:
        return product
    return ops.convert(product, dtype=wanted)


def within_integers(x: Array, wanted: DType) -> Array:
    """Integers in the type that sums of their products are wanted in, if that has no fewer bytes."""
    whole = is_integer(x.dtype) or is_bool(x.dtype)
    widened = wanted.itemsize >= x.dtype.itemsize and not (is_bool(wanted) or is_key(wanted))
    if whole and widened and wanted.kind != x.dtype.kind:
        return ops.convert(x, dtype=wanted)
    return x


def _holds(wanted: DType, dtype: DType) -> bool:
    """Return whether a type is a float of no fewer bytes."""
    return is_floating(wanted) and wanted.itemsize >= dtype.itemsize


def multiplied(
    name: str,
    lhs: ArrayLike,
    rhs: ArrayLike,
    contracting: AxisPairs,
    batching: AxisPairs,
    precision: PrecisionLike,
    element_type: DTypeLike | None,
) -> Array:
    """Contract, also operands of two element types: in the wider one by default.

    Floats of less than 32 bits, of which neither holds all of the other, are multiplied in 32.
    """
    x, y = strict(name, lhs, rhs)
    one, two = operand_type(x), operand_type(y)
    wider = max(one.dtype, two.dtype, key=_room)
    if one.dtype == two.dtype or is_key(one.dtype) or is_key(two.dtype):
        return contracted(x, y, contracting, batching, precision, element_type)
    wanted = as_dtype("preferred_element_type", element_type) or wider
    within = max(wider, _F32, key=_room) if is_floating(wider) else wider
    alike = is_inexact(wanted) == is_inexact(within)
    product = contracted(
        with_dtype(x, one, within, False),
        with_dtype(y, two, within, False),
        contracting,
        batching,
        precision,
        max(wanted, within, key=_room) if alike else None,
    )
    return ops.convert(product, dtype=wanted) if product.dtype != wanted else product


def _room(dtype: DType) -> tuple[bool, bool, int, float]:
    """Return a rank of element types: complex numbers hold more than floats, these more than integers, then by size."""
    if is_complex(dtype) or is_floating(dtype):
        most = float(ml_dtypes.finfo(dtype).max)  # type: ignore[no-untyped-call]
        return is_complex(dtype), True, dtype.itemsize, most
    return False, False, dtype.itemsize, not is_bool(dtype) and 1 + (dtype.kind == "i")


def axes_of(name: str, dimension_numbers: DotDimensionNumbers) -> list[list[tuple[int, ...]]]:
    """Return the contracted axes of both operands, and their batching axes.

    Raises:
        ArgumentError: `dimension_numbers` is not a pair of pairs.
    """
    axes = [
        [
            integers(name, "each of dimension_numbers", each)
            for each in sequence(name, "each of dimension_numbers", pair)
        ]
        for pair in sequence(name, "dimension_numbers", dimension_numbers)
    ]
    if [len(pair) for pair in axes] != [2, 2]:
        wanted = "((contracted of lhs, of rhs), (batching of lhs, of rhs))"
        raise refused(name, "dimension_numbers", wanted, dimension_numbers)
    return axes


def dot_general(
    lhs: ArrayLike,
    rhs: ArrayLike,
    dimension_numbers: DotDimensionNumbers,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
    *,
    out_sharding: object = None,
) -> Array:
    """Multiply two arrays and sum over the contracted axes, for each index of the batching axes.

    Args:
        lhs: the left array.
        rhs: the right array; contracted axes and batching axes that are paired have equal sizes.
        dimension_numbers: `((contracted axes of lhs, of rhs), (batching axes of lhs, of rhs))`.
        precision: the precision with which accelerators multiply at least.
        preferred_element_type: the dtype of the result, and of the sums, if it is wider; by default the promoted
            dtype of the operands.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Shapes:
        result: [*batching, *free axes of lhs, *free axes of rhs]

    Raises:
        ShapeError: axes that are paired have different sizes.
        ArgumentError: `dimension_numbers` is not such a pair of pairs, or the precision is unknown.

    Example:
        >>> import numpy as np
        >>> x, y = np.ones((2, 3, 4), np.float32), np.ones((2, 4, 5), np.float32)
        >>> dot_general(x, y, (((2,), (1,)), ((0,), (0,)))).shape
        (2, 3, 5)
    """
    if out_sharding is not None:
        return with_out_sharding(
            dot_general,
            out_sharding,
            lhs,
            rhs,
            dimension_numbers,
            precision,
            preferred_element_type,
        )
    (left, right), (batch_left, batch_right) = axes_of("dot_general", dimension_numbers)
    return multiplied(
        "dot_general",
        lhs,
        rhs,
        (left, right),
        (batch_left, batch_right),
        precision,
        preferred_element_type,
    )


def dot(
    lhs: ArrayLike,
    rhs: ArrayLike,
    *,
    dimension_numbers: DotDimensionNumbers | None = None,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
    out_sharding: Device = None,
) -> Array:
    """Return the product of vectors and matrices: sums over the last axis of lhs and the first of rhs.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    With `dimension_numbers` it is `dot_general`. `precision` and `preferred_element_type` are as for that.

    Raises:
        ShapeError: an operand does not have one or two axes, or the summed axes have different sizes.

    Example:
        >>> import numpy as np
        >>> print(dot(np.array([[1.0, 2.0]], np.float32), np.array([3.0, 4.0], np.float32)))
        [11.]
    """
    if out_sharding is not None:
        return with_out_sharding(
            dot,
            out_sharding,
            lhs,
            rhs,
            dimension_numbers=dimension_numbers,
            precision=precision,
            preferred_element_type=preferred_element_type,
        )
    if dimension_numbers is None:
        x, y = strict("dot", lhs, rhs)
        rank = len(x.shape)
        if not 1 <= rank <= 2 or not 1 <= len(y.shape) <= 2 or x.shape[-1] != y.shape[0]:
            raise ShapeError(f"Incompatible shapes for dot: got {x.shape} and {y.shape}.")
        summed = (rank - 1,), (0,)
        return multiplied("dot", x, y, summed, ((), ()), precision, preferred_element_type)
    return dot_general(lhs, rhs, dimension_numbers, precision, preferred_element_type)


def batch_matmul(lhs: ArrayLike, rhs: ArrayLike, precision: PrecisionLike = None) -> Array:
    """Return the product of matrices in the last two axes, for each index of the leading ones, which are the same in
    both.

    Raises:
        ShapeError: the leading axes differ, or the matrices do not fit.

    Example:
        >>> import numpy as np
        >>> batch_matmul(np.ones((7, 2, 3), np.float32), np.ones((7, 3, 4), np.float32)).shape
        (7, 2, 4)
    """
    x = coerce_array("batch_matmul", 0, lhs)
    rank = x.ndim
    batch = tuple(range(rank - 2))
    return dot_general(x, rhs, (((rank - 1,), (rank - 2,)), (batch, batch)), precision)

"""Functions of dense arrays for BCOO arrays, by way of `sparsify`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import treadle_numpy as tnp
from treadle.experimental.sparse.arithmetic import bcoo_dot_general
from treadle.experimental.sparse.base import JAXSparse
from treadle.experimental.sparse.bcoo import BCOO
from treadle.experimental.sparse.conversion import check_sparse
from treadle.experimental.sparse.sparsification import sparsify
from treadle.experimental.sparse.structure import bcoo_reshape, bcoo_slice
from treadle_ir import ShapeError
from treadle_ir.errors import IndexingError, boundaries
from treadle_numpy import lax

__all__ = ["bcoo_conv_general_dilated", "bcoo_gather"]


def bcoo_gather(
    operand: BCOO,
    start_indices: Any,
    dimension_numbers: lax.GatherDimensionNumbers,
    slice_sizes: Sequence[int],
    *,
    unique_indices: bool = False,
    indices_are_sorted: bool = False,
    mode: Any = None,
    fill_value: Any = None,
) -> BCOO:
    """Apply `lax.gather` to a sparse array: slices from computed places. Each stores as many elements as it can have.

    Where the axes of the indices come first in the result, they are batch axes of it. Slices out of range are moved
    into it with `mode="clip"`, and are zero with `fill_value=0`.

    Raises:
        UnsupportedError: neither is given, and it is not known that all indices are in range.
        ShapeError, DTypeError: as of `lax.gather`.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle import lax
        >>> from treadle.experimental import sparse
        >>> rows = lax.GatherDimensionNumbers((1,), (0,), (0,))
        >>> print(sparse.bcoo_gather(sparse.eye(3), tnp.array([[2], [0]]), rows, (1, 3)).todense())
        [[0. 0. 1.]
         [1. 0. 0.]]
    """
    check_sparse("bcoo_gather", operand)
    found: BCOO = sparsify(
        lambda x, indices: lax.gather(
            x,
            indices,
            dimension_numbers,
            slice_sizes,
            unique_indices=unique_indices,
            indices_are_sorted=indices_are_sorted,
            mode=mode,
            fill_value=fill_value,
        )
    )(operand, start_indices)
    return found


def bcoo_conv_general_dilated(
    lhs: Any,
    rhs: Any,
    *,
    window_strides: Sequence[int],
    padding: Any,
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: Any = None,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: None = None,
) -> Any:
    """Apply `lax.conv_general_dilated` where input or kernel is sparse. All axes of the result are sparse.

    Every pair of stored elements is looked at, and the result stores as many as there are pairs, at most as many as it
    has.

    Raises:
        ArgumentError, DTypeError, ShapeError: as of `lax.conv_general_dilated`.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> x = sparse.BCOO.fromdense(tnp.array([[[0.0, 2.0, 0.0, 1.0]]]))
        >>> kernel = sparse.BCOO.fromdense(tnp.array([[[1.0, 0.0, -1.0]]]))
        >>> print(sparse.bcoo_conv_general_dilated(x, kernel, window_strides=(1,), padding="SAME").todense())
        [[[-2.  0.  1.  0.]]]
    """
    return sparsify(
        lambda x, kernel: lax.conv_general_dilated(
            x,
            kernel,
            window_strides,
            padding,
            lhs_dilation,
            rhs_dilation,
            dimension_numbers,
            feature_group_count,
            batch_group_count,
            precision,
            preferred_element_type,
            out_sharding,
        )
    )(lhs, rhs)


def matrix_product(x: Any, y: Any) -> Any:
    """Compute `x @ y`, at least one of which is sparse: axes before the last two are broadcast against each other."""
    for each in (x, y):
        if isinstance(each, JAXSparse) and not isinstance(each, BCOO):
            raise each._lacking("@ with such an operand")
    lhs, rhs = (each if isinstance(each, BCOO) else tnp.asarray(each) for each in (x, y))
    if not lhs.ndim or not rhs.ndim:
        raise ShapeError("@ does not take scalars", fix="multiply with `*`")
    if rhs.ndim > 2:
        return sparsify(tnp.matmul)(lhs, rhs)
    contracted = ((lhs.ndim - 1,), (max(rhs.ndim - 2, 0),))
    return bcoo_dot_general(lhs, rhs, dimension_numbers=(contracted, ((), ())))


def indexed(mat: BCOO, index: Any) -> BCOO:
    """`x[i]`, by whatever indexes a dense array.

    Raises:
        IndexingError: there are too many indices, or an integer is out of bounds.
    """
    given: tuple[Any, ...] = index if isinstance(index, tuple) else (index,)
    if not all(map(_is_known, given)):
        found: BCOO = sparsify(lambda x: x[index])(mat)
        return found
    count = sum(part is not None and part is not Ellipsis for part in given)
    places = [number for number, part in enumerate(given) if part is Ellipsis]
    if count > mat.ndim or len(places) > 1:
        raise IndexingError(f"too many indices for {mat!r}: {count}")
    if not places:
        places, given = [len(given)], (*given, Ellipsis)
    place = places[0]
    given = (*given[:place], *[slice(None)] * (mat.ndim - count), *given[place + 1 :])
    ranges, shape = [], []
    sizes = iter(mat.shape)
    for part in given:
        if part is None:
            shape.append(1)
            continue
        size = next(sizes)
        if isinstance(part, slice):
            start, stop, step = part.indices(size)
            stop = max(start, stop)
            shape.append(-(-(stop - start) // step))
        else:
            if not -size <= part < size:
                raise IndexingError(f"index {part} is out of bounds for an axis of size {size}")
            start, stop, step = part % size, part % size + 1, 1
        ranges.append((start, stop, step))
    starts, limits, steps = zip(*ranges, strict=True) if ranges else ((), (), ())
    part = bcoo_slice(mat, start_indices=starts, limit_indices=limits, strides=steps)
    return part if tuple(shape) == part.shape else bcoo_reshape(part, new_sizes=shape)


def _is_known(part: object) -> bool:
    """Return whether an index is an integer, a slice forwards, `...` or None."""
    if isinstance(part, slice):
        ends = (part.start, part.stop, part.step)
        known = all(end is None or isinstance(end, (int, np.integer)) for end in ends)
        return known and (part.step is None or part.step > 0)
    if isinstance(part, (int, np.integer)):
        return not isinstance(part, bool)
    return part is None or part is Ellipsis


boundaries(__name__)

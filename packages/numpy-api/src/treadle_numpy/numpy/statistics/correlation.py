"""Covariance and correlation."""

from __future__ import annotations

from treadle_ir import Array, Operand, ShapeError, ops
from treadle_ir.calling import composed
from treadle_ir.core import is_symbolic_dim
from treadle_ir.core.dtypes import is_complex, real_part
from treadle_ir.errors import flags, integer_or_none
from treadle_numpy.numpy.contraction.products import matmul
from treadle_numpy.numpy.manipulation.axes import transpose
from treadle_numpy.numpy.manipulation.diagonals import diagonal
from treadle_numpy.numpy.manipulation.joining import concatenate
from treadle_numpy.numpy.manipulation.shapes import expand_dims, reshape
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.statistics.means import mean
from treadle_numpy.numpy.ufuncs.arithmetic import divide, multiply, subtract
from treadle_numpy.numpy.ufuncs.extremes import clip, maximum
from treadle_numpy.numpy.ufuncs.parts import conjugate
from treadle_numpy.numpy.ufuncs.powers import sqrt
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.promote import converted, promote

__all__ = ["corrcoef", "cov"]


@composed
def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
    dtype: DTypeLike | None = None,
) -> Array:
    """Return the covariance matrix of variables in rows (or columns, if not `rowvar`).

    Raises:
        ShapeError: `m` or `y` has more than two axes, or they are of different lengths.

    Example:
        >>> import numpy as np
        >>> print(cov(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]], np.float32)))
        [[ 1. -1.]
         [-1.  1.]]
    """
    flags("cov", rowvar=rowvar, bias=bias)
    ddof = integer_or_none("cov", "ddof", ddof)
    parts = [m] if y is None else [m, y]
    operands = [array_of(x) for x in promote("cov", *parts, inexact=True)]
    if any(x.ndim > 2 for x in operands):
        raise ShapeError("cov: m and y must have at most two axes")
    rows = []
    for x in operands:
        if x.ndim < 2:
            x = reshape(x, (1, x.size))
        elif not rowvar:
            x = transpose(x)
        rows.append(x)
    x = concatenate(rows, 0) if len(rows) > 1 else rows[0]
    wanted = as_dtype("cov", dtype)
    if wanted is not None:
        x = converted(x, wanted)
    if ddof is None:
        ddof = 0 if bias else 1
    weights: Operand | None = None
    if fweights is not None:
        weights = converted(coerce("cov", 5, fweights), real_part(x.dtype))
    if aweights is not None:
        reliability = converted(coerce("cov", 6, aweights), real_part(x.dtype))
        weights = reliability if weights is None else multiply(weights, reliability)
    if weights is None:
        center = mean(x, 1, keepdims=True)
        # As NumPy has it, of too few observations NaN, or infinities, by division by 0.
        size = x.shape[1]
        count: ArrayLike = size - ddof if is_symbolic_dim(size) else max(size - ddof, 0)
        centered = subtract(x, center)
        left = centered
    else:
        total = sum(weights)
        center = divide(sum(multiply(x, weights), 1, keepdims=True), total)
        if ddof == 0:
            count = total
        elif aweights is None:
            count = subtract(total, ddof)
        else:
            count = subtract(total, divide(multiply(ddof, sum(multiply(weights, aweights))), total))
        count = maximum(count, 0)
        centered = subtract(x, center)
        left = multiply(centered, weights)
    product = divide(matmul(left, transpose(conjugate(centered))), count)
    return reshape(product, tuple([n for n in product.shape if n != 1]))


@composed
def corrcoef(
    x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, dtype: DTypeLike | None = None
) -> Array:
    """Return the correlation matrix: covariances over the product of standard deviations.

    Raises:
        ShapeError: as `cov`.

    Example:
        >>> import numpy as np
        >>> print(corrcoef(np.array([[1.0, 2.0, 3.0], [6.0, 4.0, 2.0]], np.float32)).round(4))
        [[ 1. -1.]
         [-1.  1.]]
    """
    flags("corrcoef", rowvar=rowvar)
    spread = cov(x, y, rowvar, dtype=dtype)
    if spread.ndim == 0:
        return divide(spread, spread)
    deviation = sqrt(ops.real(diagonal(spread)) if is_complex(spread.dtype) else diagonal(spread))
    found = divide(divide(spread, expand_dims(deviation, 1)), expand_dims(deviation, 0))
    if is_complex(found.dtype):
        return ops.complex(clip(ops.real(found), -1, 1), clip(ops.imag(found), -1, 1))
    return clip(found, -1, 1)

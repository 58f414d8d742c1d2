"""Products of a matrix with its transpose, and Cholesky factors brought up to date."""

from __future__ import annotations

from treadle_ir import Array, DTypeError, ShapeError, ops, type_of
from treadle_ir.calling import composed, matrices
from treadle_ir.core import dtypes
from treadle_ir.errors import flags
from treadle_numpy.lax.control.scan import scan
from treadle_numpy.lax.dynamic_slicing import dynamic_index_in_dim
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.exact import strict
from treadle_numpy.operands.scalars import literal

__all__ = ["cholesky_update", "symmetric_product"]


def _floating(name: str, x: Array) -> None:
    if not dtypes.is_floating(x.dtype):
        raise DTypeError(
            f"{name}: the operand is {type_of(x)}, but it takes floating elements",
            fix="convert the operand first (`.astype(...)`)",
        )


@composed(loops=True)
def cholesky_update(r_matrix: ArrayLike, w_vector: ArrayLike) -> Array:
    """Return the upper triangular factor of `Rᵀ R + w wᵀ`, from the factor R: by rotations, in a number of steps of n².

    Raises:
        ShapeError: R is not square, or w does not have as many elements as R has rows.
        DTypeError: the elements are not floating.

    Example:
        >>> import numpy as np
        >>> r = np.array([[3.0, 0.0], [0.0, 1.0]], np.float32)
        >>> print(cholesky_update(r, np.array([4.0, 0.0], np.float32)))
        [[5. 0.]
         [0. 1.]]

    Source: G. Golub and C. Van Loan, Matrix Computations, 6.5.4.
    """
    r, w = [array_of(x) for x in strict("cholesky_update", r_matrix, w_vector)]
    for each in (r, w):
        _floating("cholesky_update", each)
    if r.ndim != 2 or r.shape[0] != r.shape[1] or w.shape != r.shape[:1]:
        raise ShapeError(
            f"cholesky_update: the shapes are {r.shape} and {w.shape}, but must be (n, n) and (n,)"
        )
    if r.size == 0:
        return r

    def rotate(vector: Array, place: tuple[Array, Array]) -> tuple[Array, Array]:
        row, k = place
        x = dynamic_index_in_dim(row, k, 0, keepdims=False)
        y = dynamic_index_in_dim(vector, k, 0, keepdims=False)
        # Not the root of a sum of squares, which might overflow.
        size = ops.maximum(ops.abs(x), ops.abs(y))
        one = literal(1, x)
        safe = ops.select(ops.compare(size, literal(0, x), direction="eq"), one, size)
        scaled = ops.divide(x, safe), ops.divide(y, safe)
        root = ops.sqrt(ops.add(ops.square(scaled[0]), ops.square(scaled[1])))
        empty = ops.compare(root, literal(0, x), direction="eq")
        divisor = ops.select(empty, one, root)
        c = ops.select(empty, one, ops.divide(scaled[0], divisor))
        s = ops.divide(scaled[1], divisor)
        turned = ops.add(ops.multiply(c, row), ops.multiply(s, vector))
        rest = ops.subtract(ops.multiply(c, vector), ops.multiply(s, row))
        return rest, turned

    factor: Array
    places = ops.iota(shape=w.shape, dimension=0, dtype=matrices.I32)
    _, factor = scan(rotate, w, (r, places))
    return factor


@composed
def symmetric_product(
    a_matrix: ArrayLike,
    c_matrix: ArrayLike,
    *,
    alpha: float = 1.0,
    beta: float = 0.0,
    symmetrize_output: bool = False,
) -> Array:
    """Compute `alpha A Aᵀ + beta C`; with `symmetrize_output` the upper triangle mirrors the lower one.

    Raises:
        ShapeError: C is not as large as `A Aᵀ`.
        DTypeError: the elements are not floating.

    Example:
        >>> import numpy as np
        >>> a = np.array([[1.0], [2.0]], np.float32)
        >>> print(symmetric_product(a, np.eye(2, dtype=np.float32), beta=1.0))
        [[2. 2.]
         [2. 5.]]
    """
    flags("symmetric_product", symmetrize_output=symmetrize_output)
    a, c = [array_of(x) for x in strict("symmetric_product", a_matrix, c_matrix)]
    for each in (a, c):
        _floating("symmetric_product", each)
    if a.ndim < 2 or c.shape != (*a.shape[:-1], a.shape[-2]):
        raise ShapeError(
            f"symmetric_product: the shapes are {a.shape} and {c.shape}, but must be (..., m, n) and (..., m, m)"
        )
    scale, rest = (
        ops.convert(coerce_array("symmetric_product", i, factor), dtype=a.dtype)
        for i, factor in ((2, alpha), (3, beta))
    )
    product = ops.multiply(matrices.matmul(a, matrices.transposed(a)), scale)
    result = ops.add(product, ops.multiply(c, rest))
    if not symmetrize_output:
        return result
    low = matrices.lower(result, strictly=True)
    return ops.add(matrices.lower(result), matrices.transposed(low))

"""Square roots of upper triangular matrices, whose elements above the diagonal follow from those to the left and below.

`R R = T` says of a block above the diagonal that `R[i, i] R[i, j] + R[i, j] R[j, j]` is T[i, j] less the products of
the blocks between: one equation of small matrices, and the rest are products. Small matrices go column by column.

Source: E. Deadman, N. Higham and R. Ralha, "Blocked Schur algorithms for computing the matrix square root", Applied
Parallel and Scientific Computing, 2012.
"""

from __future__ import annotations

from typing import Final

from treadle_ir import Array, ops
from treadle_ir.calling import matrices
from treadle_ir.core import is_symbolic_dim
from treadle_numpy.lax.control.loops import fori_loop
from treadle_numpy.lax.dynamic_slicing import (
    dynamic_slice_in_dim,
    dynamic_update_slice_in_dim,
)
from treadle_numpy.operands.arrays import array_of, filled
from treadle_numpy.operands.scalars import literal
from treadle_numpy.scipy.linalg.columns import (
    at_diagonal,
    by_columns,
    column_of,
    leading,
    plus_diagonal,
    rows_before,
    solved,
    without_zeros,
)

BLOCK: Final = 64  # rows
_FEW: Final = 2 * BLOCK


def triangular_root(t: Array) -> Array:
    """Return the principal R of `R R = T`, both upper triangular."""
    n = t.shape[-1]
    return _by_columns(t) if is_symbolic_dim(n) or n <= _FEW else _by_blocks(t)


def _by_columns(t: Array) -> Array:
    roots = ops.sqrt(matrices.diagonal(t))
    on_diagonal = matrices.on_diagonal(matrices.across(roots, t), literal(0, t))

    def column(j: Array, r: Array) -> Array:
        # (R[:j, :j] + r[j] 1) R[:j, j] = T[:j, j]
        known = plus_diagonal(leading(r, j), at_diagonal(on_diagonal, j))
        return ops.add(
            solved(without_zeros(known), rows_before(column_of(t, j), j)),
            column_of(on_diagonal, j),
        )

    return by_columns(on_diagonal, column)


def _by_blocks(t: Array) -> Array:
    n = t.shape[-1]
    count = -(-n // BLOCK)
    whole = array_of(matrices.padded(t, count * BLOCK, count * BLOCK))

    def column(j: Array, r: Array) -> Array:
        root = _by_columns(_block(whole, j, j))

        def block_above(k: Array, r: Array) -> Array:
            i = j - 1 - k
            between = matrices.matmul(_strip(r, i, -2), _strip(r, j, -1))
            right = ops.subtract(_block(whole, i, j), between)
            return _with_block(r, _coupled(_block(r, i, i), root, right), i, j)

        found: Array = fori_loop(0, j, block_above, _with_block(r, root, j, j))
        return found

    found: Array = fori_loop(0, count, column, filled(whole.shape, literal(0, whole)))
    return matrices.block(found, slice(n), slice(n))


def _coupled(a: Array, b: Array, c: Array) -> Array:
    """Return the X of `A X + X B = C`, where A and B are upper triangular."""

    def column(j: Array, x: Array) -> Array:
        # (A + b[j, j] 1) X[:, j] = C[:, j] - X[:, :j] B[:j, j], and what is to the right of X[:, :j] is zero
        known = plus_diagonal(a, at_diagonal(b, j))
        right = ops.subtract(column_of(c, j), matrices.matmul(x, column_of(b, j)))
        return solved(without_zeros(known), right)

    return by_columns(filled(c.shape, literal(0, c)), column)


def _strip(x: Array, place: Array, axis: int) -> Array:
    """Return a row of blocks, or a column of them."""
    return dynamic_slice_in_dim(x, place * BLOCK, BLOCK, x.ndim + axis)


def _block(x: Array, i: Array, j: Array) -> Array:
    return _strip(_strip(x, i, -2), j, -1)


def _with_block(x: Array, block: Array, i: Array, j: Array) -> Array:
    strip = dynamic_update_slice_in_dim(_strip(x, i, -2), block, j * BLOCK, x.ndim - 1)
    return dynamic_update_slice_in_dim(x, strip, i * BLOCK, x.ndim - 2)

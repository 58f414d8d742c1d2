"""Equations with triangular matrices that are solved column by column: square roots, functions, Sylvester's equation.

Each column is the solution of a triangular system that the columns before it make.
"""

from __future__ import annotations

from collections.abc import Callable

from treadle_ir import Array, ops
from treadle_ir.calling import matrices
from treadle_numpy.lax.control.loops import fori_loop
from treadle_numpy.lax.dynamic_slicing import dynamic_index_in_dim, dynamic_update_index_in_dim
from treadle_numpy.operands.scalars import literal


def by_columns(start: Array, column: Callable[[Array, Array], Array]) -> Array:
    """Matrices made column by column: `column(j, so far)` is the next one, [..., n, 1]."""
    axis = start.ndim - 1

    def step(j: Array, x: Array) -> Array:
        return dynamic_update_index_in_dim(x, column(j, x), j, axis)

    found: Array = fori_loop(0, start.shape[-1], step, start)
    return found


def column_of(x: Array, j: Array) -> Array:
    """Return one column of matrices, [..., n, 1]."""
    return dynamic_index_in_dim(x, j, x.ndim - 1, keepdims=True)


def rows_before(x: Array, j: Array) -> Array:
    """Matrices or columns with zeros from row j on."""
    row = ops.iota(shape=x.shape, dimension=x.ndim - 2, dtype=matrices.I32)
    return ops.select(_below(row, j), x, literal(0, x))


def leading(x: Array, j: Array) -> Array:
    """Matrices with zeros from row j and from column j on."""
    column = ops.iota(shape=x.shape, dimension=x.ndim - 1, dtype=matrices.I32)
    return rows_before(ops.select(_below(column, j), x, literal(0, x)), j)


def _below(places: Array, j: Array) -> Array:
    index = ops.convert(j, dtype=matrices.I32)
    return ops.compare(places, index, direction="lt")


def plus_diagonal(x: Array, number: Array) -> Array:
    """Matrices with a number for each, [..., 1, 1], added to the diagonal."""
    return ops.add(x, matrices.on_diagonal(_spread(number, x), literal(0, x)))


def _spread(number: Array, x: Array) -> Array:
    return ops.broadcast_in_dim(number, shape=x.shape, dimensions=tuple(range(x.ndim)))


def without_zeros(x: Array) -> Array:
    """Matrices with 1 for each zero on the diagonal."""
    zero = literal(0, x)
    one = ops.broadcast_in_dim(literal(1, x), shape=x.shape, dimensions=())
    filled = ops.select(ops.compare(x, zero, direction="eq"), one, x)
    return matrices.on_diagonal(filled, x)


def at_diagonal(x: Array, j: Array) -> Array:
    """Element j of the diagonals, [..., 1, 1]."""
    return dynamic_index_in_dim(column_of(x, j), j, x.ndim - 2, keepdims=True)


def solved(a: Array, b: Array) -> Array:
    """Return the solutions of systems with upper triangular matrices."""
    return ops.triangular_solve(a, b, lower=False)


def times(x: Array, number: Array) -> Array:
    """Matrices times a number for each, [..., 1, 1]."""
    return ops.multiply(x, _spread(number, x))

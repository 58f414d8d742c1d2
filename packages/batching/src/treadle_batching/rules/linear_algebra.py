"""Batch rules of linear algebra: a batch is one more leading axis."""

from __future__ import annotations

from treadle_batching.axis import Axis, Dims, WithDims
from treadle_batching.moving import at_front, move
from treadle_batching.registry import batch_rule
from treadle_ir import Operands, bind, ops, type_of
from treadle_ir.core import LinearAlgebra
from treadle_ir.primitives.linear_algebra import TriangularSolve


@batch_rule(LinearAlgebra)
def linear_algebra_batch(
    primitive: LinearAlgebra, axis: Axis, operands: Operands, dims: Dims
) -> WithDims:
    """The batch goes to the front of all operands, and stands at the front of all results."""
    moved = [at_front(x, dim, axis) for x, dim in zip(operands, dims, strict=True)]
    results = bind(primitive, *moved)
    return results, [0] * len(results)


@batch_rule(TriangularSolve)
def triangular_solve_batch(
    primitive: TriangularSolve, axis: Axis, operands: Operands, dims: Dims
) -> WithDims:
    """Solve one equation with concatenated right-hand sides where they share one matrix; else batch the matrices."""
    a, b = operands
    a_dim, b_dim = dims
    if a_dim is not None or b_dim is None or type_of(a).ndim > 2:
        return linear_algebra_batch(primitive, axis, operands, dims)
    if primitive.left_side:
        b = move(b, b_dim, 1)  # [n, batch, k]
        n, size, k = type_of(b).shape
        (x,) = bind(primitive, a, ops.reshape(b, shape=(n, size * k)))
        return [ops.reshape(x, shape=(n, size, k))], [1]
    b = move(b, b_dim, 0)  # [batch, k, n]
    size, k, n = type_of(b).shape
    (x,) = bind(primitive, a, ops.reshape(b, shape=(size * k, n)))
    return [ops.reshape(x, shape=(size, k, n))], [0]

"""Solving by elimination: one factorisation serves the solution and its derivatives of all orders.

The derivative of `x = A⁻¹ b` solves a system with the same matrix, `A dx = db - dA x`. So the derivative of the factors
is not needed, and A itself is an operand for its tangent. In reverse mode the systems have the transposed matrix, and
from the second order on they are differentiated as they are, through the factors.

Source: M. Giles, "An extended collection of matrix derivative results", 2008, 2.3.1.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from treadle_autodiff import custom_jvp
from treadle_ir import Array, Operand, ops
from treadle_ir.calling import matrices

Pair: TypeAlias = tuple[Array, Array]


class Factors(NamedTuple):
    """L and U in one matrix, and the permutation of rows."""

    lu: Array
    permutation: Array


def factorised(a: Operand) -> Factors:
    """Return the factors of matrices."""
    lu, _, permutation = ops.lu(a)
    return Factors(lu, permutation)


def substituted(lu: Operand, permutation: Operand, b: Operand, *, operation: str = "N") -> Array:
    """Return the solutions of `op(A) x = b` from factors, where `op` is none, T or C: transposed, or conjugated too."""
    if operation == "N":
        x = matrices.rows_taken(b, permutation)
        x = ops.triangular_solve(lu, x, lower=True, unit_diagonal=True)
        return ops.triangular_solve(lu, x, lower=False)
    conjugates = operation == "C"
    x = ops.triangular_solve(lu, b, lower=False, transpose_a=True, conjugate_a=conjugates)
    x = ops.triangular_solve(
        lu, x, lower=True, transpose_a=True, conjugate_a=conjugates, unit_diagonal=True
    )
    return matrices.rows_taken(x, inverted(permutation))


def inverted(permutation: Operand) -> Array:
    """Return the permutation that takes another one back."""
    axis = len(permutation.shape) - 1
    places = ops.iota(shape=permutation.shape, dimension=axis, dtype=matrices.I32)
    return ops.sort([permutation, places], dimension=axis)[1]


@custom_jvp
def _solution(a: Array, lu: Array, permutation: Array, b: Array) -> Array:
    return substituted(lu, permutation, b)


@_solution.defjvp
def _solution_jvp(
    primals: tuple[Array, Array, Array, Array], tangents: tuple[Array, Array, Array, Array]
) -> Pair:
    a, lu, permutation, b = primals
    da, _, _, db = tangents
    x = _solution(a, lu, permutation, b)
    return x, _solution(a, lu, permutation, ops.subtract(db, matrices.matmul(da, x)))


def solution(a: Array, factors: Factors, b: Array) -> Array:
    """Return the solutions of `a x = b`: matrices, all of one batch and element type, and the factors of a."""
    return _solution(a, factors.lu, factors.permutation, b)


def eliminated(a: Array, b: Array) -> Array:
    """Return the solutions of `a x = b`; of a singular matrix they have infinities and NaN."""
    return solution(a, factorised(a), b)

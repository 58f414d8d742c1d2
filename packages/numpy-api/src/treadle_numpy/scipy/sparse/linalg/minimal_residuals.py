"""The solver that keeps a basis of the Krylov space: generalised minimal residuals.

Algorithm: Saad and Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856, preconditioned from the right, such that the
minimised residual is the equation's own. The basis is orthogonalised twice.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np

from treadle_ir import ArgumentError, Array
from treadle_ir.errors import integer, names, shown
from treadle_ir.tree import tree_leaves
from treadle_numpy.lax.control.loops import fori_loop, while_loop
from treadle_numpy.lax.dynamic_slicing import dynamic_index_in_dim, dynamic_update_index_in_dim
from treadle_numpy.numpy.contraction.products import matmul
from treadle_numpy.numpy.creation.constant import zeros
from treadle_numpy.numpy.dtypes.limits import finfo
from treadle_numpy.numpy.linalg.ranks import lstsq
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.arithmetic import add, divide, multiply, subtract
from treadle_numpy.numpy.ufuncs.logic import equal, greater, less, less_equal, logical_and
from treadle_numpy.numpy.ufuncs.powers import sqrt
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.trees import Tree
from treadle_numpy.scipy.sparse.linalg.equations import (
    Map,
    Stopping,
    VectorMap,
    solved,
    square_norm,
)

__all__ = ["gmres"]

_F32: Final = np.dtype(np.float32)
_METHODS: Final = ("batched", "incremental")


def gmres(
    A: Map,  # noqa: N803 - a matrix, as SciPy writes it
    b: Tree,
    x0: Tree = None,
    *,
    tol: ArrayLike = 1e-05,
    atol: ArrayLike = 0.0,
    restart: int = 20,
    maxiter: int | None = None,
    M: Map | None = None,  # noqa: N803
    solve_method: str = "batched",
) -> tuple[Tree, Array]:
    """Return the solution `x` of `A x = b` by generalised minimal residuals; the map need not be symmetric.

    Derivatives solve the equation once more, with another right-hand side, or the transposed one, for which M is used
    as it is.

    Args:
        A: a function from trees like b to trees like b, or a matrix; it must be linear.
        b: the right-hand side, an array or a tree of arrays; integers become floats.
        x0: where to start; zeros by default.
        tol: the search ends when the norm of `b - A x` is at most `tol` times the norm of b,
        atol: or at most this,
        restart: the size of the basis, which is made again when it is full: what it takes is memory.
        maxiter: the search ends after so many bases; ten times the number of elements by default.
        M: the preconditioner, close to the inverse of A.
        solve_method: "batched" makes whole bases; "incremental" looks at the residual after each vector, and takes
            fewer applications of A, but longer for each.

    Returns:
        The pair of x, like b, and whether it is finite: 0, or -1 where it is not.

    Raises:
        ArgumentError, ShapeError, StructureError: arguments do not fit each other, or are of another kind.

    Example:
        >>> x, info = gmres(np.array([[4.0, 1.0], [0.0, 2.0]]), np.array([6.0, 4.0]))
        >>> print(x.round(3), info)
        [1. 2.] 0
    """
    names("gmres", solve_method=solve_method)
    if solve_method not in _METHODS:
        raise ArgumentError(
            f"gmres: solve_method must be 'batched' or 'incremental', got {shown(solve_method)}"
        )
    vectors = integer("gmres", "restart", restart)
    if vectors < 1:
        raise ArgumentError(f"gmres: restart must be at least 1, got {vectors}")
    method = functools.partial(_minimal_residuals, vectors, solve_method == "incremental")
    x = solved("gmres", A, b, x0, tol, atol, maxiter, M, method, False)
    # Zero, unless there is an infinity or what is not a number.
    nothing = sum([multiply(each, 0).sum() for each in tree_leaves(x)])
    return x, where(equal(nothing, 0), 0, -1)


def _minimal_residuals(
    restart: int,
    looks: bool,
    apply: VectorMap,
    improve: VectorMap,
    b: Array,
    x0: Array,
    stopping: Stopping,
) -> Array:
    """Return the solution, from bases of at most so many vectors."""
    if not b.size:
        return b
    enough = stopping.squared(b)

    def goes_on(state: tuple[Array, ...]) -> Array:
        _, r, step = state
        return logical_and(greater(square_norm(r), enough), less(step, stopping.maxiter))

    def advance(state: tuple[Array, ...]) -> tuple[Array, ...]:
        x, r, step = state
        length = sqrt(square_norm(r))
        basis, images = _basis(
            lambda v: apply(improve(v)),
            divide(r, length),
            min(restart, b.size),
            enough if looks else None,
            length,
        )
        first = converted(where(np.arange(images.shape[0]) == 0, length, 0), images.dtype)
        wide = images.dtype if images.dtype.itemsize >= 4 else _F32  # narrower, there is no `lstsq`
        weights = converted(lstsq(converted(images, wide), converted(first, wide))[0], images.dtype)
        x = add(x, improve(matmul(weights, basis[:-1], precision="highest")))
        return x, subtract(b, apply(x)), add(step, 1)

    x, *_ = while_loop(goes_on, advance, (x0, subtract(b, apply(x0)), 0))
    return x


def _basis(
    apply: VectorMap, start: Array, count: int, enough: Array | None, length: Array
) -> tuple[Array, Array]:
    """Orthonormal vectors of the Krylov space [count + 1, n], and the map in that basis [count + 1, count].

    What is not needed is left zero. The residual in the space is known without solving for it: it is along the vector
    that is orthogonal to all columns of the matrix, whose elements follow from each other.
    """
    basis = dynamic_update_index_in_dim(zeros((count + 1, start.size), start.dtype), start, 0, 0)
    columns = zeros((count, count + 1), start.dtype)
    normal = where(np.arange(count + 1) == 0, converted(length * 0 + 1, start.dtype), 0)

    def advance(state: tuple[Array, ...]) -> tuple[Array, ...]:
        basis, columns, normal, _, step = state
        vector = apply(dynamic_index_in_dim(basis, step, 0, keepdims=False))
        size = sqrt(square_norm(vector))
        column = zeros((count + 1,), start.dtype)
        for _ in range(2):
            shares = matmul(basis.conj(), vector, precision="highest")
            vector = subtract(vector, matmul(shares, basis, precision="highest"))
            column = add(column, shares)
        left = sqrt(square_norm(vector))
        # Nothing but rounding is left where the space is exhausted.
        rounding = multiply(size, 10 * float(finfo(start.dtype).eps))
        exhausted = less_equal(left, rounding)
        left = where(exhausted, 0, left)
        divisor = where(exhausted, 1, left)
        vector = where(exhausted, 0, divide(vector, divisor))
        column = dynamic_update_index_in_dim(column, converted(left, start.dtype), add(step, 1), 0)
        along = matmul(column.conj(), normal, precision="highest")
        element = divide(multiply(along, -1), divisor)
        normal = dynamic_update_index_in_dim(
            normal, converted(element, start.dtype), add(step, 1), 0
        )
        reached = divide(multiply(length, length), square_norm(normal))
        reached = where(exhausted, 0, reached)
        return (
            dynamic_update_index_in_dim(basis, vector, add(step, 1), 0),
            dynamic_update_index_in_dim(columns, column, step, 0),
            normal,
            reached,
            add(step, 1),
        )

    state = (basis, columns, normal, multiply(length, length), 0)
    if enough is None:
        basis, columns, *_ = fori_loop(0, count, lambda _, state: advance(state), state)
    else:
        basis, columns, *_ = while_loop(
            lambda state: logical_and(less(state[-1], count), greater(state[-2], enough)),
            advance,
            state,
        )
    return basis, columns.T

"""Solvers that keep a few vectors: conjugate gradients, and stabilised biconjugate gradients.

Algorithms: Hestenes and Stiefel, J. Res. NBS 49 (1952) 409; van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631;
both preconditioned as in Saad, Iterative Methods for Sparse Linear Systems (2003), sections 9.2 and 7.4.2.
"""

from __future__ import annotations

from treadle_ir import Array
from treadle_numpy.lax.control.loops import while_loop
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.arithmetic import add, divide, multiply, subtract
from treadle_numpy.numpy.ufuncs.logic import equal, greater, less, logical_and, not_equal
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.trees import Tree
from treadle_numpy.scipy.sparse.linalg.equations import (
    Map,
    Stopping,
    VectorMap,
    inner,
    solved,
    square_norm,
)

__all__ = ["bicgstab", "cg"]


def cg(
    A: Map,  # noqa: N803 - a matrix, as SciPy writes it
    b: Tree,
    x0: Tree = None,
    *,
    tol: ArrayLike = 1e-05,
    atol: ArrayLike = 0.0,
    maxiter: int | None = None,
    M: Map | None = None,  # noqa: N803
) -> tuple[Tree, None]:
    """Return the solution `x` of `A x = b` by conjugate gradients; the map is Hermitian and positive definite.

    Derivatives solve the equation once more, with another right-hand side: as exactly as the tolerance says.

    Shapes:
        A: [n, n], where it is a matrix
        b, x0, x: [n] or [n, k] where A is a matrix, whose columns are then one equation

    Args:
        A: a function from trees like b to trees like b, or a matrix; it must be linear.
        b: the right-hand side, an array or a tree of arrays; integers become floats.
        x0: where to start; zeros by default.
        tol: the search ends when the norm of `b - A x` is at most `tol` times the norm of b,
        atol: or at most this,
        maxiter: or after so many steps; ten times the number of elements by default.
        M: the preconditioner, close to the inverse of A, and Hermitian and positive definite, too.

    Returns:
        The pair of x, like b, and None, which is in the place of SciPy's report.

    Raises:
        ArgumentError, ShapeError, StructureError: arguments do not fit each other, or are of another kind.

    Example:
        >>> import numpy as np
        >>> x, _ = cg(np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([1.0, 2.0]))
        >>> print(x.round(3))
        [0.091 0.636]
    """
    return solved("cg", A, b, x0, tol, atol, maxiter, M, _conjugate_gradients, True), None


def bicgstab(
    A: Map,  # noqa: N803 - a matrix, as SciPy writes it
    b: Tree,
    x0: Tree = None,
    *,
    tol: ArrayLike = 1e-05,
    atol: ArrayLike = 0.0,
    maxiter: int | None = None,
    M: Map | None = None,  # noqa: N803
) -> tuple[Tree, None]:
    """Return the solution `x` of `A x = b` by stabilised biconjugate gradients; the map need not be symmetric.

    Where the method breaks down, what was found until then is returned. Derivatives solve the equation once more, with
    another right-hand side, or the transposed one, for which M is used as it is.

    Args:
        A: a function from trees like b to trees like b, or a matrix; it must be linear.
        b: the right-hand side, an array or a tree of arrays; integers become floats.
        x0: where to start; zeros by default.
        tol: the search ends when the norm of `b - A x` is at most `tol` times the norm of b,
        atol: or at most this,
        maxiter: or after so many steps; ten times the number of elements by default.
        M: the preconditioner, close to the inverse of A.

    Returns:
        The pair of x, like b, and None, which is in the place of SciPy's report.

    Raises:
        ArgumentError, ShapeError, StructureError: arguments do not fit each other, or are of another kind.

    Example:
        >>> import numpy as np
        >>> x, _ = bicgstab(np.array([[4.0, 1.0], [0.0, 2.0]]), np.array([6.0, 4.0]))
        >>> print(x.round(3))
        [1. 2.]
    """
    return solved("bicgstab", A, b, x0, tol, atol, maxiter, M, _biconjugate_gradients, False), None


def _conjugate_gradients(
    apply: VectorMap, improve: VectorMap, b: Array, x0: Array, stopping: Stopping
) -> Array:
    enough = stopping.squared(b)

    def goes_on(state: tuple[Array, ...]) -> Array:
        _, r, _, _, step = state
        return logical_and(greater(square_norm(r), enough), less(step, stopping.maxiter))

    def advance(state: tuple[Array, ...]) -> tuple[Array, ...]:
        x, r, p, gamma, step = state
        image = apply(p)
        alpha = divide(gamma, inner(p, image))
        r = subtract(r, multiply(alpha, image))
        z = improve(r)
        after = inner(r, z)
        p_next = add(z, multiply(divide(after, gamma), p))
        return add(x, multiply(alpha, p)), r, p_next, after, add(step, 1)

    r = subtract(b, apply(x0))
    z = improve(r)
    x, *_ = while_loop(goes_on, advance, (x0, r, z, inner(r, z), 0))
    return x


def _biconjugate_gradients(
    apply: VectorMap, improve: VectorMap, b: Array, x0: Array, stopping: Stopping
) -> Array:
    enough = stopping.squared(b)

    def goes_on(state: tuple[Array, ...]) -> Array:
        _, r, _, rho, omega, step = state
        sound = logical_and(not_equal(rho, 0), not_equal(omega, 0))
        left = logical_and(greater(square_norm(r), enough), less(step, stopping.maxiter))
        return logical_and(sound, left)

    def advance(state: tuple[Array, ...]) -> tuple[Array, ...]:
        x, r, p, rho, _, step = state
        better = improve(p)
        image = apply(better)
        alpha = divide(rho, inner(shadow, image))
        half = subtract(r, multiply(alpha, image))
        x_half = add(x, multiply(alpha, better))
        turned = improve(half)
        stable = apply(turned)
        length = square_norm(stable)
        # apply half step may be the last one: there is nothing left to be made smaller.
        omega = where(equal(length, 0), 0, divide(inner(stable, half), length))
        r = subtract(half, multiply(omega, stable))
        after = inner(shadow, r)
        beta = multiply(divide(after, rho), divide(alpha, omega))
        p_next = add(r, multiply(beta, subtract(p, multiply(omega, image))))
        return add(x_half, multiply(omega, turned)), r, p_next, after, omega, add(step, 1)

    shadow = subtract(b, apply(x0))
    rho = inner(shadow, shadow)
    x, *_ = while_loop(goes_on, advance, (x0, shadow, shadow, rho, add(multiply(rho, 0), 1), 0))
    return x

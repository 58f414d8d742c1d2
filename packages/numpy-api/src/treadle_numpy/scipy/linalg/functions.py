"""Functions of matrices - exponential, square root, any other - and Sylvester's equation."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Final, Literal, overload

import numpy as np

from treadle_autodiff import custom_jvp, jvp
from treadle_ir import ArgumentError, Array, ShapeError, UnsupportedError, ops, type_of
from treadle_ir.calling import composed, matrices
from treadle_ir.core import dtypes, is_symbolic_dim
from treadle_ir.errors import flags, functions, integer, names, number as real_number, shown
from treadle_ir.primitives.linear_algebra.matrices import check_dtype
from treadle_numpy.lax.control.branches import cond
from treadle_numpy.lax.control.loops import fori_loop
from treadle_numpy.lax.control.solves import custom_linear_solve
from treadle_numpy.lax.linalg import in_lapack
from treadle_numpy.lax.linalg.elimination import eliminated
from treadle_numpy.numpy.dtypes.limits import finfo
from treadle_numpy.numpy.linalg.operands import check_square, square_matrices
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import broadcast_to_shape, common_shape
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import promote
from treadle_numpy.operands.scalars import literal, number
from treadle_numpy.scipy.linalg.columns import (
    at_diagonal,
    by_columns,
    column_of,
    leading,
    plus_diagonal,
    rows_before,
    solved,
    times,
    without_zeros,
)
from treadle_numpy.scipy.linalg.roots import triangular_root
from treadle_numpy.scipy.linalg.spectra import rsf2csf

__all__ = ["expm", "expm_frechet", "funm", "solve_sylvester", "sqrtm"]

# Numerators of Padé's approximants of exp, and the norms up to which they are exact to the last place.
_DOUBLE: Final = (
    5.371920351148152,
    (
        64764752532480000.0,
        32382376266240000.0,
        7771770303897600.0,
        1187353796428800.0,
        129060195264000.0,
        10559470521600.0,
        670442572800.0,
        33522128640.0,
        1323241920.0,
        40840800.0,
        960960.0,
        16380.0,
        182.0,
        1.0,
    ),
)
_SINGLE: Final = (
    3.925724783138660,
    (17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0),
)

_FEW: Final = 32  # rows, up to which a complex Schur form takes no longer than a real form that is made complex


@composed(loops=True, host=in_lapack.expm)
def expm(A: ArrayLike, *, upper_triangular: bool = False, max_squarings: int = 16) -> Array:  # noqa: N803 - SciPy's
    """Return the exponentials of matrices.

    Args:
        A: [..., n, n].
        upper_triangular: the matrix is upper triangular.
        max_squarings: a matrix whose norm needs more (about 2 to the power of that times 5) has NaN.

    Raises:
        ShapeError: the last two axes are not square.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> print(abs(expm(np.array([[0.0, 1.0], [0.0, 0.0]], np.float32))).round(3))
        [[1. 1.]
         [0. 1.]]

    Source: N. Higham, "The scaling and squaring method for the matrix exponential revisited", SIAM J. Matrix Anal.
    Appl. 26 (2005).
    """
    flags("expm", upper_triangular=upper_triangular)
    most = integer("expm", "max_squarings", max_squarings)
    x = square_matrices("expm", A)
    check_dtype("expm", type_of(x))
    if x.size == 0:
        return x
    limit, coefficients = _DOUBLE if dtypes.real_part(x.dtype) == np.float64 else _SINGLE
    size = ops.reduce_add(ops.abs(ops.stop_gradient(x)), axes=(x.ndim - 2,))
    size = ops.reduce_maximum(size, axes=(size.ndim - 1,))
    exponent = ops.ceil(
        ops.divide(ops.log(ops.divide(size, literal(limit, size))), literal(np.log(2), size))
    )
    needed = ops.maximum(exponent, literal(0, size))
    halvings = ops.minimum(needed, literal(most, size))
    # NaN in the operand of the approximants, so that derivatives too are NaN there, and not 0.
    enough = ops.compare(needed, literal(most, size), direction="le")
    scale = ops.select(enough, ops.exponential2(ops.negate(halvings)), literal(np.nan, size))
    numerator, denominator = _approximants(_times_real(x, scale), coefficients)
    if upper_triangular:
        result = ops.triangular_solve(denominator, numerator, lower=False)
    else:
        result = eliminated(denominator, numerator)
    return _squared(result, halvings, most)


def _times_real(x: Array, factor: Array) -> Array:
    spread = ops.broadcast_in_dim(factor, shape=x.shape, dimensions=tuple(range(x.ndim - 2)))
    if spread.dtype != x.dtype:
        spread = ops.convert(spread, dtype=x.dtype)
    return ops.multiply(x, spread)


def _squared(x: Array, times_: Array, most: int) -> Array:
    """Matrices squared so many times, each for itself."""
    axes = tuple(range(x.ndim - 2))

    def step(i: Array, y: Array) -> Array:
        count = ops.convert(i, dtype=times_.dtype)
        again = ops.compare(count, times_, direction="lt")

        def square(z: Array) -> Array:
            spread = ops.broadcast_in_dim(again, shape=z.shape, dimensions=axes)
            return ops.select(spread, matrices.matmul(z, z), z)

        some = ops.reduce_or(again, axes=axes) if axes else again
        result: Array = cond(some, square, lambda z: z, y)
        return result

    found: Array = fori_loop(0, most, step, x)
    return found


def _approximants(x: Array, coefficients: tuple[float, ...]) -> tuple[Array, Array]:
    """Numerator and denominator, of even powers of x and of odd ones."""
    one = ops.broadcast_in_dim(literal(1, x), shape=x.shape, dimensions=())
    identity = matrices.on_diagonal(one, literal(0, x))
    square = matrices.matmul(x, x)
    fourth = matrices.matmul(square, square)
    powers = [identity, square, fourth, matrices.matmul(fourth, square)]

    def total(numbers: tuple[float, ...], of: list[Array]) -> Array:
        parts = [ops.multiply(p, number(c, p)) for c, p in zip(numbers, of, strict=True)]
        return reduce(ops.add, parts)

    even, odd = total(coefficients[0:8:2], powers), total(coefficients[1:8:2], powers)
    if len(coefficients) > 8:
        higher = powers[1:]
        even = ops.add(even, matrices.matmul(powers[3], total(coefficients[8::2], higher)))
        odd = ops.add(odd, matrices.matmul(powers[3], total(coefficients[9::2], higher)))
    odd = matrices.matmul(x, odd)
    return ops.add(even, odd), ops.subtract(even, odd)


@overload
def expm_frechet(
    A: ArrayLike,  # noqa: N803
    E: ArrayLike,  # noqa: N803
    *,
    method: str | None = ...,
    compute_expm: Literal[True] = ...,
) -> tuple[Array, Array]: ...
@overload
def expm_frechet(
    A: ArrayLike,  # noqa: N803
    E: ArrayLike,  # noqa: N803
    *,
    method: str | None = ...,
    compute_expm: bool,
) -> Array | tuple[Array, Array]: ...
@composed(loops=True)
def expm_frechet(
    A: ArrayLike,  # noqa: N803 - SciPy's
    E: ArrayLike,  # noqa: N803 - SciPy's
    *,
    method: str | None = None,
    compute_expm: bool = True,
) -> Array | tuple[Array, Array]:
    """Return the exponential of A, and its derivative in the direction E; the derivative alone without `compute_expm`.

    `method` is for SciPy's sake and changes nothing: the derivative is the forward derivative of `expm`.

    Raises:
        ShapeError: A is not square, or E has another shape.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> zeros = np.zeros((2, 2), np.float32)
        >>> print(abs(expm_frechet(zeros, np.eye(2, dtype=np.float32), compute_expm=False)).round(3))
        [[1. 0.]
         [0. 1.]]
    """
    flags("expm_frechet", compute_expm=compute_expm)
    names("expm_frechet", method=method)
    a, e = [array_of(x) for x in promote("expm_frechet", A, E, inexact=True)]
    check_square("expm_frechet", a)
    if e.shape != a.shape:
        raise ShapeError(
            f"expm_frechet: the shapes are {a.shape} and {e.shape}, which must be equal"
        )
    strong = [ops.convert(x, dtype=x.dtype) for x in (a, e)]
    result, derivative = jvp(expm, (strong[0],), (strong[1],))
    return (result, derivative) if compute_expm else derivative


def _complex(x: Array) -> Array:
    if dtypes.is_complex(x.dtype):
        return x
    wide = np.dtype(np.complex128 if x.dtype == np.float64 else np.complex64)
    return ops.convert(x, dtype=wide, weak=type_of(x).weak)


@composed(loops=True, host=in_lapack.sqrtm)
def sqrtm(A: ArrayLike, blocksize: int = 1) -> Array:  # noqa: N803 - SciPy's
    """Return the principal square roots of matrices: complex, also where they are real.

    A singular matrix that has none makes infinities or NaN. On the CPU only, floats of 16 bits in 32.

    Raises:
        ShapeError: the last two axes are not square.
        UnsupportedError: `blocksize` is not 1.

    Example:
        >>> print(abs(sqrtm(np.array([[4.0, 0.0], [0.0, 9.0]], np.float32))).round(3))
        [[2. 0.]
         [0. 3.]]

    Source: A. Björck and S. Hammarling, "A Schur method for the square root of a matrix", Linear Algebra and its
    Applications 52/53 (1983).
    """
    if integer("sqrtm", "blocksize", blocksize) != 1:
        raise UnsupportedError(
            "sqrtm: the blocked version is not implemented", fix="leave blocksize out"
        )
    x = square_matrices("sqrtm", A)
    return _square_root(x) if x.size else _complex(x)


@custom_jvp
def _square_root(a: Array) -> Array:
    n = a.shape[-1]
    if a.ndim == 2 and not dtypes.is_complex(a.dtype) and not is_symbolic_dim(n) and n > _FEW:
        form, basis = ops.schur(a)  # in a third of the time that the complex form takes
        t, z = rsf2csf(form, basis)
    else:
        t, z = ops.schur(_complex(a))
    r = triangular_root(array_of(t))
    return matrices.matmul(matrices.matmul(z, r), matrices.adjoint(z))


@_square_root.defjvp
def _square_root_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    """Solve `X dX + dX X = dA`."""
    x = _square_root(*primals)
    return x, _sylvester(x, x, _complex(tangents[0]))


@overload
def funm(
    A: ArrayLike,  # noqa: N803
    func: Callable[[Array], Array],
    disp: Literal[True] = ...,
) -> Array: ...
@overload
def funm(
    A: ArrayLike,  # noqa: N803
    func: Callable[[Array], Array],
    disp: bool,
) -> Array | tuple[Array, Array]: ...
def funm(
    A: ArrayLike,  # noqa: N803 - SciPy's
    func: Callable[[Array], Array],
    disp: bool = True,
) -> Array | tuple[Array, Array]:
    """Return a function of matrices, from the function of complex numbers; complex. On the CPU only, and without
    derivatives.

    Without `disp` the second result estimates the relative error (1-norm). Equal or nearly equal eigenvalues make the
    result inexact.

    Raises:
        ShapeError: the last two axes are not square.
        ArgumentError: `func` cannot be called.

    Example:
        >>> a = np.array([[1.0, 0.0], [0.0, 4.0]], np.float32)
        >>> print(abs(funm(a, lambda x: x * x)).round(3))
        [[ 1.  0.]
         [ 0. 16.]]

    Source: G. Golub and C. Van Loan, Matrix Computations, 9.1.1.
    """
    functions("funm", func=func)
    flags("funm", disp=disp)
    t, z, eigenvalues = _complex_schur(A)
    values = array_of(func(eigenvalues))
    if values.shape != t.shape[:-1]:
        raise ShapeError(
            f"funm: func returns shape {values.shape} of elements of shape {t.shape[:-1]}"
        )
    return _of_values(t, z, values) if disp else _with_error(t, z, values)


@composed
def _complex_schur(a: ArrayLike) -> tuple[Array, Array, Array]:
    """Schur's form, its vectors, and the eigenvalues."""
    t, z = ops.schur(_complex(square_matrices("funm", a)))
    return array_of(t), array_of(z), array_of(matrices.diagonal(t))


@composed(loops=True)
def _of_values(t: Array, z: Array, values: Array) -> Array:
    """Return the function of `z t zᴴ` from its values on the diagonal of t."""
    values = values if values.dtype == t.dtype else ops.convert(values, dtype=t.dtype)
    t = _of_size_one(t)
    diagonal = matrices.on_diagonal(matrices.across(values, t), literal(0, t))

    def column(j: Array, f: Array) -> Array:
        # (T[:j, :j] - t[j] 1) F[:j, j] = F[:j, :j] T[:j, j] - f[j] T[:j, j], from T F = F T
        above = rows_before(column_of(t, j), j)
        known = plus_diagonal(leading(t, j), ops.negate(at_diagonal(t, j)))
        right = ops.subtract(
            matrices.matmul(leading(f, j), above), times(above, at_diagonal(diagonal, j))
        )
        return ops.add(solved(without_zeros(known), right), column_of(diagonal, j))

    f = by_columns(diagonal, column) if t.size else diagonal
    return matrices.matmul(matrices.matmul(z, f), matrices.adjoint(z))


def _of_size_one(t: Array) -> Array:
    """Matrices over about their greatest absolute value, so that no product of elements vanishes or overflows.

    `T F = F T` holds for them too. Powers of two keep the distances of eigenvalues, which may be a rounding error.
    """
    size = ops.reduce_maximum(ops.abs(t), axes=(t.ndim - 2, t.ndim - 1))
    bits = finfo(size.dtype).nexp
    size, one = ops.reduce_precision(size, exponent_bits=bits, mantissa_bits=0), literal(1, size)
    factor = ops.divide(one, size)
    usual = ops.compare(ops.multiply(size, factor), one, direction="eq")
    return _times_real(t, ops.select(usual, factor, one))


@composed(loops=True)
def _with_error(t: Array, z: Array, values: Array) -> tuple[Array, Array]:
    result = _of_values(t, z, values)
    return result, _error(t, result)


def _error(t: Array, result: Array) -> Array:
    """The rounding error, over the least distance of eigenvalues, times the norm of what is above the diagonal."""
    rank = t.ndim
    real = ops.abs(t)
    values = matrices.diagonal(t)
    apart = ops.abs(ops.subtract(matrices.across(values, t), matrices.down(values, t)))
    eps = literal(float(finfo(real.dtype).eps), real)
    some = ops.select(
        ops.compare(apart, literal(0, apart), direction="eq"), literal(np.inf, apart), apart
    )
    axes = (rank - 2, rank - 1)
    nearest = ops.reduce_minimum(some, axes=axes)
    sums = ops.reduce_add(matrices.upper(real, strictly=True), axes=(rank - 2,))
    size = ops.reduce_maximum(sums, axes=(rank - 2,))
    estimate = ops.maximum(eps, ops.multiply(ops.divide(eps, nearest), size))
    finite = ops.reduce_and(ops.is_finite(ops.abs(result)), axes=axes)
    bounded = ops.minimum(estimate, literal(1, estimate))
    return ops.select(finite, bounded, literal(np.inf, bounded))


@composed(loops=True)
def solve_sylvester(
    A: ArrayLike,  # noqa: N803 - SciPy's
    B: ArrayLike,  # noqa: N803 - SciPy's
    C: ArrayLike,  # noqa: N803 - SciPy's
    *,
    method: str = "schur",
    tol: float = 1e-8,
) -> Array:
    """Return the X for which `A X + X B = C`: by Schur's forms of A and B, or by their eigenvectors. On the CPU only.

    Args:
        A, B, C: [..., m, m], [..., n, n], [..., m, n].
        method: `schur` or `eigen`, which is less exact for matrices that are far from normal.
        tol: where an eigenvalue of A and one of B add up to less in modulus, the result is NaN.

    Raises:
        ShapeError: the shapes are others.
        ArgumentError: there is no such method.

    Example:
        >>> eye = np.eye(2, dtype=np.float32)
        >>> print(abs(solve_sylvester(eye, eye, 4 * eye)).round(3))
        [[2. 0.]
         [0. 2.]]

    Source: R. Bartels and G. Stewart, "Solution of the matrix equation AX + XB = C", CACM 15 (1972).
    """
    names("solve_sylvester", method=method)
    if method not in ("schur", "eigen"):
        raise ArgumentError(
            f"solve_sylvester: method is {shown(method)}", fix='use "schur" or "eigen"'
        )
    tol = real_number("solve_sylvester", "tol", tol)
    a, b, c = [array_of(x) for x in promote("solve_sylvester", A, B, C, inexact=True)]
    check_square("solve_sylvester", a)
    check_square("solve_sylvester", b)
    m, n = a.shape[-1], b.shape[-1]
    if c.ndim < 2 or c.shape[-2:] != (m, n):
        raise ShapeError(f"solve_sylvester: C has shape {c.shape}, but must have (..., {m}, {n})")
    batch = common_shape("solve_sylvester", [x.shape[:-2] for x in (a, b, c)])
    a, b, c = (broadcast_to_shape(x, (*batch, *x.shape[-2:])) for x in (a, b, c))
    if c.size == 0:
        return c
    x = _sylvester(_complex(a), _complex(b), _complex(c), tol, method)
    return x if dtypes.is_complex(c.dtype) else ops.real(x)


def _sylvester(a: Array, b: Array, c: Array, least: float = 0.0, method: str = "schur") -> Array:
    """Return the solution, whose derivatives of every order solve such equations; Schur's form has none of its own."""
    solve = _by_schur if method == "schur" else _by_eigenvectors

    def sums(x: Array) -> Array:
        return ops.add(matrices.matmul(a, x), matrices.matmul(x, b))

    def solution(_: object, c: Array) -> Array:
        return solve(a, b, c, least)

    def of_transposes(_: object, c: Array) -> Array:
        return solve(matrices.transposed(a), matrices.transposed(b), c, least)

    found: Array = custom_linear_solve(sums, c, solution, of_transposes)
    return found


def _regular(sums: Array, x: Array, least: float) -> Array:
    """Return the solutions, or NaN where two eigenvalues all but cancel."""
    sizes = ops.abs(sums)
    smallest = ops.reduce_minimum(sizes, axes=(sizes.ndim - 2, sizes.ndim - 1))
    good = ops.compare(smallest, literal(least, smallest), direction="ge")
    spread = ops.broadcast_in_dim(good, shape=x.shape, dimensions=tuple(range(x.ndim - 2)))
    return ops.select(spread, x, literal(complex(np.nan, np.nan), x))


def _sums(one: Array, other: Array, c: Array) -> Array:
    return ops.add(matrices.down(one, c), matrices.across(other, c))


def _by_schur(a: Array, b: Array, c: Array, least: float) -> Array:
    r, u = ops.schur(a)
    t, v = ops.schur(b)
    f = matrices.matmul(matrices.matmul(matrices.adjoint(u), c), v)
    start = ops.multiply(f, literal(0, f))

    def column(j: Array, y: Array) -> Array:
        # (R + t[j] 1) Y[:, j] = F[:, j] - Y[:, :j] T[:j, j]
        above = rows_before(column_of(t, j), j)
        right = ops.subtract(column_of(f, j), matrices.matmul(y, above))
        return solved(plus_diagonal(r, at_diagonal(t, j)), right)

    y = by_columns(start, column)
    x = matrices.matmul(matrices.matmul(u, y), matrices.adjoint(v))
    return _regular(_sums(matrices.diagonal(r), matrices.diagonal(t), c), x, least)


def _by_eigenvectors(a: Array, b: Array, c: Array, least: float) -> Array:
    r, u = ops.eig(a, compute_left=False)
    t, v = ops.eig(b, compute_left=False)
    f = eliminated(u, matrices.matmul(c, v))
    sums = _sums(r, t, c)
    # X = U Y V⁻¹, transposed to be a system: Vᵀ Xᵀ = (U Y)ᵀ
    right = matrices.matmul(u, ops.divide(f, sums))
    x = matrices.transposed(eliminated(matrices.transposed(v), matrices.transposed(right)))
    return _regular(sums, x, least)

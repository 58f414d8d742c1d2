"""Determinants: of up to three rows written out, else by elimination."""

from __future__ import annotations

from typing import TypeAlias

from treadle_autodiff import custom_jvp
from treadle_ir import ArgumentError, Array, ops
from treadle_ir.calling import composed, matrices
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import names, shown
from treadle_numpy.lax.linalg import in_lapack
from treadle_numpy.lax.linalg.elimination import factorised, solution
from treadle_numpy.numpy.linalg.operands import check_square
from treadle_numpy.numpy.linalg.results import SlogdetResult
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import inexact_operand
from treadle_numpy.operands.scalars import literal

__all__ = ["det", "slogdet"]

Pair: TypeAlias = tuple[Array, Array]
_WRITTEN_OUT = 3  # rows


@composed(loops=True, host=in_lapack.det)
def det(a: ArrayLike) -> Array:
    """Return the determinants of matrices.

    The first derivative is right for singular matrices too, as long as their rank is one less than full; the second
    needs a regular matrix of four rows or more.

    Raises:
        ShapeError: the last two axes are not square.
        DTypeError: the matrix is bf16 or f16 and has more than three rows.

    Example:
        >>> import numpy as np
        >>> print(f"{float(det(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32))):.3f}")
        -2.000
    """
    x = array_of(inexact_operand("det", a))
    check_square("_det", x)
    return _written_out(x) if x.shape[-1] <= _WRITTEN_OUT else _eliminated(x)


def _written_out(x: Array) -> Array:
    n, batch = x.shape[-1], x.shape[:-2]

    def at(i: int, j: int) -> Array:
        zero = (0,) * len(batch)
        part = ops.slice(
            x, start=(*zero, i, j), limit=(*batch, i + 1, j + 1), strides=(1,) * x.ndim
        )
        return ops.reshape(part, shape=batch)

    def minor(r: tuple[int, int], c: tuple[int, int]) -> Array:
        return ops.subtract(
            ops.multiply(at(r[0], c[0]), at(r[1], c[1])),
            ops.multiply(at(r[0], c[1]), at(r[1], c[0])),
        )

    if n == 0:
        return array_of(ops.broadcast_in_dim(literal(1, x), shape=batch, dimensions=()))
    if n == 1:
        return array_of(at(0, 0))
    if n == 2:
        return array_of(minor((0, 1), (0, 1)))
    terms = [
        ops.multiply(at(0, j), minor((1, 2), c)) for j, c in ((0, (1, 2)), (1, (0, 2)), (2, (0, 1)))
    ]
    return ops.add(ops.subtract(terms[0], terms[1]), terms[2])


def _sign(pivots: Array, x: Array) -> Array:
    """Return the sign of the permutation that exchanges make: one for each matrix."""
    axis = pivots.ndim - 1
    places = ops.iota(shape=pivots.shape, dimension=axis, dtype=pivots.dtype)
    exchanged = ops.convert(ops.compare(pivots, places, direction="ne"), dtype=pivots.dtype)
    odd = ops.and_(ops.reduce_add(exchanged, axes=(axis,)), literal(1, pivots))
    one, minus = literal(1, x), literal(-1, x)
    signs = ops.select(ops.compare(odd, literal(1, odd), direction="eq"), minus, one)
    return ops.broadcast_in_dim(signs, shape=odd.shape, dimensions=tuple(range(len(signs.shape))))


@custom_jvp
def _eliminated(a: Array) -> Array:
    lu, pivots, _ = ops.lu(a)
    diagonal = matrices.diagonal(lu)
    product = ops.reduce_multiply(diagonal, axes=(diagonal.ndim - 1,))
    return ops.multiply(_sign(pivots, a), product)


@_eliminated.defjvp
def _eliminated_jvp(primals: tuple[Array], tangents: tuple[Array]) -> Pair:
    """Jacobi's formula, `d det A = tr(adj(A) dA)`, where a zero that ends the diagonal of U does no harm.

    With `A = Pᵀ L U`, U of diagonal u, U' equal to U but for a 1 in the place of the last of u, and `C = L⁻¹ P dA`:
    adj(A) dA is `det(P) u[0] ... u[n-2] U'⁻¹` times C with all rows but the last multiplied by u[n-1].
    """
    (a,), (da,) = primals, tangents
    lu, pivots, permutation = ops.lu(a)
    n = a.shape[-1]
    diagonal = matrices.diagonal(lu)
    axis = diagonal.ndim - 1
    place = ops.iota(shape=diagonal.shape, dimension=axis, dtype=matrices.I32)
    ends = ops.compare(place, matrices.I32.type(n - 1), direction="eq")
    others = ops.select(ends, literal(1, a), diagonal)
    last = ops.reduce_add(ops.select(ends, diagonal, literal(0, a)), axes=(axis,))
    spread = ops.broadcast_in_dim(last, shape=diagonal.shape, dimensions=tuple(range(axis)))
    c = ops.triangular_solve(
        lu, matrices.rows_taken(da, permutation), lower=True, unit_diagonal=True
    )
    c = ops.multiply(c, matrices.down(ops.select(ends, literal(1, a), spread), c))
    unit = matrices.on_diagonal(matrices.across(others, lu), lu)
    adjugate = matrices.diagonal(ops.triangular_solve(unit, c, lower=False))
    scale = ops.multiply(_sign(pivots, a), ops.reduce_multiply(others, axes=(axis,)))
    return _eliminated(a), ops.multiply(scale, ops.reduce_add(adjugate, axes=(axis,)))


@composed(loops=True, host=in_lapack.slogdet)
def slogdet(a: ArrayLike, *, method: str | None = None) -> SlogdetResult:
    """Return the sign (or phase) of determinants, and the logarithm of their modulus.

    Args:
        a: [..., n, n].
        method: `lu` (None) or `qr`, by which factorisation.

    A singular matrix has sign 0 and logarithm -inf.

    Raises:
        ShapeError: the last two axes are not square.
        DTypeError: the matrix is bf16 or f16.
        ArgumentError: there is no such method.

    Example:
        >>> import numpy as np
        >>> sign, logarithm = slogdet(np.array([[0.0, 1.0], [1.0, 0.0]], np.float32))
        >>> print(sign, logarithm)
        -1.0 0.0
    """
    x = array_of(inexact_operand("slogdet", a))
    check_square("slogdet", x)
    names("slogdet", method=method)
    if method not in (None, "lu", "qr"):
        raise ArgumentError(
            f"slogdet: method is {shown(method)}", fix="use 'lu', which None is too, or 'qr'"
        )
    return SlogdetResult(*(_by_qr(x) if method == "qr" else _by_lu(x)))


def _parts(diagonal: Array) -> Pair:
    """Return the phase and the logarithm of the modulus of a product."""
    axes = (diagonal.ndim - 1,)
    phase = ops.reduce_multiply(ops.sign(diagonal), axes=axes)
    return phase, ops.reduce_add(ops.log(ops.abs(diagonal)), axes=axes)


@custom_jvp
def _by_lu(a: Array) -> Pair:
    lu, pivots, _ = ops.lu(a)
    diagonal = matrices.diagonal(lu)
    # Each exchange of rows changes one sign, whichever: here the sign of the pivot.
    places = ops.iota(shape=pivots.shape, dimension=pivots.ndim - 1, dtype=pivots.dtype)
    exchanged = ops.compare(pivots, places, direction="ne")
    return _parts(ops.select(exchanged, ops.negate(diagonal), diagonal))


@custom_jvp
def _by_qr(a: Array) -> Pair:
    form, taus = ops.qr_reflections(a)
    # A reflection has determinant 1 - tau |v|^2 = -tau / conj(tau); one with tau = 0 is the identity.
    axes = (taus.ndim - 1,)
    zero = literal(0, a)
    used = ops.compare(taus, zero, direction="ne")
    if is_complex(a.dtype):
        turns = ops.divide(taus, ops.select(used, ops.conjugate(taus), literal(1, a)))
        turns = ops.select(used, ops.negate(turns), literal(1, a))
    else:
        minus = ops.broadcast_in_dim(literal(-1, a), shape=taus.shape, dimensions=())
        turns = ops.select(used, minus, literal(1, a))
    phase, logarithm = _parts(matrices.diagonal(form))
    return ops.multiply(phase, ops.reduce_multiply(turns, axes=axes)), logarithm


def _logarithmic_jvp(parts: Pair, a: Array, da: Array) -> tuple[Pair, Pair]:
    """Compute `d log det A = tr(A⁻¹ dA)`: its real part belongs to the logarithm, its imaginary part to the angle."""
    sign, _ = parts
    quotient = matrices.diagonal(solution(a, factorised(a), da))
    trace = ops.reduce_add(quotient, axes=(quotient.ndim - 1,))
    if is_complex(a.dtype):
        return parts, (ops.multiply(sign, matrices.only_imaginary(trace)), ops.real(trace))
    zeros = ops.broadcast_in_dim(literal(0, a), shape=sign.shape, dimensions=())
    return parts, (zeros, trace)


@_by_lu.defjvp
def _by_lu_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Pair, Pair]:
    return _logarithmic_jvp(_by_lu(*primals), *primals, *tangents)


@_by_qr.defjvp
def _by_qr_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Pair, Pair]:
    return _logarithmic_jvp(_by_qr(*primals), *primals, *tangents)

"""NumPy kernels of Cholesky, LU and QR, and of Householder reflections."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from treadle_ir.primitives.linear_algebra import (
    Cholesky,
    HouseholderMultiply,
    HouseholderProduct,
    Lu,
    LuPivotsToPermutation,
    Qr,
    QrReflections,
)
from treadle_ir.reference.linear_algebra.matrices import adjoint, one_by_one
from treadle_ir.reference.registry import Elements, eval_rule


@eval_rule(Cholesky)
def cholesky_eval(primitive: Cholesky, a: Elements) -> list[Elements]:
    """NumPy's, with NaN where it refuses."""
    if a.size == 0:
        return [a]
    try:
        return [np.linalg.cholesky(a)]
    except np.linalg.LinAlgError:
        return one_by_one(_cholesky_or_nan, a)


def _cholesky_or_nan(a: Elements) -> list[Elements]:
    try:
        return [np.linalg.cholesky(a)]
    except np.linalg.LinAlgError:
        return [np.tril(np.full_like(a, np.nan))]


@eval_rule(Lu)
def lu_eval(primitive: Lu, a: Elements) -> list[Elements]:
    """Eliminate one column after the other, and update the rest of the matrix each time."""
    *batch, m, n = a.shape
    steps = min(m, n)
    x = np.array(a).reshape((math.prod(batch), m, n))
    pivots = np.zeros((x.shape[0], steps), np.int32)
    permutation = np.tile(np.arange(m, dtype=np.int32), (x.shape[0], 1))
    every = np.arange(x.shape[0])
    for i in range(steps if x.size else 0):
        column = x[:, i:, i]
        sizes = np.abs(column.real) + np.abs(column.imag) if np.iscomplexobj(x) else np.abs(column)
        pivot = pivots[:, i] = i + np.argmax(sizes, axis=1)
        for rows in (x, permutation):
            rows[every, i], rows[every, pivot] = rows[every, pivot], rows[every, i]
        divisor = x[:, i, i, None]
        x[:, i + 1 :, i] = np.divide(x[:, i + 1 :, i], np.where(divisor == 0, 1, divisor))
        x[:, i + 1 :, i + 1 :] -= x[:, i + 1 :, i, None] * x[:, i, None, i + 1 :]
    return [
        x.reshape(a.shape),
        pivots.reshape((*batch, steps)),
        permutation.reshape((*batch, m)),
    ]


@eval_rule(LuPivotsToPermutation)
def lu_pivots_to_permutation_eval(
    primitive: LuPivotsToPermutation, pivots: Elements
) -> list[Elements]:
    """Apply the exchanges, in order."""
    *batch, steps = pivots.shape
    size = primitive.permutation_size
    if not batch:
        order = list(range(size))
        for i, pivot in enumerate(np.clip(pivots, 0, max(0, size - 1)).tolist()):
            order[i], order[pivot] = order[pivot], order[i]
        return [np.array(order, pivots.dtype)]
    rows = np.tile(np.arange(size, dtype=pivots.dtype), (math.prod(batch), 1))
    flat = np.clip(pivots.reshape((math.prod(batch), steps)), 0, max(0, size - 1)).astype(np.intp)
    every = np.arange(rows.shape[0])
    for i in range(steps):
        rows[every, i], rows[every, flat[:, i]] = rows[every, flat[:, i]], rows[every, i]
    return [rows.reshape((*batch, size))]


@eval_rule(Qr)
def qr_eval(primitive: Qr, a: Elements) -> list[Elements]:
    """NumPy's; with pivoting, by reflections here."""
    if a.size == 0:
        return _empty_qr(primitive, a)
    if primitive.pivoting:
        return one_by_one(lambda each: _pivoted(each, primitive.full_matrices), a)
    return list(np.linalg.qr(a, "complete" if primitive.full_matrices else "reduced"))


@eval_rule(QrReflections)
def qr_reflections_eval(primitive: QrReflections, a: Elements) -> list[Elements]:
    """NumPy's, which has columns for rows."""
    if a.size == 0:
        return [a, np.zeros((*a.shape[:-2], min(a.shape[-2:])), a.dtype)]
    form, taus = np.linalg.qr(a, "raw")
    return [np.ascontiguousarray(np.swapaxes(form, -1, -2)), taus]


def _empty_qr(primitive: Qr, a: Elements) -> list[Elements]:
    *batch, m, n = a.shape
    k = m if primitive.full_matrices else min(m, n)
    q = np.broadcast_to(np.eye(m, k, dtype=a.dtype), (*batch, m, k))
    results = [q.copy(), np.zeros((*batch, k, n), a.dtype)]
    if primitive.pivoting:
        results.append(np.tile(np.arange(n, dtype=np.int32), (*batch, 1)))
    return results


def _pivoted(a: Elements, full_matrices: bool) -> list[Elements]:
    """The column of greatest norm first, at each step: G. Golub and C. Van Loan, Matrix Computations, 5.4.2."""
    x = np.array(a)
    m, n = x.shape
    order = np.arange(n, dtype=np.int32)
    taus = np.zeros(min(m, n), x.dtype)
    for i in range(min(m, n)):
        rest = x[i:, i:]
        pivot = i + int(np.argmax(np.linalg.norm(rest / _size(rest), axis=0)))
        x[:, [i, pivot]], order[[i, pivot]] = x[:, [pivot, i]], order[[pivot, i]]
        v, tau, beta = reflection(x[i:, i])
        x[i:, i + 1 :] -= np.conj(tau) * np.outer(v, v.conj() @ x[i:, i + 1 :])
        x[i:, i], taus[i] = np.concatenate([[beta], v[1:]]), tau
    k = m if full_matrices else min(m, n)
    columns = np.zeros((m, k), x.dtype)
    columns[:, : min(m, n)] = x[:, : min(m, n)]
    return [product(columns, taus), np.triu(x)[:k], order]


def _size(x: Elements) -> Elements:
    """Return the modulus of the greatest element: in its units squares neither overflow nor vanish.

    1 of zeros, and of what is not finite.
    """
    size: Elements = np.max(np.abs(x), initial=0)
    return size if 0 < size < np.inf else size.dtype.type(1)


def reflection(x: Elements) -> tuple[Elements, Elements, Elements]:
    """v with v[0] = 1, tau and a real beta such that `(1 - tau v vᴴ)ᴴ x` is beta in the first row, 0 below.

    Source: LAPACK's `larfg`.
    """
    size = _size(x)
    alpha, rest = x[0], np.linalg.norm(x[1:] / size) * size
    v = np.array(x)
    v[0] = 1
    if rest == 0 and alpha.imag == 0:
        return v, x.dtype.type(0), alpha
    beta = -np.copysign(np.hypot(np.abs(alpha), rest), alpha.real)
    v[1:] /= alpha - beta
    return v, x.dtype.type((beta - alpha) / beta), x.dtype.type(beta)


def _vectors(a: Elements, indices: Iterable[int]) -> Iterable[tuple[int, Elements]]:
    """Return the vectors of reflections, which are 1 on the diagonal and 0 above."""
    for i in indices:
        v = np.array(a[..., i])
        v[..., :i] = 0
        v[..., i] = 1
        yield i, v


def product(a: Elements, taus: Elements) -> Elements:
    """Return the first columns of the product of reflections, which are applied to the identity in reverse order."""
    m, n = a.shape[-2:]
    q = np.broadcast_to(np.eye(m, n, dtype=a.dtype), a.shape).copy()
    for i, v in _vectors(a, reversed(range(taus.shape[-1]))):
        q -= taus[..., i, None, None] * v[..., None] * np.matmul(v[..., None, :].conj(), q)
    return q


@eval_rule(HouseholderProduct)
def householder_product_eval(
    primitive: HouseholderProduct, a: Elements, taus: Elements
) -> list[Elements]:
    """Reflections of the identity."""
    return [product(a, taus)]


@eval_rule(HouseholderMultiply)
def householder_multiply_eval(
    primitive: HouseholderMultiply, a: Elements, taus: Elements, c: Elements
) -> list[Elements]:
    """One reflection after the other; c Q is (Qᴴ cᴴ)ᴴ."""
    x = np.array(c if primitive.left else adjoint(c))
    backwards = primitive.left != primitive.adjoint
    count = range(taus.shape[-1])
    factors = taus if backwards else taus.conj()
    for i, v in _vectors(a, reversed(count) if backwards else count):
        x -= factors[..., i, None, None] * v[..., None] * np.matmul(v[..., None, :].conj(), x)
    return [x if primitive.left else np.ascontiguousarray(adjoint(x))]

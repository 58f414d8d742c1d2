"""The NumPy kernel of Schur's form: Francis's QR iteration on Hessenberg's form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from treadle_ir.primitives.linear_algebra import Hessenberg, HouseholderProduct, Schur
from treadle_ir.reference.linear_algebra.condensed import hessenberg_eval
from treadle_ir.reference.linear_algebra.factorisations import householder_product_eval, reflection
from treadle_ir.reference.linear_algebra.matrices import one_by_one
from treadle_ir.reference.registry import Elements, eval_rule

_MOST: Final = 40  # iterations for each eigenvalue
_UNUSUAL: Final = 10  # every so often another shift, against cycles


@eval_rule(Schur)
def schur_eval(primitive: Schur, a: Elements) -> list[Elements]:
    """T and Z, or T alone."""
    if a.size == 0:
        return [a, a] if primitive.compute_vectors else [a]
    results = one_by_one(_schur, a)
    return results if primitive.compute_vectors else results[:1]


def _schur(a: Elements) -> Sequence[Elements]:
    n = a.shape[-1]
    nothing = np.full_like(a, np.nan)
    if not np.isfinite(a).all():
        return nothing, nothing
    size = np.max(np.abs(a))
    scale = a.real.dtype.type(2.0 ** (np.frexp(size)[1] - 1))  # squares neither overflow nor vanish
    form, taus = hessenberg_eval(Hessenberg(), a / scale)
    t, z = np.triu(form, -1), np.eye(n, dtype=a.dtype)
    if n > 1:
        below = np.tril(form[1:, :-1])
        (z[1:, 1:],) = householder_product_eval(HouseholderProduct(), below, taus)
    step = _complex_step if np.iscomplexobj(a) else _real_step
    last, tries = n - 1, 0
    while last > 0:
        first = _start(t, last)
        if first == last:
            last, tries = last - 1, 0
        elif first == last - 1 and not np.iscomplexobj(a):
            _standardise(t, z, first)
            last, tries = last - 2, 0
        else:
            tries += 1
            if tries > _MOST:
                return nothing, nothing
            step(t, z, first, last, unusual=tries % _UNUSUAL == 0)
    return t * scale, z


def _start(t: Elements, last: int) -> int:
    """Return the first row of the block that ends with row `last`; set the negligible element before it to zero."""
    eps = np.finfo(t.dtype).eps
    for i in range(last, 0, -1):
        size = np.abs(t[i, i]) + np.abs(t[i - 1, i - 1])
        if np.abs(t[i, i - 1]) <= eps * (size if size else np.linalg.norm(t)):
            t[i, i - 1] = 0
            return i
    return 0


def _apply(t: Elements, z: Elements, rows: slice, q: Elements) -> None:
    """Compute `t = qᴴ t q` and `z = z q`, with q in some rows and columns."""
    t[rows] = q.conj().T @ t[rows]
    t[:, rows] = t[:, rows] @ q
    z[:, rows] = z[:, rows] @ q


def _chase(t: Elements, z: Elements, first: int, last: int, start: Elements) -> None:
    """A reflection that begins with a vector, and those that restore Hessenberg's form.

    Source: G. Golub and C. Van Loan, Matrix Computations, 7.5.4 and 7.5.5.
    """
    width = len(start)
    vector = start
    for k in range(first, last):
        rows = slice(k, min(k + width, last + 1))
        v, tau, _ = reflection(vector[: rows.stop - k])
        _apply(t, z, rows, np.eye(len(v), dtype=t.dtype) - tau * np.outer(v, v.conj()))
        if k > first:
            t[k + 1 : rows.stop, k - 1] = 0
        vector = t[k + 1 : k + 1 + width, k].copy()


def _complex_step(t: Elements, z: Elements, first: int, last: int, unusual: bool) -> None:
    """One iteration with the eigenvalue of the last 2 by 2 block that is nearer to its last element."""
    (a, b), (c, d) = t[last - 1 : last + 1, last - 1 : last + 1]
    if unusual:
        shift = d + np.abs(c)
    else:
        half = (a - d) / 2
        root = np.sqrt(half * half + b * c)
        root = -root if (half.conjugate() * root).real > 0 else root
        shift = d + half + root
    _chase(t, z, first, last, np.array([t[first, first] - shift, t[first + 1, first]], t.dtype))


def _real_step(t: Elements, z: Elements, first: int, last: int, unusual: bool) -> None:
    """One iteration with both eigenvalues of the last 2 by 2 block, in real arithmetic."""
    (a, b), (c, d) = t[last - 1 : last + 1, last - 1 : last + 1]
    total, product = a + d, a * d - b * c
    if unusual:
        size = np.abs(c) + np.abs(t[last - 1, last - 2])
        total, product = d + d + 1.5 * size, (d + size) * d + size * size
    head = t[first : first + 3, first : first + 2]
    x = head[0, 0] * (head[0, 0] - total) + head[0, 1] * head[1, 0] + product
    y = head[1, 0] * (head[0, 0] + head[1, 1] - total)
    _chase(t, z, first, last, np.array([x, y, head[1, 0] * head[2, 1]], t.dtype))


def _standardise(t: Elements, z: Elements, i: int) -> None:
    """A 2 by 2 block made triangular if its eigenvalues are real, else with equal elements on its diagonal.

    Source: LAPACK's `lanv2`.
    """
    (a, b), (c, d) = t[i : i + 2, i : i + 2].astype(np.float64)
    half = (a - d) / 2
    discriminant = half * half + b * c
    if c == 0:
        return
    if discriminant >= 0:  # an eigenvector of the eigenvalue farther from d
        root = np.sqrt(discriminant)
        vector = np.array([half + np.copysign(root, half), c])
        vector = vector / np.hypot(*vector)
        q = np.array([[vector[0], -vector[1]], [vector[1], vector[0]]])
    else:  # the angle for which the diagonal elements are equal: tan(2 angle) = (d - a) / (b + c)
        angle = np.arctan2(d - a, b + c) / 2
        q = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    _apply(t, z, slice(i, i + 2), q.astype(t.dtype))
    if discriminant >= 0:
        t[i + 1, i] = 0
    else:
        t[i, i] = t[i + 1, i + 1] = (t[i, i] + t[i + 1, i + 1]) / 2

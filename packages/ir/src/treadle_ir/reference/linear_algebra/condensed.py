"""NumPy kernels of condensed forms: Householder's reflections, one column after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.primitives.linear_algebra import Hessenberg, Tridiagonal
from treadle_ir.reference.linear_algebra.factorisations import reflection
from treadle_ir.reference.linear_algebra.matrices import adjoint, one_by_one
from treadle_ir.reference.registry import Elements, eval_rule


@eval_rule(Hessenberg)
def hessenberg_eval(primitive: Hessenberg, a: Elements) -> list[Elements]:
    """Each column made zero from its third element on."""
    if a.size == 0:
        return [a, np.zeros((*a.shape[:-2], max(0, a.shape[-1] - 1)), a.dtype)]
    return one_by_one(_hessenberg, a)


def _hessenberg(a: Elements) -> Sequence[Elements]:
    x = np.array(a)
    n = x.shape[-1]
    taus = np.zeros(max(0, n - 1), x.dtype)
    for i in range(n - 1):
        v, tau, beta = reflection(x[i + 1 :, i])
        # (1 - tau v vᴴ)ᴴ x (1 - tau v vᴴ)
        x[i + 1 :, i + 1 :] -= np.conj(tau) * np.outer(v, v.conj() @ x[i + 1 :, i + 1 :])
        x[:, i + 1 :] -= tau * np.outer(x[:, i + 1 :] @ v, v.conj())
        x[i + 1 :, i], taus[i] = np.concatenate([[beta], v[1:]]), tau
    return x, taus


@eval_rule(Tridiagonal)
def tridiagonal_eval(primitive: Tridiagonal, a: Elements) -> list[Elements]:
    """Hessenberg's form of a Hermitian matrix; the upper triangle is the lower one, read from the last row on."""
    n = a.shape[-1]
    if a.size == 0:
        real = dtypes.real_part(a.dtype)
        off = (*a.shape[:-2], max(0, n - 1))
        shapes = (a.shape, a.dtype), (a.shape[:-1], real), (off, real), (off, a.dtype)
        return [np.zeros(shape, dtype) for shape, dtype in shapes]
    return one_by_one(_lower if primitive.lower else _upper, a)


def _lower(a: Elements) -> Sequence[Elements]:
    strictly = np.tril(a, -1)
    form, taus = _hessenberg(strictly + adjoint(strictly) + np.diag(np.diagonal(a).real))
    # The other triangle is not touched.
    return (
        np.tril(form) + np.triu(a, 1),
        np.diagonal(form).real,
        np.diagonal(form, -1).real,
        taus,
    )


def _upper(a: Elements) -> Sequence[Elements]:
    form, *diagonals = _lower(a[::-1, ::-1])
    return form[::-1, ::-1], *[each[::-1] for each in diagonals]

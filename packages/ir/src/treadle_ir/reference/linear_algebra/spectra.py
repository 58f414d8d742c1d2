"""NumPy kernels of eigenvalues and singular values: LAPACK, as NumPy has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.core.types import ArrayType
from treadle_ir.primitives.linear_algebra import Eig, Eigh, Svd
from treadle_ir.primitives.linear_algebra.matrices import complex_dtype
from treadle_ir.reference.linear_algebra.matrices import adjoint, or_nan
from treadle_ir.reference.registry import Elements, eval_rule


@eval_rule(Eigh)
def eigh_eval(primitive: Eigh, a: Elements) -> list[Elements]:
    """NumPy's; the other triangle may hold anything."""
    if a.size == 0:
        values = np.zeros(a.shape[:-1], dtypes.real_part(a.dtype))
        return [a, values] if primitive.compute_vectors else [values]
    triangle = np.tril(a) if primitive.lower else np.triu(a)
    letter: Literal["L", "U"] = "L" if primitive.lower else "U"

    def routine(x: Elements) -> Sequence[Elements]:
        if not primitive.compute_vectors:
            return [np.linalg.eigvalsh(x, letter)]
        values, vectors = np.linalg.eigh(x, letter)
        return vectors, values

    return or_nan(routine, triangle)


@eval_rule(Svd)
def svd_eval(primitive: Svd, a: Elements) -> list[Elements]:
    """NumPy's, whatever algorithm is named."""
    *batch, m, n = a.shape
    if a.size == 0:
        values = np.zeros((*batch, min(m, n)), dtypes.real_part(a.dtype))
        if not primitive.compute_uv:
            return [values]
        rows, columns = (m, n) if primitive.full_matrices else (min(m, n),) * 2
        u = np.broadcast_to(np.eye(m, rows, dtype=a.dtype), (*batch, m, rows))
        vh = np.broadcast_to(np.eye(columns, n, dtype=a.dtype), (*batch, columns, n))
        return [u.copy(), values, vh.copy()]
    if primitive.compute_uv:
        return or_nan(lambda x: np.linalg.svd(x, primitive.full_matrices), a)
    return or_nan(lambda x: [np.linalg.svd(x, compute_uv=False)], a)


@eval_rule(Eig)
def eig_eval(primitive: Eig, a: Elements) -> list[Elements]:
    """Compute NumPy's right eigenvectors; the left ones are the rows of their inverse."""
    dtype = complex_dtype(ArrayType(a.shape, a.dtype))
    if a.size == 0:
        vectors = [np.zeros(a.shape, dtype)] * (primitive.compute_left + primitive.compute_right)
        return [np.zeros(a.shape[:-1], dtype), *vectors]
    if not (primitive.compute_left or primitive.compute_right):
        return or_nan(lambda x: [np.linalg.eigvals(x).astype(dtype)], a)

    def routine(x: Elements) -> Sequence[Elements]:
        values, right = np.linalg.eig(x)
        left = [_left(right.astype(np.result_type(right, np.float64))).astype(dtype)]
        vectors = [*left * primitive.compute_left, *[right.astype(dtype)] * primitive.compute_right]
        return values.astype(dtype), *vectors

    return or_nan(routine, a)


def _left(right: Elements) -> Elements:
    """Return left eigenvectors from right ones: of norm 1, and with a positive component of greatest modulus.

    Of a defective matrix right eigenvectors all but agree, and rows of their inverse are large multiples of left ones;
    where they agree to the last bit, a change of that bit makes an inverse.
    """
    n = right.shape[-1]
    try:
        left = adjoint(np.linalg.inv(right))
    except np.linalg.LinAlgError:
        last = np.finfo(right.dtype).eps * np.arange(1, n + 1)
        left = adjoint(np.linalg.inv(right + np.diag(last).astype(right.dtype)))
    left = left / np.linalg.norm(left, axis=-2, keepdims=True)
    where = np.argmax(np.abs(left), axis=-2)[..., None, :]
    greatest = np.take_along_axis(left, where, -2)
    return np.asarray(left * (greatest.conj() / np.abs(greatest)))

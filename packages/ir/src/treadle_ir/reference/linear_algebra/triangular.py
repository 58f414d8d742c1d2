"""NumPy kernels of triangular and tridiagonal systems: substitution and elimination, row by row."""

from __future__ import annotations

import numpy as np

from treadle_ir.primitives.linear_algebra import TriangularSolve, TridiagonalSolve
from treadle_ir.reference.reduce import accumulator
from treadle_ir.reference.registry import Elements, eval_rule


@eval_rule(TriangularSolve)
def triangular_solve_eval(primitive: TriangularSolve, a: Elements, b: Elements) -> list[Elements]:
    """Reduce every case to a lower triangle on the left, and solve it by forward substitution."""
    dtype, working = b.dtype, accumulator(b.dtype)
    a, b = a.astype(working, copy=False), b.astype(working, copy=False)
    if primitive.conjugate_a and np.iscomplexobj(a):
        a = a.conj()
    swapped = primitive.transpose_a
    if not primitive.left_side:  # x a = b  <=>  aᵀ xᵀ = bᵀ
        swapped, b = not swapped, np.swapaxes(b, -1, -2)
    if swapped:
        a = np.swapaxes(a, -1, -2)
    lower = primitive.lower != swapped
    if not lower:  # the last row first
        a, b = a[..., ::-1, ::-1], b[..., ::-1, :]
    x = _forward(a, b, primitive.unit_diagonal)
    if not lower:
        x = x[..., ::-1, :]
    if not primitive.left_side:
        x = np.swapaxes(x, -1, -2)
    return [np.ascontiguousarray(x).astype(dtype, copy=False)]


def _forward(a: Elements, b: Elements, unit_diagonal: bool) -> Elements:
    x = np.array(b)
    for i in range(a.shape[-1]):
        row = x[..., i, :]
        if i:
            row = row - np.matmul(a[..., i, None, :i], x[..., :i, :])[..., 0, :]
        x[..., i, :] = row if unit_diagonal else row / a[..., i, i, None]
    return x


@eval_rule(TridiagonalSolve)
def tridiagonal_solve_eval(
    primitive: TridiagonalSolve, lower: Elements, diagonal: Elements, upper: Elements, b: Elements
) -> list[Elements]:
    """Eliminate with row interchanges: rows have up to three elements, from the diagonal on.

    Source: LAPACK's `gtsv`.
    """
    n = diagonal.shape[-1]
    if b.size == 0:
        return [b]
    first, second = np.array(diagonal), np.array(upper)
    third, x = np.zeros_like(diagonal), np.array(b)
    second[..., -1] = 0
    for i in range(n - 1):
        below = lower[..., i + 1]
        swap = np.abs(below) > np.abs(first[..., i])
        here = first[..., i], second[..., i], third[..., i], x[..., i, :]
        there = below, first[..., i + 1], second[..., i + 1], x[..., i + 1, :]
        kept = [_chosen(swap, t, h) for h, t in zip(here, there, strict=True)]
        other = [_chosen(swap, h, t) for h, t in zip(here, there, strict=True)]
        factor = np.where(other[0] == 0, 0, other[0] / kept[0]).astype(b.dtype)
        first[..., i], second[..., i], third[..., i], x[..., i, :] = kept
        first[..., i + 1] = other[1] - factor * kept[1]
        second[..., i + 1] = other[2] - factor * kept[2]
        x[..., i + 1, :] = other[3] - factor[..., None] * kept[3]
    if primitive.perturb_singular:
        first = _perturbed(
            first, np.maximum(np.maximum(np.abs(first), np.abs(second)), np.abs(third))
        )
    singular = (first == 0).any(-1)
    for i in reversed(range(n)):
        row = x[..., i, :]
        if i + 1 < n:
            row = row - second[..., i, None] * x[..., i + 1, :]
        if i + 2 < n:
            row = row - third[..., i, None] * x[..., i + 2, :]
        x[..., i, :] = row / first[..., i, None]
    return [np.where(singular[..., None, None], np.asarray(np.nan, b.dtype), x)]


def _chosen(condition: Elements, x: Elements, y: Elements) -> Elements:
    return np.where(condition.reshape(condition.shape + (1,) * (x.ndim - condition.ndim)), x, y)


def _perturbed(pivots: Elements, sizes: Elements) -> Elements:
    """Return pivots no smaller than the rounding error of the greatest element, nor than the least normal number."""
    limits = np.finfo(pivots.dtype)
    least = np.maximum(limits.eps * sizes.max(-1, keepdims=True), limits.tiny)
    sign = np.where(pivots == 0, 1, pivots / np.abs(pivots))
    return np.where(np.abs(pivots) < least, sign * least, pivots).astype(pivots.dtype)

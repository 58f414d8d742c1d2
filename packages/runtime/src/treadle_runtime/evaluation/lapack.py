"""Linear algebra of single small matrices by LAPACK, through SciPy's wrappers: one call, without launching XLA.

jaxlib uses the LAPACK of SciPy, so SciPy is installed; the first of these kernels imports it. NumPy's functions call
LAPACK too, but with an overhead of 5 to 10 microseconds, and NumPy does not wrap half of the routines.

A kernel supports one matrix with 1 to `MOST` elements. Matrices that LAPACK refuses, and matrices that are not finite,
on which some routines may not terminate, go to the reference kernel. Results may be column-major.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np

from treadle_ir import ArrayType, Primitive, eval_rules
from treadle_ir.errors import import_module
from treadle_ir.primitives import linear_algebra as la
from treadle_runtime.evaluation.host_kernels import HostKernel, host_kernel_of

MOST: Final = 1 << 14  # elements of a matrix: 128 rows
_LETTERS: Final = {"f": "s", "d": "d", "F": "c", "D": "z"}
_MOST_UNDIVIDED: Final = dict.fromkeys("fF", 2.0**80) | dict.fromkeys("dD", 2.0**918)  # squares
_WORK: Final = 64  # columns of the workspace of routines without a size query


P = TypeVar("P", bound=Primitive)
_Maker: TypeAlias = Callable[[P, Sequence[ArrayType]], HostKernel]


def _lapack_kernel(primitive: type[P], *, least: int = 1) -> Callable[[_Maker[P]], _Maker[P]]:
    """Register the maker of a primitive's kernel, which is called if LAPACK supports the operands."""

    def register(maker: _Maker[P]) -> _Maker[P]:
        @host_kernel_of(primitive)
        def made(primitive: P, operands: Sequence[ArrayType]) -> HostKernel | None:
            return maker(primitive, operands) if _serves(operands, least) else None

        return maker

    return register


def _serves(operands: Sequence[ArrayType], least: int = 1) -> bool:
    """Return whether the operands are single matrices, or vectors, of a dtype that LAPACK supports."""
    fit = [x.dtype.char in _LETTERS and 0 < x.size <= MOST and x.ndim <= 2 for x in operands]
    return all(fit) and operands[0].shape[0] >= least


# Any: SciPy ships no types for these wrappers.
def _routine(name: str, operand: ArrayType, module: str = "lapack") -> Any:
    """Return the routine `name` for the dtype of `operand`."""
    return getattr(import_module(f"scipy.linalg.{module}"), f"{_LETTERS[operand.dtype.char]}{name}")


def _is_real(operand: ArrayType) -> bool:
    return operand.dtype.char in "fd"


def _otherwise(primitive: Primitive) -> Callable[..., Any]:
    """Return the reference kernel of a primitive, as a host kernel."""
    rule = eval_rules[primitive]

    def run(*operands: Any) -> Any:
        results = rule(primitive, *operands)
        return results[0] if len(results) == 1 else results

    return run


def _is_finite(a: Any) -> bool:
    """Return whether all elements are finite; False also for some matrices with very large elements."""
    square = np.vdot(a, a)
    return bool(square - square == 0)


def _outside(m: int, n: int, *, lower: bool = False, strictly: bool = False) -> Any:
    """Return a mask of the elements of an m by n matrix above its diagonal, or below it if `lower`."""
    triangle = np.tri(m, n, 0 if strictly else -1, dtype=np.bool_)
    return ~triangle if lower else triangle


@_lapack_kernel(la.Cholesky)
def cholesky(primitive: la.Cholesky, operands: Sequence[ArrayType]) -> HostKernel:
    """`potrf`."""
    potrf, otherwise = _routine("potrf", operands[0]), _otherwise(primitive)

    def run(a: Any) -> Any:
        factor, info = potrf(a, 1, 1)
        return otherwise(a) if info else factor

    return run


@_lapack_kernel(la.Lu)
def lu(primitive: la.Lu, operands: Sequence[ArrayType]) -> HostKernel:
    """`getrf`; exact zeros on the diagonal of U are not a failure."""
    getrf = _routine("getrf", operands[0])
    rows, array, i32 = range(operands[0].shape[0]), np.array, np.int32

    def run(a: Any) -> Any:
        factors, pivots, _ = getrf(a)
        order = list(rows)
        for i, pivot in enumerate(pivots.tolist()):
            if i != pivot:
                order[i], order[pivot] = order[pivot], order[i]
        return factors, pivots, array(order, i32)

    return run


@_lapack_kernel(la.TriangularSolve)
def triangular_solve(primitive: la.TriangularSolve, operands: Sequence[ArrayType]) -> HostKernel:
    """`trsm`, which divides by the diagonal elements, zero or not.

    With a row-major matrix it solves the transposed system, so that nothing has to be copied to column-major order.
    """
    trsm, one = _routine("trsm", operands[0], "blas"), 1.0
    conjugates = primitive.conjugate_a and not _is_real(operands[0])
    left, lower, unit = primitive.left_side, primitive.lower, primitive.unit_diagonal
    conjugates_only = conjugates and not primitive.transpose_a
    operation = 0 if not primitive.transpose_a else 2 if conjugates else 1

    def run(a: Any, b: Any) -> Any:
        if conjugates_only:
            a = a.conj()
        if a.flags.c_contiguous:
            return trsm(one, a.T, b.T, left, not lower, operation, unit).T
        return trsm(one, a, b, not left, lower, operation, unit)

    return run


@host_kernel_of(la.TridiagonalSolve)
def tridiagonal_solve(
    primitive: la.TridiagonalSolve, operands: Sequence[ArrayType]
) -> HostKernel | None:
    """`gtsv`."""
    if not _serves(operands, least=2) or primitive.perturb_singular:
        return None
    gtsv, otherwise = _routine("gtsv", operands[0]), _otherwise(primitive)

    def run(lower: Any, diagonal: Any, upper: Any, b: Any) -> Any:
        *_, x, info = gtsv(lower[1:], diagonal, upper[:-1], b)
        return otherwise(lower, diagonal, upper, b) if info else x

    return run


@_lapack_kernel(la.Qr)
def qr(primitive: la.Qr, operands: Sequence[ArrayType]) -> HostKernel:
    """`geqrf` and `orgqr`, or `geqp3` and `orgqr`."""
    (a,) = operands
    m, n = a.shape
    orgqr = _routine("orgqr" if _is_real(a) else "ungqr", a)
    geqrf, geqp3 = _routine("geqrf", a), _routine("geqp3", a)
    k = m if primitive.full_matrices else min(m, n)
    outside, zero, where, empty = _outside(k, n), a.dtype.type(0), np.where, np.empty

    def of_form(form: Any, taus: Any) -> tuple[Any, Any]:
        columns = form
        if k < n:
            columns = form[:, :k]
        elif k > n:
            columns = empty((m, k), form.dtype, "F")
            columns[:, :n] = form
        return orgqr(columns, taus)[0], where(outside, zero, form[:k])

    def run(a: Any) -> Any:
        form, taus, _, _ = geqrf(a)
        return of_form(form, taus)

    def run_pivoted(a: Any) -> Any:
        form, order, taus, _, _ = geqp3(a)
        return *of_form(form, taus), order - np.int32(1)

    return run_pivoted if primitive.pivoting else run


@_lapack_kernel(la.QrReflections)
def qr_reflections(primitive: la.QrReflections, operands: Sequence[ArrayType]) -> HostKernel:
    """`geqrf`."""
    geqrf = _routine("geqrf", operands[0])
    return lambda a: geqrf(a)[:2]


@_lapack_kernel(la.HouseholderProduct)
def householder_product(
    primitive: la.HouseholderProduct, operands: Sequence[ArrayType]
) -> HostKernel:
    """`orgqr`, or `ungqr`."""
    orgqr = _routine("orgqr" if _is_real(operands[0]) else "ungqr", operands[0])
    return lambda a, taus: orgqr(a, taus)[0]


@_lapack_kernel(la.HouseholderMultiply)
def householder_multiply(
    primitive: la.HouseholderMultiply, operands: Sequence[ArrayType]
) -> HostKernel:
    """`ormqr`, or `unmqr`."""
    a, taus, c = operands
    ormqr = _routine("ormqr" if _is_real(a) else "unmqr", a)
    side, operation = "L" if primitive.left else "R", "N"
    if primitive.adjoint:
        operation = "T" if _is_real(a) else "C"
    count, work = taus.shape[0], _WORK * max(c.shape)
    return lambda a, taus, c: ormqr(side, operation, a[:, :count], taus, c, work)[0]


@_lapack_kernel(la.Hessenberg, least=2)
def hessenberg(primitive: la.Hessenberg, operands: Sequence[ArrayType]) -> HostKernel:
    """`gehrd`."""
    gehrd = _routine("gehrd", operands[0])
    return lambda a: gehrd(a)[:2]


@_lapack_kernel(la.Tridiagonal, least=2)
def tridiagonal(primitive: la.Tridiagonal, operands: Sequence[ArrayType]) -> HostKernel:
    """`sytrd`, or `hetrd`."""
    sytrd = _routine("sytrd" if _is_real(operands[0]) else "hetrd", operands[0])
    lower = primitive.lower
    return lambda a: sytrd(a, lower)[:4]


@_lapack_kernel(la.Schur)
def schur(primitive: la.Schur, operands: Sequence[ArrayType]) -> HostKernel:
    """`gees`."""
    gees, otherwise = _routine("gees", operands[0]), _otherwise(primitive)
    vectors = primitive.compute_vectors

    def run(a: Any) -> Any:
        if not _is_finite(a):
            return otherwise(a)
        t, *_, z, _, info = gees(_unsorted, a, vectors)
        if info:
            return otherwise(a)
        return (t, z) if vectors else t

    return run


def _unsorted(*eigenvalue: Any) -> None:
    """Accept an eigenvalue; `gees` requires a function for sorting, and does not call it without sorting."""


@_lapack_kernel(la.Eigh)
def eigh(primitive: la.Eigh, operands: Sequence[ArrayType]) -> HostKernel:
    """`syevd`, or `heevd`."""
    syevd = _routine("syevd" if _is_real(operands[0]) else "heevd", operands[0])
    otherwise, lower, computes = _otherwise(primitive), primitive.lower, primitive.compute_vectors

    def run(a: Any) -> Any:
        if not _is_finite(a):
            return otherwise(a)
        values, vectors, info = syevd(a, computes, lower)
        if info:
            return otherwise(a)
        return (vectors, values) if computes else values

    return run


@host_kernel_of(la.Svd)
def svd(primitive: la.Svd, operands: Sequence[ArrayType]) -> HostKernel | None:
    """`gesdd`, or `gesvd` for the algorithm `qr`.

    Raises:
        MissingRuleError: the algorithm is available on accelerators only.
    """
    primitive.check_platform("cpu")
    if not _serves(operands):
        return None
    gesdd = _routine("gesvd" if primitive.algorithm == "qr" else "gesdd", operands[0])
    otherwise, vectors, full = _otherwise(primitive), primitive.compute_uv, primitive.full_matrices

    def run(a: Any) -> Any:
        if not _is_finite(a):
            return otherwise(a)
        u, s, vh, info = gesdd(a, vectors, full)
        if info:
            return otherwise(a)
        return (u, s, vh) if vectors else s

    return run


def _undivided(a: Any) -> bool:
    """Return whether a matrix is finite, and `geev` does not rescale it, since its norm is neither huge nor tiny.

    Some builds of `geev`, such as SciPy 1.17's, do not scale the eigenvalues of rescaled matrices back.
    """
    most = _MOST_UNDIVIDED[a.dtype.char]
    return bool(MOST / most < np.vdot(a, a).real < most)


@_lapack_kernel(la.Eig)
def eig(primitive: la.Eig, operands: Sequence[ArrayType]) -> HostKernel:
    """`geev`."""
    geev, otherwise = _routine("geev", operands[0]), _otherwise(primitive)
    left, right = primitive.compute_left, primitive.compute_right
    dtype = np.result_type(operands[0].dtype, np.complex64)

    def run(a: Any) -> Any:
        if not _undivided(a):
            return otherwise(a)
        values, u, v, info = geev(a, left, right)
        if info:
            return otherwise(a)
        return (values, *[u] * left, *[v] * right) if left or right else values

    def run_real(a: Any) -> Any:
        if not _undivided(a):
            return otherwise(a)
        real, imaginary, u, v, info = geev(a, left, right)
        if info:
            return otherwise(a)
        values = real.astype(dtype)
        pairs = [j for j, each in enumerate(imaginary.tolist()) if each > 0]
        if pairs:
            values.imag = imaginary
        vectors = [_complex(x, pairs, dtype) for x in (*[u] * left, *[v] * right)]
        return (values, *vectors) if vectors else values

    return run_real if _is_real(operands[0]) else run


def _complex(vectors: Any, pairs: Sequence[int], dtype: Any) -> Any:
    """Return complex eigenvectors; LAPACK stores a conjugate pair as a real and an imaginary column."""
    result = vectors.astype(dtype)
    for j in pairs:
        result[:, j].imag = vectors[:, j + 1]
        result[:, j + 1] = result[:, j].conj()
    return result

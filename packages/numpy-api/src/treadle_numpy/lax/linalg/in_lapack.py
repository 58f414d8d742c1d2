"""Host functions of linear algebra: one LAPACK routine instead of several operations, on single matrices.

Without jit the evaluator calls them instead of the functions' operations, from the first call on, so that their last
bits are always the same. The routines are those that functions of NumPy and SciPy wrap. There are none where
they are not found, and what they do not solve is left to the operations, which say what becomes of it
(decisions/0094-counterparts-in-lapack.md).
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from operator import ne
from typing import Any, Final

import numpy as np

from treadle_ir import ArrayType
from treadle_ir.calling import HostFunction
from treadle_ir.core import canonical_dtype
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.errors import module_or_none

# Elements of a matrix: of more XLA starts as fast a routine, and Python goes on.
MOST: Final = 1 << 14
_LETTERS: Final = {"f": "s", "d": "d", "F": "c", "D": "z"}
_FEW: Final = 1 << 10  # elements up to which one decomposition is the fastest way
_SQUARINGS: Final = 8  # of exponentials whose last bits are LAPACK's
_WRITTEN_OUT: Final = 3  # rows of determinants that need no elimination
# Where SciPy has its square root of matrices; the first from 1.18 on.
_ROOTS: Final = ("scipy.linalg._internal_matfuncs", "scipy.linalg._matfuncs_schur_sqrtm")
# Any: arrays of any element type.
_Elements = np.ndarray[Any, Any]


def _serves(types: Sequence[ArrayType], most: int | None = MOST) -> bool:
    """Return whether the operands are single matrices of one type that LAPACK has."""
    return all(
        [
            x.ndim == 2
            and x.size > 0
            and (most is None or x.size <= most)
            and x.dtype == types[0].dtype
            and x.dtype.char in _LETTERS
            for x in types
        ]
    )


# Any: neither library has types for its routines.
def _of_numpy(name: str) -> Any:
    """Return a routine of the module that `numpy.linalg` wraps, or None."""
    return getattr(module_or_none("numpy.linalg._umath_linalg"), name, None)


def _of_scipy(name: str, type: ArrayType) -> Any:
    """Return a routine of LAPACK, or None."""
    return getattr(
        module_or_none("scipy.linalg.lapack"), f"{_LETTERS[type.dtype.char]}{name}", None
    )


def _is_finite(x: _Elements) -> bool:
    """Return whether all elements are finite; False also for some that are very large."""
    flat = x.ravel()
    return cmath.isfinite(flat.dot(flat))


def _if_solved(x: _Elements) -> list[_Elements] | None:
    """Return the result of a NumPy routine; None if it is NaN, which means that LAPACK failed."""
    first = x.item(0)
    return [x] if first == first else None


def slogdet(types: Sequence[ArrayType]) -> HostFunction | None:
    """NumPy's; a logarithm that is not finite is left to the operations."""
    routine = _of_numpy("slogdet")
    if routine is None or not _serves(types):
        return None

    def run(a: _Elements) -> list[_Elements] | None:
        sign, logarithm = routine(a)
        return [np.asarray(sign), np.asarray(logarithm)] if math.isfinite(logarithm) else None

    return run


def det(types: Sequence[ArrayType]) -> HostFunction | None:
    """Return the product of the diagonal of `getrf`: NumPy's adds logarithms. Of few rows, the formula.

    SciPy has that as one routine, of rows in C's order, which are LAPACK's columns; a zero of it has no sign.
    """
    if not _serves(types):
        return None
    if types[0].shape[0] <= _WRITTEN_OUT:
        dtype = types[0].dtype
        return lambda a: [np.array(_written_out(a.tolist()), dtype)]
    getrf = _of_scipy("getrf", types[0])
    if getrf is None:
        return None
    dtype, places = types[0].dtype, range(types[0].shape[0])
    product = getattr(
        module_or_none("scipy.linalg._cythonized_array_utils"), "find_det_from_lu", None
    )
    in_order = np.ascontiguousarray

    def run(a: _Elements) -> list[_Elements]:
        if product is not None:
            value = product(in_order(a.T))
            if value:
                return [np.array(value, dtype)]
        factors, pivots, _ = getrf(a)
        value = math.prod(factors.diagonal().tolist())
        swaps = sum(map(ne, pivots.tolist(), places))
        return [np.array(-value if swaps & 1 else value, dtype)]

    return run


# Any: floats or complex numbers.
def _written_out(rows: list[list[Any]]) -> Any:
    """Return the determinant of up to three rows, in double precision."""
    if len(rows) == 1:
        return rows[0][0]
    if len(rows) == 2:
        (a, b), (c, d) = rows
        return a * d - b * c
    (a, b, c), (d, e, f), (g, h, i) = rows
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def solve(types: Sequence[ArrayType]) -> HostFunction | None:
    """NumPy's, of matrices on the right."""
    routine = _of_numpy("solve")
    if routine is None or not _serves(types):
        return None
    return lambda a, b: _if_solved(routine(a, b))


def inv(types: Sequence[ArrayType]) -> HostFunction | None:
    """NumPy's."""
    routine = _of_numpy("inv")
    if routine is None or not _serves(types):
        return None
    return lambda a: _if_solved(routine(a))


def lstsq(types: Sequence[ArrayType]) -> HostFunction | None:
    """NumPy's; the residuals are what is left of `b`. A matrix of zeros, and no solution, are for the operations."""
    if len(types) != 2:  # `rcond` is an array
        return None
    matrix, right = types
    routine = _of_numpy("lstsq") if _serves((matrix,), _FEW) and right.size > 0 else None
    if routine is None or right.dtype != matrix.dtype:
        return None
    is_vector, ones = right.ndim == 1, np.ones(matrix.shape[0], matrix.dtype.char.lower())
    cut = np.array(max(matrix.shape) * np.finfo(matrix.dtype).eps, ones.dtype)
    whole = canonical_dtype(BY_NAME["i64"])

    def run(a: _Elements, b: _Elements) -> list[_Elements] | None:
        columns = b[:, None] if is_vector else b
        x, _, rank, lengths = routine(a, columns, cut)
        if not lengths.item(0) > 0.0:
            return None
        rest = abs(columns - a.dot(x))
        rest *= rest
        return [x[:, 0] if is_vector else x, ones.dot(rest), np.asarray(rank, whole), lengths]

    return run


def eigvalsh(types: Sequence[ArrayType]) -> HostFunction | None:
    """`syevd`, or `heevd`, of any size: with the workspace for blocks, which XLA's call of it does not have."""
    if not _serves(types, None):
        return None
    (x,) = types
    is_real = x.dtype.kind == "f"
    name = "syevd" if is_real else "heevd"
    routine, asked = _of_scipy(name, x), _of_scipy(f"{name}_lwork", x)
    if routine is None:
        return None
    *sizes, _ = asked(x.shape[0], 0, 1)
    work = [int(size.real) for size in sizes]
    conjugate, multiply, half = np.conjugate, np.multiply, np.array(0.5, x.dtype.char.lower())

    def run(a: _Elements) -> list[_Elements] | None:
        twice = a.T.copy()  # in rows, so that the sum goes straight through
        if not is_real:
            conjugate(twice, twice)
        twice += a
        if not _is_finite(twice):
            return None
        values, _, info = routine(twice.T, 0, 1, *work, 1)  # in the place of its operand
        return None if info else [multiply(values, half, values)]

    return run


def polar(types: Sequence[ArrayType]) -> HostFunction | None:
    """U and H of few elements by `gesdd`: U has no part in the directions that have no length, as by iterations."""
    (x,) = types
    gesdd = _of_scipy("gesdd", x) if _serves(types, _FEW) and x.shape[0] >= x.shape[1] else None
    if gesdd is None:
        return None

    def run(a: _Elements) -> list[_Elements] | None:
        if not _is_finite(a):
            return None
        left, lengths, right, info = gesdd(a, 1, 0)
        if info:
            return None
        u = (left * np.sign(lengths)).dot(right)
        h = u.T.conj().dot(a)
        h += h.T.conj()
        h *= 0.5
        return [u, h]

    return run


def lu(types: Sequence[ArrayType]) -> HostFunction | None:
    """`getrf`, of which L and U are copies of the triangles."""
    getrf = _of_scipy("getrf", types[0]) if _serves(types) else None
    if getrf is None:
        return None
    (m, n), dtype, real = types[0].shape, types[0].dtype, types[0].dtype.char.lower()
    k, places = min(m, n), np.arange(m)
    unit = np.eye(m, k, dtype=dtype)
    # In columns, as the factors lie.
    below = np.asfortranarray(np.tri(m, k, -1, np.bool_))
    above = np.asfortranarray(~np.tri(k, n, -1, np.bool_))

    def run(a: _Elements) -> list[_Elements]:
        factors, pivots, _ = getrf(a)
        order = list(range(m))
        for i, pivot in enumerate(pivots.tolist()):
            order[i], order[pivot] = order[pivot], order[i]
        p, low, high = np.zeros((m, m), real), unit.copy("F"), np.zeros((k, n), dtype, "F")
        p[order, places] = 1
        np.copyto(low, factors[:, :k], where=below)
        np.copyto(high, factors[:k], where=above)
        return [p, low, high]

    return run


def lu_factor(types: Sequence[ArrayType]) -> HostFunction | None:
    """`getrf`, of any size: the factors stay in columns, as LAPACK leaves them."""
    getrf = _of_scipy("getrf", types[0]) if _serves(types, None) else None
    return None if getrf is None else lambda a: getrf(a)[:2]


def hessenberg(types: Sequence[ArrayType]) -> HostFunction | None:
    """`gehrd`, of which H is the upper part."""
    if not _serves(types) or types[0].shape[0] < 2:
        return None
    gehrd, n, dtype = _of_scipy("gehrd", types[0]), types[0].shape[0], types[0].dtype
    if gehrd is None:
        return None
    kept = np.asfortranarray(~np.tri(n, n, -2, np.bool_))

    def run(a: _Elements) -> list[_Elements]:
        h = np.zeros((n, n), dtype, "F")
        np.copyto(h, gehrd(a)[0], where=kept)
        return [h]

    return run


def sqrtm(types: Sequence[ArrayType]) -> HostFunction | None:
    """Wrap SciPy's `sqrtm`, for any size: singular matrices, of which it would warn, are left to the operations.

    So are matrices whose squares almost vanish, for which it is wrong in the first digit.
    """
    root = getattr(module_or_none(*_ROOTS), "recursive_schur_sqrtm", None)
    if root is None or not _serves(types, None):
        return None
    dtype = np.result_type(types[0].dtype, np.complex64)
    least = 2.0**-110 if types[0].dtype.char in "fF" else 2.0**-960

    def run(a: _Elements) -> list[_Elements] | None:
        if not _is_finite(a) or np.vdot(a, a).real < least:
            return None
        found, _, singular, info = root(a)
        return None if singular or info else [np.asarray(found, dtype)]

    return run


# Any: a routine of SciPy's, which has no types.
def _exponential() -> Any:
    """Return the exponential of a matrix, by the routines that SciPy's wraps; None where they are not found."""
    whole = getattr(module_or_none("scipy.linalg._internal_matfuncs"), "matrix_exponential", None)
    if whole is not None:  # from SciPy 1.18 on

        def at_once(powers: _Elements) -> _Elements | None:
            a = powers[0]
            if not np.abs(a).sum(axis=0).max() < 1 << _SQUARINGS:
                return None
            result, info = whole(a)
            return None if info or not _is_finite(result) else np.array(result)

        return at_once
    module = module_or_none("scipy.linalg._matfuncs_expm")
    choose = getattr(module, "pick_pade_structure", None)
    approximate = getattr(module, "pade_UV_calc", None)
    if choose is None or approximate is None:
        return None

    def run(powers: _Elements) -> _Elements | None:
        """Of the first of five matrices, which are written over."""
        order, squarings = choose(powers)
        if order < 0 or squarings > _SQUARINGS or approximate(powers, order):
            return None
        result: _Elements = powers[0].copy()
        for _ in range(squarings):
            result = result.dot(result)
        return result if _is_finite(result) else None

    return run


def expm(types: Sequence[ArrayType]) -> HostFunction | None:
    """Wrap SciPy's `expm`, for few elements in single precision: in double the operations are more exact."""
    exponential = _exponential() if _serves(types, _FEW) else None
    (x,) = types
    if exponential is None or x.dtype.char not in "fF" or x.shape[0] != x.shape[1]:
        return None
    shape, dtype, empty = (5, *x.shape), x.dtype, np.empty

    def run(a: _Elements) -> list[_Elements] | None:
        powers = empty(shape, dtype)
        powers[0] = a
        result = exponential(powers)
        return None if result is None else [result]

    return run

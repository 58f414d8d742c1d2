"""Linear algebra solves the equations that define it: the reference, eager calls and compiled code, on drawn matrices.

The laws compare residuals, not a second implementation: orthogonality, and the shapes of factors, each in units of
the element type's rounding error times the sizes of what was multiplied.

Source: N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, on backward errors: 9.3 (LU), 10.1
(Cholesky), 19.3 (QR).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import pytest
from hypothesis import given, strategies as st

from conformance.cases import examples
from conformance.platform import PLATFORM, what_the_platform_has
from conformance.strategies import drawings
from conformance.variants import variant_keys, variants
from conformance.xla_runner import run_text
from treadle_autodiff import jvp
from treadle_compiler import lower_program
from treadle_compiler.xla import register_calls
from treadle_ir import ArrayType, Primitive, ReferenceEvaluator, bind, evaluating, stage
from treadle_ir.core import LinearAlgebra
from treadle_ir.primitives import linear_algebra as la
from treadle_ir.testing.compare import epsilon
from treadle_ir.testing.examples import Example
from treadle_runtime import RuntimeEvaluator

Matrix: TypeAlias = np.ndarray[Any, Any]
Law: TypeAlias = Callable[[Any, Sequence[Matrix], Sequence[Matrix]], None]
LAWS: Final[dict[type[Primitive], Law]] = {}
MOST: Final = 40.0  # rounding errors, for each row and column


def law_of(cls: type[Primitive]) -> Callable[[Law], Law]:
    def enter(law: Law) -> Law:
        LAWS[cls] = law
        return law

    return enter


def adjoint(x: Matrix) -> Matrix:
    return np.swapaxes(x, -1, -2).conj()


def wide(x: Matrix) -> Matrix:
    return x.astype(np.complex128) if x.dtype.kind in "fcV" else x


def size(*factors: Matrix) -> float:
    """The product of the norms of some matrices."""
    product = 1.0
    for x in factors:
        product *= float(np.max(np.linalg.norm(x, axis=(-2, -1)), initial=1.0))
    return product


def near(x: Matrix, y: Matrix, scale: float, dtype: Any, rows: int, what: str) -> None:
    """Two arrays differ by rounding errors."""
    assert x.shape == y.shape, f"{what}: {x.shape}, {y.shape}"
    apart = float(np.max(np.abs(x - y), initial=0.0)) / (max(scale, 1e-300) * epsilon(dtype))
    assert apart <= MOST * (1 + rows), f"{what}: {apart} rounding errors\n{x}\n{y}"


def unitary(q: Matrix, dtype: Any, what: str) -> None:
    """Columns are orthonormal."""
    n = q.shape[-1]
    product = adjoint(q) @ q
    near(product, np.broadcast_to(np.eye(n), product.shape), 1.0, dtype, q.shape[-2], what)


def is_upper(x: Matrix) -> bool:
    return bool(np.all(np.tril(x, -1) == 0)) if x.size else True


@law_of(la.Cholesky)
def _cholesky(
    primitive: la.Cholesky, operands: Sequence[Matrix], results: Sequence[Matrix]
) -> None:
    (a,), (factor,) = operands, results
    assert is_upper(adjoint(factor))
    low = np.tril(wide(a), -1)
    hermitian = low + adjoint(low) + np.real(np.tril(np.triu(wide(a))))
    good = np.isfinite(factor).all((-2, -1))
    if a.size:
        definite = np.linalg.eigvalsh(hermitian).min(-1)
        limit = 100 * epsilon(a.dtype) * np.linalg.norm(hermitian, axis=(-2, -1))
        assert np.all(good | (definite < limit))
        assert np.all(~good | (definite > -limit))
    x, y = wide(factor)[good], hermitian[good]
    near(x @ adjoint(x), y, size(y), a.dtype, a.shape[-1], "L Lᴴ")


def _applied(primitive: la.TriangularSolve, a: Matrix) -> Matrix:
    a = np.tril(wide(a)) if primitive.lower else np.triu(wide(a))
    if primitive.unit_diagonal:
        a = a - np.tril(np.triu(a)) + np.eye(a.shape[-1])
    a = np.swapaxes(a, -1, -2) if primitive.transpose_a else a
    return a.conj() if primitive.conjugate_a else a


@law_of(la.TriangularSolve)
def _triangular(
    primitive: la.TriangularSolve, operands: Sequence[Matrix], results: Sequence[Matrix]
) -> None:
    a, x = _applied(primitive, operands[0]), wide(results[0])
    if not np.isfinite(x).all():
        assert np.any(np.abs(np.diagonal(a, axis1=-2, axis2=-1)) < 1e-3)
        return
    product = a @ x if primitive.left_side else x @ a
    near(product, wide(operands[1]), size(a, x), results[0].dtype, a.shape[-1], "a x")


@law_of(la.TridiagonalSolve)
def _tridiagonal_system(
    primitive: la.TridiagonalSolve, operands: Sequence[Matrix], results: Sequence[Matrix]
) -> None:
    low, diagonal, high, b = map(wide, operands)
    n = diagonal.shape[-1]
    a = np.zeros((*diagonal.shape, n), np.complex128)
    for i in range(n):
        a[..., i, i] = diagonal[..., i]
        if i:
            a[..., i, i - 1], a[..., i - 1, i] = low[..., i], high[..., i - 1]
    x = wide(results[0])
    near(a @ x, b, size(a, x), results[0].dtype, n, "a x")


@law_of(la.Lu)
def _lu(primitive: la.Lu, operands: Sequence[Matrix], results: Sequence[Matrix]) -> None:
    (a,), (factors, pivots, permutation) = operands, results
    m, n = a.shape[-2:]
    k = min(m, n)
    lower = np.tril(wide(factors), -1)[..., :k] + np.eye(m, k)
    upper = np.triu(wide(factors))[..., :k, :]
    assert np.all(np.abs(lower.real) + np.abs(lower.imag) <= 2.0 + 1e-6)
    rows = np.take_along_axis(wide(a), permutation[..., None].astype(np.int64), -2)
    near(lower @ upper, rows, size(lower, upper), a.dtype, m, "L U")
    for index in np.ndindex(a.shape[:-2]):
        order = list(range(m))
        for i, pivot in enumerate(pivots[index]):
            assert i <= pivot < m
            order[i], order[pivot] = order[pivot], order[i]
        assert order == list(permutation[index])


@law_of(la.LuPivotsToPermutation)
def _permutation(
    primitive: la.LuPivotsToPermutation, operands: Sequence[Matrix], results: Sequence[Matrix]
) -> None:
    (pivots,), (permutation,) = operands, results
    most = primitive.permutation_size - 1
    for index in np.ndindex(pivots.shape[:-1]):
        order = list(range(primitive.permutation_size))
        for i, pivot in enumerate(np.clip(pivots[index].astype(np.int64), 0, max(most, 0))):
            order[i], order[pivot] = order[pivot], order[i]
        assert order == list(permutation[index].astype(np.int64))


@law_of(la.Qr)
def _qr(primitive: la.Qr, operands: Sequence[Matrix], results: Sequence[Matrix]) -> None:
    (a,), (q, r, *order) = operands, results
    assert is_upper(r)
    assert np.all(np.diagonal(r, axis1=-2, axis2=-1).imag == 0)
    unitary(wide(q), a.dtype, "Qᴴ Q")
    columns = wide(a)
    if order:
        columns = np.take_along_axis(columns, order[0][..., None, :].astype(np.int64), -1)
        diagonal = np.abs(np.diagonal(r, axis1=-2, axis2=-1))
        slack = 1e-3 * (1 + diagonal[..., :1])
        assert np.all(np.diff(diagonal, axis=-1) <= slack)
    near(wide(q) @ wide(r), columns, size(columns), a.dtype, a.shape[-2], "Q R")


def _product(a: Matrix, taus: Matrix, columns: int) -> Matrix:
    """The product of reflections as it is defined."""
    q = np.broadcast_to(np.eye(a.shape[-2], dtype=np.complex128), (*a.shape[:-1], a.shape[-2]))
    for i in range(taus.shape[-1]):
        v = np.array(wide(a)[..., i])
        v[..., :i], v[..., i] = 0, 1
        reflection = np.eye(a.shape[-2]) - wide(taus)[..., i, None, None] * (
            v[..., :, None] * v[..., None, :].conj()
        )
        q = q @ reflection
    return q[..., :columns]


@law_of(la.QrReflections)
def _reflections(
    primitive: la.QrReflections, operands: Sequence[Matrix], results: Sequence[Matrix]
) -> None:
    (a,), (form, taus) = operands, results
    q = _product(form, taus, a.shape[-2])
    near(q @ np.triu(wide(form)), wide(a), size(wide(a)), a.dtype, a.shape[-2], "Q R")
    unitary(q, a.dtype, "Qᴴ Q")


@law_of(la.HouseholderProduct)
def _householder_product(
    primitive: la.HouseholderProduct, operands: Sequence[Matrix], results: Sequence[Matrix]
) -> None:
    a, taus = operands
    expected = _product(a, taus, a.shape[-1])
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    near(wide(results[0]), expected, scale, a.dtype, 4 * a.shape[-2], "Q")


@law_of(la.HouseholderMultiply)
def _householder_multiply(
    primitive: la.HouseholderMultiply, operands: Sequence[Matrix], results: Sequence[Matrix]
) -> None:
    a, taus, c = operands
    q = _product(a, taus, a.shape[-2])
    q = adjoint(q) if primitive.adjoint else q
    expected = q @ wide(c) if primitive.left else wide(c) @ q
    near(wide(results[0]), expected, size(q, wide(c)), a.dtype, 4 * a.shape[-2], "Q c")


@law_of(la.Eigh)
def _eigh(primitive: la.Eigh, operands: Sequence[Matrix], results: Sequence[Matrix]) -> None:
    (a,), (*found, values) = operands, results
    part = np.tril(wide(a), -1) if primitive.lower else np.triu(wide(a), 1)
    hermitian = part + adjoint(part) + np.real(np.tril(np.triu(wide(a))))
    if not primitive.compute_vectors:
        truth = np.linalg.eigvalsh(hermitian)
        near(wide(values), truth, size(hermitian), a.dtype, a.shape[-1], "values")
        return
    (vectors,) = found
    v = wide(vectors)
    unitary(v, a.dtype, "Vᴴ V")
    assert np.all(np.diff(values, axis=-1) >= 0)
    near(hermitian @ v, v * values[..., None, :], size(hermitian), a.dtype, a.shape[-1], "A V")


@law_of(la.Svd)
def _svd(primitive: la.Svd, operands: Sequence[Matrix], results: Sequence[Matrix]) -> None:
    (a,) = operands
    m, n = a.shape[-2:]
    s = results[1] if primitive.compute_uv else results[0]
    assert np.all(s >= 0)
    assert np.all(np.diff(s, axis=-1) <= 0)
    total = np.sum(np.abs(wide(a)) ** 2, axis=(-2, -1))
    squares = np.sum(s.astype(np.float64) ** 2, axis=-1)
    near(squares, total, 1 + float(np.max(total, initial=0.0)), a.dtype, m + n, "sum of squares")
    if not primitive.compute_uv:
        return
    u, vh = wide(results[0]), wide(results[2])
    unitary(u, a.dtype, "Uᴴ U")
    unitary(adjoint(vh), a.dtype, "Vᴴ V")
    k = min(m, n)
    product = (u[..., :k] * s[..., None, :]) @ vh[..., :k, :]
    near(product, wide(a), size(wide(a)), a.dtype, m + n, "U S Vᴴ")


@law_of(la.Eig)
def _eig(primitive: la.Eig, operands: Sequence[Matrix], results: Sequence[Matrix]) -> None:
    (a,), (values, *vectors) = operands, results
    rest = list(vectors)
    x, w = wide(a), wide(values)
    near(
        w.sum(-1),
        np.trace(x, axis1=-2, axis2=-1),
        size(x) * (1 + a.shape[-1]),
        a.dtype,
        a.shape[-1],
        "trace",
    )
    if primitive.compute_left:
        u = wide(rest.pop(0))
        near(adjoint(u) @ x, w[..., None] * adjoint(u), size(x), a.dtype, 9 * a.shape[-1], "Uᴴ A")
        _normal(u, a.dtype)
    if primitive.compute_right:
        v = wide(rest.pop(0))
        near(x @ v, v * w[..., None, :], size(x), a.dtype, a.shape[-1], "A V")
        _normal(v, a.dtype)


def _normal(v: Matrix, dtype: Any) -> None:
    norms = np.linalg.norm(v, axis=-2)
    near(norms, np.ones_like(norms), 1.0, dtype, v.shape[-1], "norms")


@law_of(la.Schur)
def _schur(primitive: la.Schur, operands: Sequence[Matrix], results: Sequence[Matrix]) -> None:
    (a,), (t, *z) = operands, results
    n = a.shape[-1]
    assert is_upper(t if t.dtype.kind == "c" else t[..., 1:, :-1]) or n < 2
    if t.dtype.kind == "f" and n > 1:
        _standard_blocks(t)
    total = size(wide(a))
    trace = np.trace(wide(a), axis1=-2, axis2=-1)
    near(np.trace(wide(t), axis1=-2, axis2=-1), trace, total * n, a.dtype, n, "trace")
    if z:
        unitary(wide(z[0]), a.dtype, "Zᴴ Z")
        product = wide(z[0]) @ wide(t) @ adjoint(wide(z[0]))
        near(product, wide(a), total, a.dtype, 4 * n, "Z T Zᴴ")


def _standard_blocks(t: Matrix) -> None:
    """No two neighbours of the subdiagonal differ from 0, and blocks belong to conjugate pairs."""
    below = np.diagonal(t, -1, axis1=-2, axis2=-1)
    above = np.diagonal(t, 1, axis1=-2, axis2=-1)
    diagonal = np.diagonal(t, axis1=-2, axis2=-1)
    block = below != 0
    assert not np.any(block[..., 1:] & block[..., :-1])
    assert np.all(~block | ((above * below < 0) & (diagonal[..., 1:] == diagonal[..., :-1])))


@law_of(la.Hessenberg)
def _hessenberg(
    primitive: la.Hessenberg, operands: Sequence[Matrix], results: Sequence[Matrix]
) -> None:
    (a,), (form, taus) = operands, results
    n = a.shape[-1]
    q = np.broadcast_to(np.eye(n, dtype=np.complex128), a.shape).copy()
    if n > 1:
        q[..., 1:, 1:] = _product(form[..., 1:, :-1], taus, n - 1)
    unitary(q, a.dtype, "Qᴴ Q")
    h = np.triu(wide(form), -1)
    near(q @ h @ adjoint(q), wide(a), size(wide(a)), a.dtype, 4 * n, "Q H Qᴴ")


@law_of(la.Tridiagonal)
def _tridiagonal(
    primitive: la.Tridiagonal, operands: Sequence[Matrix], results: Sequence[Matrix]
) -> None:
    (a,), (form, diagonal, off, taus) = operands, results
    n = a.shape[-1]
    if not primitive.lower:  # the same, from the last row on
        a, form = a[..., ::-1, ::-1], form[..., ::-1, ::-1]
        diagonal, off, taus = diagonal[..., ::-1], off[..., ::-1], taus[..., ::-1]
    low = np.tril(wide(a), -1)
    hermitian = low + adjoint(low) + np.real(np.tril(np.triu(wide(a))))
    q = np.broadcast_to(np.eye(n, dtype=np.complex128), a.shape).copy()
    t = np.zeros(a.shape, np.complex128)
    for i in range(n):
        t[..., i, i] = diagonal[..., i]
        if i:
            t[..., i, i - 1] = t[..., i - 1, i] = off[..., i - 1]
    if n > 1:
        q[..., 1:, 1:] = _product(form[..., 1:, :-1], taus, n - 1)
    unitary(q, a.dtype, "Qᴴ Q")
    near(q @ t @ adjoint(q), hermitian, size(hermitian), a.dtype, 4 * n, "Q T Qᴴ")


# --- the laws, tried ------------------------------------------------------------------------------------


def check(example: Example, operands: Sequence[Matrix], results: Sequence[Matrix]) -> None:
    types = example.primitive.infer(*example.types)
    for result, type in zip(results, types, strict=True):
        assert isinstance(type, ArrayType)
        assert result.shape == type.shape
    LAWS[type_of_primitive(example)](example.primitive, operands, results)


def type_of_primitive(example: Example) -> type[Primitive]:
    return type(example.primitive)


def is_ours(example: Example) -> bool:
    return isinstance(example.primitive, LinearAlgebra)


def reference(example: Example, operands: Sequence[Matrix]) -> list[Matrix]:
    with evaluating(ReferenceEvaluator()):
        return [np.asarray(y) for y in bind(example.primitive, *operands)]


def compiled(example: Example, operands: Sequence[Matrix]) -> list[Matrix]:
    program = stage(lambda *xs: bind(example.primitive, *xs), *example.types).program
    with what_the_platform_has(example.primitive.name):
        text = lower_program(program, platform=PLATFORM).text
    register_calls(text)
    return list(run_text(text, operands, program.result_types))


def eager(example: Example, operands: Sequence[Matrix]) -> list[Matrix]:
    """By the runtime: single matrices by LAPACK."""
    with evaluating(RuntimeEvaluator()), what_the_platform_has(example.primitive.name):
        return [np.asarray(y) for y in bind(example.primitive, *operands)]


def _is_narrow(example: Example) -> bool:
    return any(type.dtype.itemsize < 4 for type in example.types)


@pytest.mark.parametrize("example", examples(is_ours))
def test_the_reference_solves_the_equations(example: Example) -> None:
    operands = [np.asarray(x) for x in example.operands()]
    check(example, operands, reference(example, operands))


@pytest.mark.xla
@pytest.mark.parametrize("example", examples(is_ours))
def test_eager_calls_solve_the_equations(example: Example) -> None:
    operands = [np.asarray(x) for x in example.operands()]
    check(example, operands, eager(example, operands))


@pytest.mark.xla
@pytest.mark.parametrize("example", examples(lambda e: is_ours(e) and not _is_narrow(e)))
def test_compiled_code_solves_the_equations(example: Example) -> None:
    operands = [np.asarray(x) for x in example.operands()]
    check(example, operands, compiled(example, operands))


@pytest.mark.parametrize(("cls", "name"), variant_keys(is_ours))
def test_the_reference_solves_them_in_every_element_type(cls: type[Primitive], name: str) -> None:
    for example in variants()[cls, name]:
        operands = [np.asarray(x) for x in example.operands()]
        check(example, operands, reference(example, operands))


@pytest.mark.xla
@pytest.mark.parametrize(("cls", "name"), variant_keys(is_ours))
def test_eager_calls_solve_them_in_every_element_type(cls: type[Primitive], name: str) -> None:
    for example in variants()[cls, name]:
        operands = [np.asarray(x) for x in example.operands()]
        check(example, operands, eager(example, operands))


def test_every_primitive_has_a_law() -> None:
    ours = {type(example.values[0].primitive) for example in examples(is_ours)}
    assert ours == set(LAWS)


DRAWN: Final[list[LinearAlgebra]] = [
    la.Lu(),
    la.Qr(False, False),
    la.Qr(False, True),
    la.Qr(True, False),
    la.QrReflections(),
    la.Eigh(),
    la.Svd(False),
    la.Svd(True),
    la.Eig(),
    la.Schur(),
    la.Hessenberg(),
    la.Tridiagonal(),
]
SQUARE: Final = (la.Eigh, la.Eig, la.Schur, la.Hessenberg, la.Tridiagonal)


@st.composite
def matrices(draw: Any, square: bool) -> Matrix:
    """Batches of matrices of small whole numbers: many singular, with equal rows and equal eigenvalues."""
    m = draw(st.integers(1, 5))
    n = m if square else draw(st.integers(1, 5))
    batch = draw(st.sampled_from([(), (1,), (2,), (2, 2)]))
    dtype = np.dtype(draw(st.sampled_from(["f4", "f8", "c8", "c16"])))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    most = draw(st.integers(1, 4))
    x = random.integers(-most, most + 1, (*batch, m, n)).astype(np.float64)
    if draw(st.booleans()):
        x = x + random.normal(size=x.shape)
    if dtype.kind == "c":
        x = x + 1j * random.integers(-most, most + 1, x.shape)
    return np.asarray(x.astype(dtype))


@pytest.mark.parametrize("primitive", DRAWN, ids=str)
def test_the_reference_solves_them_for_drawn_matrices(primitive: LinearAlgebra) -> None:
    @drawings(60)
    @given(matrices(isinstance(primitive, SQUARE)))
    def holds(a: Matrix) -> None:
        if isinstance(
            primitive, la.Eig
        ):  # left vectors of defective matrices are as inexact as they are
            example = Example(la.Eig(compute_left=False), (ArrayType(a.shape, a.dtype),))
        else:
            example = Example(primitive, (ArrayType(a.shape, a.dtype),))
        check(example, [a], reference(example, [a]))

    holds()


@pytest.mark.xla
@pytest.mark.parametrize("primitive", DRAWN, ids=str)
def test_eager_calls_solve_them_for_drawn_matrices(primitive: LinearAlgebra) -> None:
    if isinstance(primitive, la.Eig):
        primitive = la.Eig(compute_left=False)

    @drawings(60)
    @given(matrices(isinstance(primitive, SQUARE)))
    def holds(batch: Matrix) -> None:
        a = batch.reshape((-1, *batch.shape[-2:]))[0]
        example = Example(primitive, (ArrayType(a.shape, a.dtype),))
        check(example, [a], eager(example, [a]))

    holds()


@pytest.mark.xla
@pytest.mark.parametrize("primitive", DRAWN, ids=str)
def test_compiled_code_solves_them_for_singular_matrices(primitive: LinearAlgebra) -> None:
    """Rows of zeros, equal rows, repeated eigenvalues, a Jordan block: as one batch."""
    batch = np.array(
        [
            np.zeros((3, 3)),
            np.ones((3, 3)),
            np.eye(3),
            [[2, 1, 0], [0, 2, 1], [0, 0, 2]],
            [[0, 1, 0], [-1, 0, 0], [0, 0, 1]],
        ]
    )
    if isinstance(primitive, la.Eig):
        primitive = la.Eig(compute_left=False)
    for dtype in (np.float32, np.complex128):
        a = batch.astype(dtype)
        example = Example(primitive, (ArrayType(a.shape, a.dtype),))
        check(example, [a], compiled(example, [a]))


@pytest.mark.xla
@pytest.mark.parametrize(
    "primitive",
    [la.Eigh(), la.Svd(), la.Svd(True, False), la.Eig(), la.Schur()],
    ids=str,
)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("where", ["everywhere", "in one element", "on the diagonal", "off it"])
def test_a_matrix_that_is_not_finite_has_nan_and_no_other_has(
    primitive: LinearAlgebra, bad: float, where: str
) -> None:
    # of diag(inf, 1, 2) LAPACK's `gesdd` does not end, and `syevd` has vectors that are finite
    places = {
        "everywhere": np.full((3, 3), True),
        "in one element": np.diag([True, False, False]),
        "on the diagonal": np.diag([True, True, True]),
        "off it": ~np.diag([True, True, True]),
    }
    middle = np.where(places[where], bad, np.diag([0.0, 1.0, 2.0]))
    a = np.array([np.eye(3), middle, 2 * np.eye(3)], np.float32)
    example = Example(primitive, (ArrayType(a.shape, a.dtype),))
    for evaluated in (reference, compiled):
        for result in evaluated(example, [a]):
            assert np.isfinite(result[[0, 2]]).all()
            assert np.isnan(result[1]).all(), result[1]
    single = Example(primitive, (ArrayType((3, 3), a.dtype),))
    for result in eager(single, [a[1]]):
        assert np.isnan(result).all(), result


@pytest.mark.xla
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("power", [-40, -80, 40, 80])
@pytest.mark.parametrize(
    "primitive", [la.Eigh(True, False), la.Svd(True, False), la.Eig(False, False)], ids=str
)
def test_values_of_a_multiple_are_the_multiples(
    primitive: LinearAlgebra, power: int, dtype: type[np.number[Any]]
) -> None:
    # LAPACK divides such matrices before it works on them, and SciPy 1.17's `geev` does not multiply after
    wide = np.dtype(dtype).itemsize // (2 if np.dtype(dtype).kind == "c" else 1) == 8
    scale = 2.0 ** (power * (11 if wide else 1))
    plain = np.array([[2, -1, 0.5], [-1, 3, -2], [0.5, -2, 4]], dtype)
    example = Example(primitive, (ArrayType(plain.shape, plain.dtype),))
    expected = reference(example, [plain])[0]
    for evaluated in (reference, eager, compiled):
        (values,) = evaluated(example, [plain * np.asarray(scale, dtype)])
        ordered = np.sort_complex(values) / np.asarray(scale, dtype)
        np.testing.assert_allclose(ordered, np.sort_complex(expected), rtol=1e-5)


@pytest.mark.xla
@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
@pytest.mark.parametrize("power", [-100, -66, 66, 100])
@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (3, 4)])
def test_singular_vectors_of_a_multiple_turn_as_those_of_the_matrix(
    shape: tuple[int, int], power: int, dtype: type[np.number[Any]]
) -> None:
    """Their derivatives divide by differences of squares, which must neither overflow nor vanish."""
    plain = np.array([[2, -1, 0.5, 1], [-1, 3, -2, 0], [0.5, -2, 4, 1], [1, 0, 2, -1]], dtype)
    change = np.cos(np.arange(16)).reshape(4, 4).astype(dtype)
    if np.dtype(dtype).kind == "c":
        plain, change = plain + 1j * change.T, change * (1 - 0.5j)
    plain, change = plain[: shape[0], : shape[1]], change[: shape[0], : shape[1]]

    def turns(scale: float) -> tuple[Matrix, Matrix]:
        x, dx = [(a * scale).astype(dtype) for a in (plain, change)]
        with evaluating(RuntimeEvaluator()):
            (u, _, vh), (du, _, dvh) = jvp(
                lambda a: bind(la.Svd(compute_uv=True, full_matrices=False), a), (x,), (dx,)
            )
        return np.asarray(du) @ adjoint(np.asarray(u)), adjoint(np.asarray(dvh)) @ np.asarray(vh)

    for found, expected in zip(turns(2.0**power), turns(1.0), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_a_wrong_factor_is_found() -> None:
    a = np.array([[4.0, 2.0], [2.0, 5.0]])
    example = Example(la.Cholesky(), (ArrayType(a.shape, a.dtype),))
    (factor,) = reference(example, [a])
    check(example, [a], [factor])
    with pytest.raises(AssertionError, match="rounding errors"):
        check(example, [a], [factor * (1 + 1e-12)])


@pytest.mark.xla
def test_a_matrix_that_is_not_positive_definite_has_nan_below_and_zeros_above() -> None:
    a = np.array([np.eye(3), -np.eye(3), np.full((3, 3), np.nan)], np.float32)
    example = Example(la.Cholesky(), (ArrayType(a.shape, a.dtype),))
    for evaluated in (reference, compiled):
        (factor,) = evaluated(example, [a])
        np.testing.assert_array_equal(factor[0], np.eye(3))
        for each in factor[1:]:
            np.testing.assert_array_equal(each, np.tril(np.full((3, 3), np.nan)))
    single = Example(la.Cholesky(), (ArrayType((3, 3), a.dtype),))
    for each in a[1:]:
        (factor,) = eager(single, [each])
        np.testing.assert_array_equal(factor, np.tril(np.full((3, 3), np.nan)))

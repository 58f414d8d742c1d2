from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg

import treadle_numpy as tnp
import treadle_numpy.scipy.linalg as linalg
from treadle_autodiff import grad, jvp
from treadle_ir import DTypeError, ShapeError
from treadle_numpy.numpy import exp

A = np.array([[1.0, 0.5, 0.0], [-0.5, 2.0, 1.0], [0.25, 0.0, 4.0]])
B = np.array([[3.0, 1.0], [0.0, 2.0]])


@pytest.fixture(autouse=True)
def _wide(wide: None) -> None:
    """In 64 bits."""


def by_eigenvectors(function: Any, a: np.ndarray) -> np.ndarray:
    w, v = np.linalg.eig(a)
    return (v * function(w)) @ np.linalg.inv(v)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0])
def test_exponentials(scale: float) -> None:
    expected = by_eigenvectors(np.exp, scale * A)
    np.testing.assert_allclose(linalg.expm(scale * A), expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(linalg.funm(scale * A, exp), expected, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("dtype", [np.float16, tnp.bfloat16])
def test_exponentials_of_16_bits_are_refused(dtype: Any, upper: bool) -> None:
    with pytest.raises(DTypeError, match=r"expm: the operand is b?f16"):
        linalg.expm(np.triu(A).astype(dtype), upper_triangular=upper)


def test_too_great_an_exponent_is_nan() -> None:
    assert np.isnan(np.asarray(linalg.expm(1e3 * A, max_squarings=2))).all()


@pytest.mark.parametrize(
    "a", [np.where(A == 0.5, np.nan, A), 1e3 * A, np.where(A == 4.0, np.inf, A)]
)
@pytest.mark.parametrize("upper", [False, True])
def test_where_an_exponential_is_nan_its_derivatives_are(a: np.ndarray, upper: bool) -> None:
    def f(x: Any) -> Any:
        return linalg.expm(x, upper_triangular=upper, max_squarings=2)

    both = tnp.asarray(np.stack([A, a]))
    result, tangent = jvp(f, (both,), (tnp.ones_like(both),))
    assert np.isfinite(np.asarray(tangent[0])).all()
    assert np.isnan(np.asarray(result[1])).all()
    assert np.isnan(np.asarray(tangent[1])).all()
    assert np.isnan(np.asarray(grad(lambda x: tnp.sum(f(x)))(tnp.asarray(a)))).all()
    assert np.isnan(np.asarray(linalg.expm_frechet(np.where(A == 0.5, np.nan, A), A)[1])).all()


def test_square_roots_squared() -> None:
    for a in (A, -A, A.astype(complex) * 1j):
        x = np.asarray(linalg.sqrtm(a))
        np.testing.assert_allclose(x @ x, a, atol=1e-12)


@pytest.mark.parametrize("method", ["schur", "eigen"])
def test_sylvesters_equation(method: str) -> None:
    c = np.arange(6.0).reshape(3, 2)
    x = np.asarray(linalg.solve_sylvester(A, B, c, method=method))
    np.testing.assert_allclose(A @ x + x @ B, c, atol=1e-12)
    assert np.isnan(np.asarray(linalg.solve_sylvester(A, -A, A, method=method))).all()


@pytest.mark.parametrize("method", ["schur", "eigen"])
@pytest.mark.parametrize("dtype", [float, complex])
def test_derivatives_of_many_of_sylvesters_equations(method: str, dtype: type) -> None:
    """They agree with each equation's derivatives, and with differences of SciPy's; JAX refuses several."""
    rng = np.random.default_rng(7)
    shapes = (3, 4, 4), (3, 2, 2), (3, 4, 2)
    at, way = [
        [rng.normal(size=s) + (1j * rng.normal(size=s) if dtype is complex else 0) for s in shapes]
        for _ in range(2)
    ]

    def value(*matrices: Any) -> Any:
        return tnp.sum(tnp.abs(linalg.solve_sylvester(*matrices, method=method)) ** 2)

    def of_scipy(step: float) -> float:
        moved = [x + step * d for x, d in zip(at, way, strict=True)]
        found = [scipy.linalg.solve_sylvester(*each) for each in zip(*moved, strict=True)]
        return float(np.sum(np.abs(found) ** 2))

    slopes = grad(value, argnums=(0, 1, 2))(*at)
    of_each = [grad(value, argnums=(0, 1, 2))(*each) for each in zip(*at, strict=True)]
    for found, each in zip(slopes, zip(*of_each, strict=True), strict=True):
        np.testing.assert_allclose(found, np.stack(each), rtol=1e-9, atol=1e-9)
    along = sum(np.sum(np.asarray(s) * d).real for s, d in zip(slopes, way, strict=True))
    step = 1e-6
    np.testing.assert_allclose(along, (of_scipy(step) - of_scipy(-step)) / (2 * step), rtol=1e-6)


def test_functions_tell_their_error_and_how_the_function_is_wrong() -> None:
    result, error = linalg.funm(A, exp, disp=False)
    np.testing.assert_allclose(result, linalg.funm(A, exp), rtol=1e-12)
    assert 0 < float(error) < 1e-12
    repeated, error = linalg.funm(np.array([[1.0, 2.0], [0.0, 1.0]]), exp, disp=False)
    assert np.isfinite(np.asarray(repeated)).all()
    assert 0 < float(error) <= 1
    with pytest.raises(ShapeError, match="func returns shape"):
        linalg.funm(A, lambda x: x[:2])


@pytest.mark.parametrize("n", [0, 1, 2])
def test_functions_of_few_rows(n: int) -> None:
    a = A[:n, :n]
    np.testing.assert_allclose(linalg.funm(a, lambda x: x * x), a @ a, atol=1e-12)


def test_another_function_of_the_same_matrix_is_another_result() -> None:
    found = [linalg.funm(A, function) for function in (lambda x: x**2, lambda x: x**3)]
    for power, each in zip((2, 3), found, strict=True):
        np.testing.assert_allclose(each, np.linalg.matrix_power(A, power), rtol=1e-9, atol=1e-9)


def test_second_derivatives_in_reverse_mode_solve_sylvesters_equation_again() -> None:
    start, way = np.array([[3, 1], [0.5, 2]]), np.array([[0.3, -1], [0.2, 0.4]])
    for function in (
        lambda x: tnp.sum(tnp.real(linalg.sqrtm(x)) ** 3),
        lambda x: tnp.sum(tnp.sin(linalg.solve_sylvester(x, x.T, x @ x))),
    ):
        slope = grad(function)
        _, found = jvp(slope, (start,), (way,))
        _, again = jvp(lambda x: jvp(function, (x,), (way,))[1], (start,), (way,))  # noqa: B023
        np.testing.assert_allclose(np.vdot(found, way), again, rtol=1e-10)


@pytest.mark.parametrize("scale", [2.0**-660, 2.0**-400, 2.0**400])
def test_functions_and_complex_forms_of_matrices_whose_squares_overflow_or_vanish(
    scale: float,
) -> None:
    b = A @ np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # with a complex pair
    root = np.asarray(linalg.sqrtm(tnp.numpy.asarray(b * scale))) / np.sqrt(scale)
    np.testing.assert_allclose(root @ root, b, atol=1e-12)
    form, basis = (np.asarray(x) for x in linalg.rsf2csf(*linalg.schur(b * scale)))
    np.testing.assert_array_equal(form, np.triu(form))
    np.testing.assert_allclose(basis @ (form / scale) @ basis.conj().T, b, atol=1e-12)
    of_itself = np.asarray(linalg.funm(b * scale, lambda x: x)) / scale
    np.testing.assert_allclose(of_itself, b, atol=1e-12)
    of_unit_size = np.asarray(linalg.funm(b * scale, lambda x: (x / scale) ** 2))
    np.testing.assert_allclose(of_unit_size, b @ b, atol=1e-11)


@pytest.mark.parametrize("trans", [0, 1, 2])
def test_systems_are_solved_from_the_factors_of_each_matrix(trans: int) -> None:
    a = np.array([[[0.0, 2.0, 1.0], [1.0, 1.0, 3.0], [4.0, 1.0, 1.0]], A])
    b = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    found = linalg.lu_solve(linalg.lu_factor(a), b[..., None], trans=trans)[..., 0]
    for matrix, right, x in zip(a, b, found, strict=True):
        np.testing.assert_allclose((matrix.T if trans else matrix) @ x, right, rtol=1e-12)

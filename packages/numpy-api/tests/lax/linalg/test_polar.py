"""The polar decomposition by iterations, and by singular vectors where matrices are small."""

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArrayType
from treadle_ir.calling import host_functions
from treadle_ir.settings import X64
from treadle_numpy.lax.linalg import in_lapack, qdwh
from treadle_numpy.scipy import linalg

QDWH: Any = qdwh  # Any: functions that are composed know the function that was marked
DTYPES = [np.float32, np.float64, np.complex64, np.complex128]


@pytest.fixture(autouse=True)
def wide():
    with X64.override(True):
        yield


def drawn(shape, dtype):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape)
    return (x if np.dtype(dtype).kind == "f" else x + 1j * rng.standard_normal(shape)).astype(dtype)


def by_singular_vectors(a):
    """Compute with the host function that serves small matrices."""
    return host_functions[QDWH.__wrapped__]([ArrayType(a.shape, a.dtype)])(a)


@pytest.mark.parametrize("way", [by_singular_vectors, QDWH.__wrapped__])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (7, 4), (32, 32)])
def test_both_ways_give_the_decomposition(way, shape, dtype):
    a, bound = drawn(shape, dtype), 200 * np.finfo(dtype).eps
    u, h, iterations, converged = map(np.asarray, way(a))
    np.testing.assert_allclose(u.conj().T @ u, np.eye(shape[1]), atol=bound)
    np.testing.assert_allclose(u @ h, a, atol=bound)
    np.testing.assert_array_equal(h, h.conj().T)
    assert np.linalg.eigvalsh(h).min() > -bound
    assert converged or way is not by_singular_vectors  # iterations may not, near singular matrices
    assert iterations == (4 if np.finfo(dtype).bits == 32 else 6)
    dtypes = (u.dtype, h.dtype, iterations.dtype, converged.dtype)
    assert dtypes == (a.dtype, a.dtype, np.int32, np.bool_)


@pytest.mark.parametrize("way", [by_singular_vectors, QDWH.__wrapped__])
@pytest.mark.parametrize("a", [np.zeros((3, 3)), np.diag([2.0, 0.0])])
def test_directions_without_length_are_left_out(way, a):
    u, h, _, converged = way(a)
    np.testing.assert_allclose(u, np.sign(a), atol=1e-15)
    np.testing.assert_allclose(h, a, atol=1e-15)
    assert converged


def test_what_is_not_finite_is_left_to_the_iterations():
    for bad in (np.nan, np.inf):
        a = np.array([[1.0, bad], [2.0, 3.0]])
        with np.errstate(invalid="ignore"):
            assert by_singular_vectors(a) is None
            u, h, _, converged = QDWH.__wrapped__(a)
        assert np.isnan(u).all()
        assert np.isnan(h).all()
        assert not converged


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 3), (0, 0), (40, 40)])
def test_wide_many_and_large_matrices_are_left_to_the_iterations(shape):
    types = [ArrayType(shape, np.dtype(np.float64))]
    assert in_lapack.polar(types) is None
    assert host_functions[QDWH.__wrapped__](types) is None


def test_scipy_s_polar_has_the_same_counterpart():
    a = drawn((4, 3), np.float64)
    assert host_functions[linalg.polar.__wrapped__] is in_lapack.polar
    few = in_lapack.polar([ArrayType(a.shape, a.dtype)])
    for one, other in zip(few(a), linalg.polar.__wrapped__(a), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-13)

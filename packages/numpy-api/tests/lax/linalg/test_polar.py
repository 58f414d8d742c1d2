"""The polar decomposition by iterations, and by singular vectors where matrices are small."""

import numpy as np
import pytest

from treadle_ir import X64
from treadle_numpy.lax.linalg import qdwh
from treadle_numpy.lax.linalg.polar import by_singular_vectors
from treadle_numpy.scipy import linalg

DTYPES = [np.float32, np.float64, np.complex64, np.complex128]


@pytest.fixture(autouse=True)
def wide():
    with X64.override(True):
        yield


def drawn(shape, dtype):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape)
    return (x if np.dtype(dtype).kind == "f" else x + 1j * rng.standard_normal(shape)).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (7, 4), (32, 32)])
def test_both_ways_give_the_decomposition(shape, dtype):
    a, bound = drawn(shape, dtype), 200 * np.finfo(dtype).eps
    for way in (by_singular_vectors, qdwh.__wrapped__):
        u, h, iterations, converged = map(np.asarray, way(a))
        np.testing.assert_allclose(u.conj().T @ u, np.eye(shape[1]), atol=bound)
        np.testing.assert_allclose(u @ h, a, atol=bound)
        np.testing.assert_array_equal(h, h.conj().T)
        assert np.linalg.eigvalsh(h).min() > -bound
        if (
            way is by_singular_vectors
        ):  # the iterations say so of matrices that are not near singular ones
            assert converged
        assert iterations == (4 if np.finfo(dtype).bits == 32 else 6)
        assert (u.dtype, h.dtype, iterations.dtype, converged.dtype) == (
            a.dtype,
            a.dtype,
            "i4",
            "?",
        )


@pytest.mark.parametrize("a", [np.zeros((3, 3)), np.diag([2.0, 0.0])])
def test_directions_without_length_are_left_out(a):
    for way in (by_singular_vectors, qdwh.__wrapped__):
        u, h, _, converged = way(a)
        np.testing.assert_allclose(u, np.sign(a), atol=1e-15)
        np.testing.assert_allclose(h, a, atol=1e-15)
        assert converged


def test_what_is_not_finite_does_not_converge():
    for bad in (np.nan, np.inf):
        a = np.array([[1.0, bad], [2.0, 3.0]])
        with np.errstate(invalid="ignore"):
            u, h, _, converged = by_singular_vectors(a)
        assert np.isnan(u).all()
        assert np.isnan(h).all()
        assert not converged


def test_what_is_said_of_iterations_is_done_by_iterations():
    a = drawn((3, 3), np.float32)
    assert by_singular_vectors(a, max_iterations=1)[2] == 1
    assert by_singular_vectors(a, eps=1e-3)[2] < 4
    assert by_singular_vectors(drawn((2, 3, 3), np.float32))[0].shape == (2, 3, 3)
    with pytest.raises(Exception, match="m >= n"):
        by_singular_vectors(a[:2])


@pytest.mark.parametrize("side", ["right", "left"])
def test_scipy_s_sides(side):
    a = drawn((4, 3) if side == "right" else (3, 4), np.float64)
    few = linalg.polar.__wrapped__.__globals__["_polar_of_few"]
    for one, other in zip(few(a, side), linalg.polar.__wrapped__(a, side), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-13)
    with pytest.raises(Exception, match="m >= n"):
        few(a.T, side)
    for options in ({"method": "svd"}, {"max_iterations": 3}, {"eps": 1e-3}):
        for one, other in zip(
            few(a, side, **options), linalg.polar.__wrapped__(a, side, **options), strict=True
        ):
            np.testing.assert_array_equal(one, other)

"""Minima that are known, and SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import optimize as scipys

from treadle_ir import ArgumentError, DTypeError, ShapeError
from treadle_ir.settings import X64
from treadle_numpy import numpy as tnp
from treadle_numpy.scipy.optimize import OptimizeResults, minimize


def rosenbrock(x: Any) -> Any:
    return tnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def himmelblau(x: Any, a: Any = 11.0, b: Any = 7.0) -> Any:
    return (x[0] ** 2 + x[1] - a) ** 2 + (x[0] + x[1] ** 2 - b) ** 2


def found(*arguments: Any, **more: Any) -> OptimizeResults:
    return minimize(*arguments, method="BFGS", **more)


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("n", [2, 5])
def test_rosenbrock(n: int) -> None:
    ours = found(rosenbrock, np.zeros(n))
    theirs = scipys.minimize(scipys.rosen, np.zeros(n), jac=scipys.rosen_der, method="BFGS")
    assert bool(ours.success)
    assert int(ours.status) == 0
    np.testing.assert_allclose(ours.x, theirs.x, atol=1e-5)
    inverse: Any = ours.hess_inv
    np.testing.assert_allclose(inverse, theirs.hess_inv, rtol=0.5)
    assert int(ours.nfev) == int(ours.njev) <= 2 * theirs.nfev


@pytest.mark.usefixtures("wide")
@given(st.integers(1, 5), st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_quadratic_forms(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    root = random.normal(size=(n, n))
    matrix, right = root @ root.T + np.eye(n), random.normal(size=n)
    ours = found(lambda x: x @ matrix @ x / 2 - right @ x, np.zeros(n), tol=1e-8)
    assert bool(ours.success)
    np.testing.assert_allclose(ours.x, np.linalg.solve(matrix, right), atol=1e-7)


@pytest.mark.usefixtures("wide")
@given(st.lists(st.floats(-4, 4), min_size=2, max_size=2))
@settings(max_examples=15, deadline=None)
def test_himmelblau(start: list[float]) -> None:
    """Wherever it starts, it ends where the gradient is zero."""
    ours = found(himmelblau, np.array(start), (11.0, 7.0))
    assert bool(ours.success)
    assert np.abs(ours.jac).max() < 1e-5


def test_options() -> None:
    few = found(rosenbrock, np.zeros(3), options={"maxiter": 2})
    assert (bool(few.success), int(few.status), int(few.nit)) == (False, 1, 2)
    rough = found(rosenbrock, np.zeros(3), options={"gtol": 0.1, "norm": 2})
    assert np.linalg.norm(rough.jac) < 0.1
    line = found(lambda x: x.sum(), np.zeros(2), options={"line_search_maxiter": 3})
    assert (int(line.status), int(line.nfev)) == (5, 4)


def test_edges() -> None:
    assert bool(found(lambda x: (x**2).sum(), np.zeros(0)).success)
    assert int(found(lambda x: x.sum() * np.nan, np.ones(2)).status) == 2
    ours = found(lambda x: (x**2).sum(), np.array([1, 2]))
    assert ours.x.dtype == np.float32
    with X64.override(True):
        assert found(lambda x: (x**2).sum(), np.ones(2, np.float32)).fun.dtype == np.float32


def test_refused() -> None:
    x = np.ones(2, np.float32)
    for options in ({"other": 1}, {"gtol": "small"}, {"maxiter": 1.5}, {"maxiter": -1}, 3):
        with pytest.raises(ArgumentError, match="minimize"):
            found(rosenbrock, x, options=options)
    with pytest.raises(ArgumentError, match="no method"):
        minimize(rosenbrock, x, method="CG")
    with pytest.raises(ArgumentError, match="args"):
        found(himmelblau, x, 2.0)
    with pytest.raises(ShapeError, match="vector"):
        found(rosenbrock, np.float32(1))
    with pytest.raises(ArgumentError, match="real elements"):
        found(rosenbrock, x + 0j)
    with pytest.raises(DTypeError):
        found(lambda x: x.sum() + 1j, x)
    with pytest.raises(ArgumentError):
        minimize(3, x, method="BFGS")  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_narrow_floats(dtype: str) -> None:
    start = tnp.arange(3.0).astype(dtype)
    found = minimize(lambda x: tnp.sum((x - 1) ** 2), start, method="BFGS")
    assert found.x.dtype == dtype
    np.testing.assert_allclose(np.asarray(found.x, np.float32), 1, atol=1e-2)


@pytest.mark.parametrize("start", [[1.0, 2.0], [-3.0, 0.5], [0.0, 7.0]])
def test_a_curvature_whose_inverse_is_too_great(start: list[float]) -> None:
    found = minimize(
        lambda x: tnp.sum(x**2), np.array(start, np.float16), method="BFGS", options={"maxiter": 9}
    )
    np.testing.assert_allclose(np.asarray(found.x, np.float32), 0, atol=1e-2)


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("factor", [1e3, 1e9, 1e12, 1e15])
def test_functions_that_bend_strongly(factor: float) -> None:
    wanted = np.array([3.0, -1.0])
    found = minimize(lambda x: factor * tnp.sum((x - wanted) ** 2), np.zeros(2), method="BFGS")
    np.testing.assert_allclose(found.x, wanted, rtol=1e-7)

"""Covariances and correlations of few observations and of single variables agree with NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle_numpy as tnp


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (3, 1), (2, 4), (4,), ()])
@pytest.mark.parametrize("rowvar", [False, True])
@pytest.mark.parametrize("ddof", [None, 0, 2, 5])
def test_shapes_and_degrees_of_freedom(
    shape: tuple[int, ...], rowvar: bool, ddof: int | None, staged: Callable[..., Any]
) -> None:
    x = np.random.default_rng(0).normal(size=shape)
    variables = x if rowvar or x.ndim < 2 else x.T  # NumPy before 2.2 takes a single row for one
    wanted: Any = np.cov(variables, ddof=ddof)
    found: Any
    for found in (
        tnp.cov(x, rowvar=rowvar, ddof=ddof),
        staged(lambda x: tnp.cov(x, rowvar=rowvar, ddof=ddof), x),
    ):
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    found = tnp.corrcoef(x, rowvar=rowvar)
    wanted = np.corrcoef(variables)
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("counts", [[1, 0, 0], [1, 1, 0], [3, 1, 2]])
def test_counts_of_observations(counts: list[int]) -> None:
    x = np.random.default_rng(1).normal(size=(2, 3))
    for ddof in (0, 1, 2, 3):
        found = tnp.cov(x, ddof=ddof, fweights=np.array(counts))
        np.testing.assert_allclose(found, np.cov(x, ddof=ddof, fweights=counts), rtol=1e-11)


@pytest.mark.parametrize("factor", [-3.3, 0.7, 1j, 1 - 2j])
def test_correlations_are_not_beyond_one(factor: complex) -> None:
    kind = np.complex64 if np.iscomplexobj(factor) else np.float32
    for seed in range(40):
        x = np.random.default_rng(seed).normal(size=5)
        found = np.asarray(tnp.corrcoef(np.stack([x, factor * x]).astype(kind)))
        assert abs(found.real).max() <= 1
        assert abs(found.imag).max() <= 1

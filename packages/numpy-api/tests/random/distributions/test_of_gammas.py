"""Distributions made of gamma floats: what they are made of, edges, shapes, types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError
from treadle_numpy import random

KEY = np.array([0, 0], np.uint32)  # PRNGKey(0)
FIRST, SECOND = np.asarray(random.split(KEY))


def test_recorded() -> None:
    """Of JAX 0.10.2."""
    np.testing.assert_allclose(
        random.beta(KEY, 2.0, 3.0, (3,)), [0.23627362, 0.49045965, 0.68379486], rtol=1e-5
    )
    np.testing.assert_allclose(
        random.dirichlet(KEY, np.array([1.0, 2.0, 3.0])),
        [0.1422856, 0.4048826, 0.45283177],
        rtol=1e-5,
    )
    np.testing.assert_allclose(
        random.f(KEY, 3.0, 4.0, (3,)), [2.7039127, 0.22600973, 0.15839839], rtol=1e-5
    )
    np.testing.assert_allclose(
        random.t(KEY, 3.0, (3,)), [0.69022465, -3.2393365, -1.6745249], rtol=1e-5
    )


def test_made_of_gamma_floats() -> None:
    n = (20,)
    one, other = [np.asarray(random.gamma(k, a, n)) for k, a in ((FIRST, 2.0), (SECOND, 3.0))]
    np.testing.assert_allclose(random.beta(KEY, 2.0, 3.0, n), one / (one + other), rtol=1e-5)
    np.testing.assert_allclose(
        random.chisquare(KEY, 3.0, n), 2 * np.asarray(random.gamma(KEY, 1.5, n)), rtol=1e-5
    )
    np.testing.assert_allclose(
        random.t(KEY, 4.0, n),
        np.asarray(random.normal(FIRST, n)) * np.sqrt(2 / np.asarray(random.gamma(SECOND, 2.0, n))),
        rtol=1e-5,
    )
    size = np.asarray(random.gamma(FIRST, 1 / 3, n)) ** (1 / 3)
    np.testing.assert_allclose(abs(np.asarray(random.generalized_normal(KEY, 3.0, n))), size, 1e-5)


def test_edges() -> None:
    np.testing.assert_array_equal(
        random.beta(KEY, np.array([-1.0, 0.0, 1e-10]), 3.0), [np.nan, 0, 0]
    )
    assert np.isnan(random.dirichlet(KEY, np.array([-1.0, 1.0]))).all()
    assert random.dirichlet(KEY, np.ones(0)).shape == (0,)
    # both gamma floats underflow, and one share is nearly all
    shares = np.asarray(random.dirichlet(KEY, np.full(3, 1e-6), (20,)))
    np.testing.assert_allclose(shares.sum(-1), 1, rtol=1e-6)
    assert np.isnan(random.chisquare(KEY, -1.0))


@pytest.mark.parametrize(
    ("name", "count"),
    [("beta", 2), ("chisquare", 1), ("f", 2), ("t", 1), ("generalized_normal", 1)],
)
def test_shapes_and_types(name: str, count: int, staged: Callable[..., Any]) -> None:
    draw, rest = getattr(random, name), [1.5] * (count - 1)
    assert draw(KEY, 2.0, *rest).shape == ()
    assert draw(KEY, np.ones((2, 1)), *rest, (2, 3)).shape == (2, 3)
    assert draw(KEY, 2.0, *rest, (0, 3)).shape == (0, 3)
    assert draw(KEY, 2, *rest, 3).dtype == np.float32
    assert draw(KEY, 2, *rest, 3, "float16").dtype == np.float16
    with pytest.raises(ArgumentError, match="float dtype"):
        draw(KEY, 2, *rest, 3, "int32")
    with pytest.raises(ShapeError, match="incompatible shapes"):
        draw(KEY, np.ones(2), *rest, (3,))
    a = np.array([0.5, 3.0], np.float32)
    np.testing.assert_array_equal(
        staged(lambda key, a: draw(key, a, *rest, (2,)), KEY, a), draw(KEY, a, *rest, (2,))
    )


def test_dirichlet_shapes() -> None:
    alpha = np.ones((2, 1, 4))
    assert random.dirichlet(KEY, alpha).shape == (2, 1, 4)
    assert random.dirichlet(KEY, alpha, (3, 2, 5)).shape == (3, 2, 5, 4)
    with pytest.raises(ArgumentError, match="requires alpha"):
        random.dirichlet(KEY, 1.0)
    with pytest.raises((ArgumentError, ShapeError)):
        random.dirichlet(KEY, alpha, (3,))

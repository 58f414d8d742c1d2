"""The nearest code agrees with a loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ShapeError
from treadle_numpy.scipy.cluster.vq import vq


@pytest.mark.usefixtures("wide")
@given(st.integers(0, 6), st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_a_loop_gives_the_same(n: int, k: int, d: int) -> None:
    random = np.random.default_rng(n)
    x, codes = random.normal(size=(n, d)), random.normal(size=(k, d))
    distances = np.array([[np.linalg.norm(one - code) for code in codes] for one in x])
    distances = distances.reshape(n, k)
    places, nearest = vq(x, codes)
    np.testing.assert_array_equal(places, distances.argmin(-1))
    np.testing.assert_allclose(nearest, distances.min(-1), rtol=1e-12)


def test_numbers() -> None:
    places, distances = vq(np.array([0, 1, 3]), np.array([0, 4]))
    np.testing.assert_array_equal(places, [0, 0, 1])
    np.testing.assert_array_equal(distances, [0, 1, 1])


@pytest.mark.parametrize(
    "shapes", [((3, 2), (2,)), ((3, 2), (2, 3)), ((2, 2, 2),) * 2, ((3,), (0,))]
)
def test_refused(shapes: Any) -> None:
    observations, codes = [np.ones(shape) for shape in shapes]
    with pytest.raises(ShapeError):
        vq(observations, codes)


def test_distances_of_complex_vectors_are_real() -> None:
    codes, distances = vq(np.array([3 + 4j, 1j], np.complex64), np.array([0, 2j], np.complex64))
    assert distances.dtype == np.float32
    np.testing.assert_array_equal(codes, [1, 0])
    np.testing.assert_allclose(distances, [np.sqrt(13), 1], rtol=1e-6)

"""Wald and double-sided Maxwell floats: recorded from JAX 0.10.2, shapes, errors."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError
from treadle_numpy import random

KEY = np.array([0, 0], np.uint32)  # PRNGKey(0)


def test_recorded() -> None:
    np.testing.assert_allclose(
        random.wald(KEY, 3.0, (3,)), [0.62285686, 0.70958674, 0.88658881], rtol=1e-5
    )
    np.testing.assert_allclose(
        random.double_sided_maxwell(KEY, 1.0, 2.0, (3,)),
        [4.0914421, 4.1482553, -3.165061],
        rtol=1e-5,
    )


def test_shapes_and_types() -> None:
    assert random.wald(KEY, np.ones((2, 1)), (2, 3)).shape == (2, 3)
    assert random.wald(KEY, 1.0, (0,), "float16").dtype == np.float16
    assert random.double_sided_maxwell(KEY, np.ones(2), 1.0, (3,)).shape == (3, 2)
    assert random.double_sided_maxwell(KEY, np.ones(2), 1.0).shape == (2,)
    with pytest.raises(ArgumentError, match="float dtype"):
        random.wald(KEY, 1.0, dtype="int32")
    with pytest.raises(ShapeError):
        random.double_sided_maxwell(KEY, np.ones(2), np.ones(3))


@pytest.mark.parametrize("implementation", ["threefry2x32", "rbg", "unsafe_rbg"])
@pytest.mark.parametrize("shape", [(), (7,), (3, 5), (0,)])
def test_maxwell_floats_are_lengths_of_normal_vectors(
    implementation: str, shape: tuple[int, ...]
) -> None:
    key = random.key(3, impl=implementation)
    normals = np.asarray(random.normal(key, (*shape, 3)))
    np.testing.assert_allclose(
        random.maxwell(key, shape), np.sqrt(np.sum(normals**2, axis=-1)), rtol=1e-5
    )

"""Orthogonal initializers: orthonormal rows or columns, centres of kernels, errors."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError
from treadle_ir.errors import AxisError
from treadle_numpy.nn import initializers

KEY = np.array([0, 0], np.uint32)  # PRNGKey(0)


@pytest.mark.parametrize("shape", [(3, 4), (4, 3), (3, 2, 4), (2, 2)])
@pytest.mark.parametrize("axis", [-1, 0])
def test_orthonormal(shape: tuple[int, ...], axis: int) -> None:
    drawn = np.asarray(initializers.orthogonal(2.0, axis)(KEY, shape))
    assert drawn.shape == shape
    matrix = np.moveaxis(drawn, axis, -1).reshape(-1, shape[axis]) / 2
    small = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
    np.testing.assert_allclose(small @ small.T, np.eye(len(small)), atol=1e-5)


def test_recorded() -> None:
    """Of JAX 0.10.2."""
    np.testing.assert_allclose(
        initializers.orthogonal()(KEY, (3, 4))[0],
        [0.8337946, -0.04039752, -0.25450924, -0.4882415],
        rtol=1e-4,
    )


@pytest.mark.parametrize("window", [(3,), (4,), (3, 2), (1, 3, 2)])
def test_centres(window: tuple[int, ...]) -> None:
    kernel = np.asarray(initializers.delta_orthogonal()(KEY, (*window, 2, 3)))
    centre = kernel[tuple([(n - 1) // 2 for n in window])]
    np.testing.assert_allclose(centre @ centre.T, np.eye(2), atol=1e-5)
    np.testing.assert_array_equal(centre, initializers.orthogonal()(KEY, (2, 3)))
    assert np.count_nonzero(kernel) == np.count_nonzero(centre)


def test_types_and_edges() -> None:
    for initializer in (initializers.orthogonal(), initializers.delta_orthogonal()):
        assert initializer(KEY, (1, 2, 3), "complex64").dtype == np.complex64
        assert initializer(KEY, (1, 2, 3), "float16").dtype == np.float16
        assert initializer(KEY, (0, 2, 3)).shape == (0, 2, 3)
        with pytest.raises(ArgumentError, match="float or complex"):
            initializer(KEY, (1, 2, 3), "int32")
        with pytest.raises(ShapeError):
            initializer(KEY, (3,))
    with pytest.raises(AxisError):
        initializers.orthogonal(column_axis=5)(KEY, (2, 3))
    with pytest.raises(ShapeError, match="fan_in"):
        initializers.delta_orthogonal()(KEY, (3, 5, 4))

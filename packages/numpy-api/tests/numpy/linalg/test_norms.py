from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_numpy import numpy as tnp


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
@pytest.mark.parametrize("order", [None, "fro", "nuc", 1, 2, np.inf])
def test_norms_of_no_elements_are_zero(order: Any, shape: tuple[int, int]) -> None:
    assert tnp.linalg.norm(np.zeros(shape, np.float32), order) == 0
    assert tnp.linalg.norm(np.zeros((2, *shape), np.float32), order, axis=(1, 2)).shape == (2,)


@pytest.mark.parametrize("order", [0, 1, 2, 3, np.inf])
def test_norms_of_empty_vectors_are_zero(order: float) -> None:
    np.testing.assert_array_equal(
        tnp.linalg.vector_norm(np.zeros((2, 0)), axis=1, ord=order), [0, 0]
    )


def test_no_element_has_the_least_modulus() -> None:
    with pytest.raises(ArgumentError, match="no identity"):
        tnp.linalg.norm(np.zeros(0, np.float32), -np.inf)

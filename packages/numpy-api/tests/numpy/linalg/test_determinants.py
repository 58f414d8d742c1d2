from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import treadle_numpy.numpy.linalg as linalg


@pytest.fixture(autouse=True)
def _wide(wide: None) -> None:
    """In 64 bits."""


@settings(deadline=None)  # the first call stages
@given(
    st.permutations(range(5)), st.lists(st.sampled_from([-2.0, 0.5, 3.0]), min_size=5, max_size=5)
)
def test_signs_of_permuted_and_scaled_rows(order: list[int], scales: list[float]) -> None:
    a = np.diag(scales)[order]
    sign, logarithm = linalg.slogdet(a)
    true_sign, true_logarithm = np.linalg.slogdet(a)
    assert float(sign) == true_sign
    np.testing.assert_allclose(logarithm, true_logarithm, atol=1e-14)


@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (4, 4), (3, 4, 4), (2, 0, 3, 3)])
@pytest.mark.parametrize("kind", [float, complex])
def test_signs_and_logarithms_agree_with_numpy(shape: tuple[int, ...], kind: type) -> None:
    rng = np.random.default_rng(len(shape))
    a: np.ndarray = rng.normal(size=shape)
    if kind is complex:
        a = a + 1j * rng.normal(size=shape)
    for method in ("lu", "qr"):
        for found, expected in zip(
            linalg.slogdet(a, method=method), np.linalg.slogdet(a), strict=True
        ):
            np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_singular_matrix_has_no_sign() -> None:
    sign, logarithm = linalg.slogdet(np.zeros((4, 4)))
    assert float(sign) == 0
    assert float(logarithm) == -np.inf

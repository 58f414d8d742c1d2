from __future__ import annotations

import warnings

import numpy as np
import pytest

from treadle_numpy import nn


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 3)])
@pytest.mark.parametrize("axis", [-1, 0])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_an_empty_axis_has_an_empty_softmax(name: str, axis: int, shape: tuple[int, ...]) -> None:
    got = getattr(nn, name)(np.zeros(shape, np.float32), axis)
    assert got.shape == shape


def test_the_mean_over_no_elements_is_no_number() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(nn.logmeanexp(np.zeros((0,), np.float32)))


@pytest.mark.parametrize("axis", [-1, 0, None])
def test_where_may_have_more_axes(axis: int | None) -> None:
    x = np.array([1.0, 2.0, 3.0], np.float32)
    where = np.array([[True, False, True], [True, True, True]])
    powers = np.where(where, np.exp(x.astype(float)), 0)
    total = powers.sum(axis, keepdims=True)
    np.testing.assert_allclose(nn.softmax(x, axis, where), powers / total, rtol=1e-6)
    np.testing.assert_allclose(np.exp(nn.log_softmax(x, axis, where)), powers / total, rtol=1e-6)
    np.testing.assert_allclose(
        nn.logsumexp(x, axis, where=where), np.log(powers.sum(axis)), rtol=1e-6
    )

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

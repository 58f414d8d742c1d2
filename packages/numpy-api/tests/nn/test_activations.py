"""Activations against their definitions."""

from __future__ import annotations

import numpy as np

from treadle_numpy import nn


def test_softmax_is_stable() -> None:
    np.testing.assert_allclose(nn.softmax(np.array([1e4, 1e4], np.float32)), [0.5, 0.5])
    np.testing.assert_allclose(nn.log_softmax(np.array([1e4, 0.0], np.float32)), [0.0, -1e4])

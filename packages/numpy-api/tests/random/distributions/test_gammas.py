"""Gamma floats: recorded from JAX 0.10.2, edges, shapes, types, transformations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError
from treadle_numpy import random

KEY = np.array([0, 0], np.uint32)  # PRNGKey(0)


def test_recorded() -> None:
    np.testing.assert_allclose(
        random.gamma(KEY, 2.0, (3,)), [1.5897877, 1.7599413, 1.1290071], rtol=1e-6
    )
    np.testing.assert_allclose(
        random.gamma(KEY, 0.5, (3,)), [0.88456482, 1.02907753, 0.04707421], rtol=1e-5
    )


def test_logarithms() -> None:
    for a in (0.3, 1.0, 7.0):
        np.testing.assert_allclose(
            np.exp(random.loggamma(KEY, a, (50,))), random.gamma(KEY, a, (50,)), rtol=2e-5
        )
    # gamma(a) is about u ** (1 / a): its logarithm is finite where it is 0 itself
    tiny = np.asarray(random.loggamma(KEY, 1e-20, (50,)))
    assert np.isfinite(tiny).all()
    assert not np.asarray(random.gamma(KEY, 1e-20, (50,))).any()


def test_edges() -> None:
    edges = np.array([-3.0, -0.5, 0.0, np.nan, np.inf], np.float32)
    np.testing.assert_array_equal(random.gamma(KEY, edges), [np.nan, np.nan, 0, np.nan, np.inf])
    np.testing.assert_array_equal(
        random.loggamma(KEY, edges), [np.nan, np.nan, -np.inf, np.nan, np.inf]
    )


@pytest.mark.parametrize("name", ["gamma", "loggamma"])
def test_shapes_and_types(name: str) -> None:
    draw = getattr(random, name)
    assert draw(KEY, 2.0).shape == ()
    assert draw(KEY, np.ones((2, 1)), (2, 3)).shape == (2, 3)
    assert draw(KEY, 2.0, (0, 3)).shape == (0, 3)
    assert draw(KEY, np.ones(0)).shape == (0,)
    assert draw(KEY, 2, 3).dtype == np.float32
    assert draw(KEY, 2, 3, "float16").dtype == np.float16
    with pytest.raises(ArgumentError, match="float dtype"):
        draw(KEY, 2, 3, "int32")
    with pytest.raises(ShapeError, match="incompatible shapes"):
        draw(KEY, np.ones(2), (3,))
    with pytest.raises(ArgumentError, match="method"):
        draw(KEY, 2, method="quick")


def test_an_element_does_not_depend_on_its_neighbours(staged: Callable[..., Any]) -> None:
    many = np.asarray(random.gamma(KEY, np.full(40, 1.5, np.float32)))
    mixed = np.where(np.arange(40) % 2, 1.5, 0.1).astype(np.float32)
    np.testing.assert_array_equal(np.asarray(random.gamma(KEY, mixed))[1::2], many[1::2])
    np.testing.assert_array_equal(random.gamma(KEY, 1.5, (10,)), many[:10])
    np.testing.assert_allclose(  # one is compiled as a whole, the other is not
        staged(lambda key, a: random.gamma(key, a), KEY, mixed), random.gamma(KEY, mixed), rtol=1e-6
    )


def test_raw_and_typed_keys() -> None:
    np.testing.assert_array_equal(
        random.gamma(random.key(0), 2.0, (5,)), random.gamma(KEY, 2.0, (5,))
    )

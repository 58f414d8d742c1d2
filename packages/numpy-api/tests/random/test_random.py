"""Random numbers: recorded from JAX 0.10.2, bit for bit where the computation is exact; keys as values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_ir.tree import tree_leaves, tree_map
from treadle_numpy import random

KEY = np.array([0, 3], np.uint32)  # PRNGKey(3)
UNIT = [0.07405257225036621, 0.938144326210022, 0.6489570140838623, 0.9756209850311279]


def test_bits_of_floats() -> None:
    recorded = np.array([3216877086, 1083319539, 1076018069, 1083869698], np.uint32).view(
        np.float32
    )
    # XLA contracts multiply and add: the last bit may differ
    np.testing.assert_allclose(
        random.uniform(KEY, (4,), minval=-2.0, maxval=5.0), recorded, rtol=3e-7
    )
    assert np.asarray(random.uniform(KEY, (4,))).tolist() == UNIT


def test_recorded() -> None:
    assert np.asarray(random.split(KEY, 2)).tolist() == [
        [3716834203, 3481239269],
        [1946498123, 2217676430],
    ]
    assert np.asarray(random.fold_in(KEY, 11)).tolist() == [2324564934, 2910198250]
    assert np.asarray(random.bits(KEY, (5,), "uint8")).tolist() == [126, 197, 222, 48, 174]
    assert np.asarray(random.randint(KEY, (5,), 0, 10)).tolist() == [5, 9, 5, 4, 6]
    assert np.asarray(random.randint(KEY, (5,), 0, 100, "uint8")).tolist() == [95, 39, 5, 54, 16]
    assert np.asarray(random.permutation(KEY, 10)).tolist() == [0, 5, 6, 7, 4, 2, 1, 3, 9, 8]
    assert np.asarray(random.choice(KEY, 5, (4,), replace=False)).tolist() == [0, 4, 2, 1]
    assert np.asarray(random.bernoulli(KEY, 0.3, (4,))).tolist() == [True, False, False, False]


@pytest.mark.parametrize(
    "name", ["uniform", "normal", "gumbel", "exponential", "laplace", "logistic", "cauchy"]
)
def test_staged_as_eager(name: str, staged: Callable[..., Any]) -> None:
    function = getattr(random, name)
    np.testing.assert_array_equal(staged(lambda k: function(k, (7,)), KEY), function(KEY, (7,)))


@pytest.mark.parametrize(
    ("name", "mean", "variance"),
    [
        ("uniform", 0.5, 1 / 12),
        ("normal", 0.0, 1.0),
        ("exponential", 1.0, 1.0),
        ("gumbel", 0.5772, np.pi**2 / 6),
    ],
)
def test_moments(name: str, mean: float, variance: float) -> None:
    drawn = np.asarray(getattr(random, name)(random.key(1), (20000,)))
    assert abs(drawn.mean() - mean) < 0.05
    assert abs(drawn.var() - variance) < 0.06


def test_keys_are_trees_of_words() -> None:
    keys = random.split(random.key(0), 3)
    (words,) = tree_leaves(keys)
    assert words.shape == (3, 2)
    again = tree_map(lambda w: w, keys)
    assert isinstance(again, random.Key)
    assert again.shape == (3,)
    assert len(list(keys)) == 3 or keys.shape == (3,)


def test_keys_are_immutable() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        random.key(0).words = 1  # type: ignore[misc, assignment]


def test_what_is_no_key_is_refused() -> None:
    with pytest.raises(ArgumentError, match="must be a random key"):
        random.uniform(0)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="a raw key is u32"):
        random.uniform(np.zeros(3, np.float32))
    with pytest.raises(ValueError, match="accepts a single key"):
        random.uniform(random.split(random.key(0)))

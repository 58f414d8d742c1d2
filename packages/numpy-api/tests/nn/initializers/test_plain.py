"""Initializers that do not look at the shape: ranges, deviations, types, defaults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, DTypeError
from treadle_numpy import random
from treadle_numpy.nn import initializers

KEY = np.array([0, 3], np.uint32)  # PRNGKey(3)
SHAPE = (40, 50)
DRAWN = [initializers.normal(2.0), initializers.uniform(2.0), initializers.truncated_normal(2.0)]


@pytest.mark.parametrize(("name", "value"), [("zeros", 0), ("ones", 1)])
def test_filled(name: str, value: int) -> None:
    initializer = getattr(initializers, name)
    assert isinstance(initializer, initializers.Initializer)
    for shape in ((), (0, 2), (2, 3)):
        np.testing.assert_array_equal(
            initializer(KEY, shape), np.full(shape, value, np.float32), strict=True
        )
    np.testing.assert_array_equal(
        initializer(KEY, 2, "int32"), np.full(2, value, np.int32), strict=True
    )


def test_constant() -> None:
    np.testing.assert_array_equal(
        initializers.constant(3)(KEY, (2,)), np.full(2, 3, np.float32), strict=True
    )
    np.testing.assert_array_equal(
        initializers.constant(3, "int16")(KEY, (2,)), np.full(2, 3, np.int16), strict=True
    )
    made = initializers.constant(np.array([1.0, 2.0]))(KEY, (3, 2))
    np.testing.assert_array_equal(made, [[1, 2]] * 3)


def test_normal() -> None:
    drawn = np.asarray(initializers.normal(2.0)(KEY, SHAPE), np.float64)
    np.testing.assert_allclose(drawn, 2 * np.asarray(random.normal(KEY, SHAPE)), rtol=1e-6)
    # of 2000 numbers, the mean has a deviation of 0.045, the variance of 0.127: within four of them
    assert abs(drawn.mean()) < 0.18
    assert abs(drawn.var() - 4) < 0.51
    both = np.asarray(initializers.normal(2.0)(KEY, SHAPE, "complex64"))
    assert abs(np.mean(abs(both) ** 2) - 4) < 4 * 4 / np.sqrt(2000)


def test_uniform() -> None:
    drawn = np.asarray(initializers.uniform(2.0)(KEY, SHAPE), np.float64)
    assert drawn.min() >= 0
    assert drawn.max() < 2
    assert abs(drawn.mean() - 1) < 4 * 2 / np.sqrt(12 * 2000)


def test_truncated_normal() -> None:
    drawn = np.asarray(initializers.truncated_normal(2.0)(KEY, SHAPE), np.float64)
    assert abs(drawn).max() < 4
    # the deviation of a normal number between -2 and 2 is 0.8796
    assert abs(drawn.std() - 2 * 0.8796) < 0.09
    cut = np.asarray(initializers.truncated_normal(2.0, lower=-1.0, upper=0.5)(KEY, SHAPE))
    assert cut.min() > -2
    assert cut.max() < 1


@pytest.mark.parametrize("initializer", DRAWN, ids=["normal", "uniform", "truncated_normal"])
def test_types_and_shapes(initializer: Callable[..., Any], staged: Callable[..., Any]) -> None:
    for dtype in ("float16", "float32"):
        assert initializer(KEY, (3,), dtype).dtype == np.dtype(dtype)
    assert initializer(KEY, (3,)).dtype == np.float32
    assert initializer(KEY, (0, 3)).shape == (0, 3)
    assert initializer(KEY, ()).shape == ()
    with pytest.raises(ArgumentError, match="float"):
        initializer(KEY, (3,), "int32")
    np.testing.assert_array_equal(
        staged(lambda key: initializer(key, (3,)), KEY), initializer(KEY, (3,))
    )


def test_default_types() -> None:
    for make in (initializers.normal, initializers.uniform, initializers.truncated_normal):
        assert make(2.0, "float16")(KEY, (2,)).dtype == np.float16
        assert make(2.0, "float16")(KEY, (2,), "float32").dtype == np.float32


def test_what_is_no_number_is_refused_at_once() -> None:
    for make in (initializers.normal, initializers.uniform, initializers.constant):
        with pytest.raises((ArgumentError, DTypeError)):
            make("much")  # type: ignore[arg-type]  # not a number

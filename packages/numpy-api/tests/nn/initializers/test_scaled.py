"""Variance scaling: the variance of each mode and distribution, axes, ranges, types."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError
from treadle_ir.errors import AxisError
from treadle_numpy.nn import initializers

KEY = np.array([0, 3], np.uint32)  # PRNGKey(3)
DISTRIBUTIONS = ("truncated_normal", "normal", "uniform")
FANS = {"fan_in": 60.0, "fan_out": 40.0, "fan_avg": 50.0, "fan_geo_avg": math.sqrt(2400)}
BOUND = 4 * math.sqrt(
    2 / 2400
)  # four deviations of the variance of 2400 normal numbers; others vary less


@pytest.mark.parametrize("mode", FANS)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_variance_and_range(mode: str, distribution: str) -> None:
    drawn = np.asarray(initializers.variance_scaling(2.0, mode, distribution)(KEY, (60, 40)))
    true = 2.0 / FANS[mode]
    assert abs(drawn.astype(np.float64).var() / true - 1) < BOUND
    assert abs(drawn.mean()) < 4 * math.sqrt(true / 2400)
    if distribution == "uniform":
        assert abs(drawn).max() <= math.sqrt(3 * true) * (1 + 1e-6)
    if distribution == "truncated_normal":
        assert abs(drawn).max() <= 2 * math.sqrt(true) / 0.8796


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_complex(distribution: str) -> None:
    drawn = np.asarray(
        initializers.variance_scaling(2.0, "fan_in", distribution)(KEY, (60, 40), "complex64")
    )
    excess = 0.92537 / 0.95311**2 if distribution == "truncated_normal" else 1.0
    assert abs(np.mean(abs(drawn) ** 2) * 30 / excess - 1) < BOUND
    assert abs(np.mean(drawn.real**2) * 60 / excess - 1) < 1.5 * BOUND  # half of it in each part
    assert abs(drawn.mean()) < 4 * math.sqrt(1 / 30 / 2400)
    if distribution == "uniform":  # a disc
        assert abs(drawn).max() <= math.sqrt(2 / 30) * (1 + 1e-6)
    if distribution == "truncated_normal":
        assert abs(drawn).max() <= 2 / 0.95311 * math.sqrt(1 / 30) * (1 + 1e-6)


@pytest.mark.parametrize(
    ("shape", "axes", "fans"),
    [
        ((3, 5, 4, 6), {}, (60, 90)),  # a window of 3 by 5
        ((4, 3, 6), {"in_axis": 0, "out_axis": 2}, (12, 18)),
        ((4, 3, 6), {"in_axis": (0, 1), "out_axis": -1}, (12, 6)),
        ((7, 4, 6), {"batch_axis": 0}, (4, 6)),
        ((7, 2, 4, 6), {"batch_axis": (0, 1)}, (4, 6)),
        ((4, 6), {"in_axis": (), "out_axis": (0, 1)}, (1, 24)),
        ((10, 6), {"in_axis": -2, "out_axis": 0}, (60 / 10, 60 / 10)),  # as embeddings have it
    ],
)
def test_axes(shape: tuple[int, ...], axes: dict[str, Any], fans: tuple[float, float]) -> None:
    """The same numbers as a matrix whose fan is known, of the same size."""
    for mode, fan in zip(("fan_in", "fan_out"), fans, strict=True):
        drawn = initializers.variance_scaling(1.0, mode, "normal", **axes)(KEY, shape)
        plain = initializers.normal(1.0)(KEY, shape)
        np.testing.assert_allclose(drawn, np.asarray(plain) / math.sqrt(fan), rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "scale", "mode", "distribution"),
    [
        ("glorot_uniform", 1.0, "fan_avg", "uniform"),
        ("glorot_normal", 1.0, "fan_avg", "truncated_normal"),
        ("lecun_uniform", 1.0, "fan_in", "uniform"),
        ("lecun_normal", 1.0, "fan_in", "truncated_normal"),
        ("he_uniform", 2.0, "fan_in", "uniform"),
        ("he_normal", 2.0, "fan_in", "truncated_normal"),
    ],
)
def test_named(name: str, scale: float, mode: str, distribution: str) -> None:
    plain = initializers.variance_scaling(scale, mode, distribution)
    np.testing.assert_array_equal(getattr(initializers, name)()(KEY, (3, 4)), plain(KEY, (3, 4)))
    half = getattr(initializers, name)(1, 0, (), "float16")(KEY, (3, 4))
    turned = initializers.variance_scaling(scale, mode, distribution, 1, 0, (), "float16")
    np.testing.assert_array_equal(half, turned(KEY, (3, 4)), strict=True)


def test_other_names() -> None:
    assert initializers.xavier_uniform is initializers.glorot_uniform
    assert initializers.xavier_normal is initializers.glorot_normal
    assert initializers.kaiming_uniform is initializers.he_uniform
    assert initializers.kaiming_normal is initializers.he_normal


def test_staged_as_eager(staged: Callable[..., Any]) -> None:
    for distribution in DISTRIBUTIONS:
        for dtype in ("float32", "complex64"):
            initializer = initializers.variance_scaling(1.0, "fan_in", distribution, dtype=dtype)
            np.testing.assert_array_equal(
                staged(lambda key, f=initializer: f(key, (2, 3)), KEY), initializer(KEY, (2, 3))
            )


def test_edges() -> None:
    he = initializers.he_normal()
    assert he(KEY, (0, 3)).shape == (0, 3)
    assert np.isnan(initializers.variance_scaling(-1.0, "fan_in", "normal")(KEY, (2, 2))).all()
    with pytest.raises(ShapeError, match="at least 2D"):
        he(KEY, (3,))
    with pytest.raises(AxisError, match="in_axis"):
        initializers.he_normal(in_axis=5)(KEY, (2, 3))
    with pytest.raises(ArgumentError, match="fan_in, fan_out"):
        initializers.variance_scaling(1.0, "fan", "normal")
    with pytest.raises(ArgumentError, match="truncated_normal, normal, uniform"):
        initializers.variance_scaling(1.0, "fan_in", "gauss")
    with pytest.raises(ArgumentError, match="float or complex"):
        he(KEY, (2, 3), "int32")

from __future__ import annotations

import numpy as np
import pytest

from treadle_autodiff import jvp_rules, vjp
from treadle_ir import Operand, Primitive, bind
from treadle_ir.primitives.reduce import ReduceMaximum, ReduceMinimum, ReduceMultiply


def tangent(primitive: Primitive, x: Operand, dx: Operand) -> Operand:
    return jvp_rules[primitive](primitive, [x], [dx])[1][0]  # type: ignore[return-value]


@pytest.mark.parametrize("primitive", [ReduceMaximum((0,)), ReduceMinimum((0,))])
def test_extremes_share_among_ties(primitive: Primitive) -> None:
    x = np.array([2, 2, 2], np.float32)
    assert tangent(primitive, x, np.array([1, 4, 7], np.float32)) == 4


def test_only_what_attains_the_maximum_counts() -> None:
    x, dx = np.array([1, 3, 3, 0], np.float32), np.array([np.inf, 1, 2, np.nan], np.float32)
    assert tangent(ReduceMaximum((0,)), x, dx) == 1.5


@pytest.mark.parametrize("primitive", [ReduceMaximum((1,)), ReduceMinimum((1,))])
def test_nan_is_nan_forward_and_in_reverse(primitive: Primitive) -> None:
    x = np.array([[1, np.nan, 3], [4, 4, 4]], np.float32)
    _, (dy,) = jvp_rules[primitive](primitive, [x], [np.ones_like(x)])
    np.testing.assert_array_equal(np.asarray(dy), [np.nan, 1])
    _, pull = vjp(lambda x: bind(primitive, x)[0], x)
    (ct,) = pull(np.ones(2, np.float32))
    np.testing.assert_allclose(np.asarray(ct), [[np.nan] * 3, [1 / 3] * 3], rtol=1e-6)


def test_many_ties_of_narrow_floats() -> None:
    x = np.zeros(5000, np.float16)  # more than float16 counts by ones
    assert tangent(ReduceMaximum((0,)), x, np.ones(5000, np.float16)) == 1


@pytest.mark.parametrize(
    ("x", "expected"),
    [([2, 3, 4], [12, 8, 6]), ([0, 3, 4], [12, 0, 0]), ([0, 3, 0], [0, 0, 0]), ([5], [1])],
)
def test_product_with_zeros(x: list[float], expected: list[float]) -> None:
    rows = np.eye(len(x))
    point = np.array(x, np.float64)
    assert [float(np.asarray(tangent(ReduceMultiply((0,)), point, dx))) for dx in rows] == expected

from __future__ import annotations

import numpy as np

from treadle_autodiff import jvp_rules
from treadle_autodiff.rules.recurrence import recurrence
from treadle_ir import Operand, Primitive
from treadle_ir.primitives.cumulative import (
    CumulativeLogsumexp,
    CumulativeMaximum,
    CumulativeMinimum,
    CumulativeMultiply,
)


def tangent(primitive: Primitive, x: Operand, dx: Operand) -> Operand:
    return jvp_rules[primitive](primitive, [x], [dx])[1][0]  # type: ignore[return-value]


def test_recurrence_against_a_loop() -> None:
    random = np.random.default_rng(0)
    for n in (1, 2, 3, 7, 8, 9, 16, 17, 32, 33, 67, 200):
        a, b = random.standard_normal((2, n))
        expected, y = [], 0.0
        for a_k, b_k in zip(a, b, strict=True):
            y = a_k * y + b_k
            expected.append(y)
        np.testing.assert_allclose(np.asarray(recurrence(a, b, 0, False)), expected, rtol=1e-12)
        np.testing.assert_allclose(
            np.asarray(recurrence(a[::-1], b[::-1], 0, True)), expected[::-1], rtol=1e-12
        )


def test_recurrence_along_an_axis_of_several() -> None:
    a, b = np.random.default_rng(1).standard_normal((2, 3, 19, 2))
    for reverse in (False, True):
        whole = np.asarray(recurrence(a, b, 1, reverse))
        for i, j in np.ndindex(3, 2):
            alone = recurrence(a[i, :, j], b[i, :, j], 0, reverse)
            np.testing.assert_allclose(whole[i, :, j], np.asarray(alone), rtol=1e-12)


def test_products_with_zeros() -> None:
    x, dx = np.array([2.0, 0.0, 3.0, 0.0]), np.array([0.0, 1.0, 0.0, 0.0])
    np.testing.assert_array_equal(tangent(CumulativeMultiply(0), x, dx), [0, 2, 6, 0])


def test_extremes_follow_the_first_that_attains_them() -> None:
    x, dx = np.array([1.0, 1.0, 3.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    np.testing.assert_array_equal(tangent(CumulativeMaximum(0), x, dx), [1, 1, 3, 3, 3])
    np.testing.assert_array_equal(tangent(CumulativeMaximum(0, True), x, dx), [5, 5, 5, 5, 5])
    np.testing.assert_array_equal(tangent(CumulativeMinimum(0), x, dx), [1, 1, 1, 1, 1])
    x = np.array([1.0, np.nan, 3.0])
    np.testing.assert_array_equal(tangent(CumulativeMaximum(0), x, dx[:3]), [1, 2, 2])


def test_logsumexp_far_apart_and_empty() -> None:
    x = np.array([-1000.0, 0.0, 1000.0])
    np.testing.assert_array_equal(
        tangent(CumulativeLogsumexp(0), x, np.array([1.0, 2.0, 3.0])), [1, 2, 3]
    )
    x = np.array([-np.inf, -np.inf, 1.0])
    np.testing.assert_array_equal(tangent(CumulativeLogsumexp(0), x, np.ones(3)), [0, 0, 1])

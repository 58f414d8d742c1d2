from __future__ import annotations

import math

import numpy as np
import pytest

from treadle_ir.formulas.arithmetic import Number
from treadle_ir.formulas.continued_fractions import continued_fraction
from treadle_ir.reference.special.engine import evaluated


@pytest.mark.parametrize("positive", [False, True])
def test_a_tangent_is_a_continued_fraction(positive: bool) -> None:
    def tangent(x: Number) -> Number:
        # tan(x) / x = 1 / (1 - x^2 / (3 - x^2 / (5 - ...)))
        square = x * x
        return continued_fraction(
            [x], x.full(1.0), lambda k: (-square, 2.0 * k + 1.0), 100, positive=positive
        )

    x = np.array([0.1, 1.0, 1.5])
    np.testing.assert_allclose(evaluated(tangent, x) * x, np.tan(x), rtol=1e-14)


def test_a_denominator_that_vanishes_on_the_way_is_passed() -> None:
    def fraction(x: Number) -> Number:
        # 1 / (1 - 1 / (1 + 1 / (1 + ...))): the first part is 1 / (1 - 1 / 1)
        return continued_fraction(
            [x],
            x.full(1.0),
            lambda k: (1.0 - 2.0 * x.full(1.0) / (k * k * k * k), x.full(1.0)),
            500,
        )

    assert np.isfinite(evaluated(fraction, np.ones(1))).all()


def test_terms_are_at_most_so_many() -> None:
    def golden(x: Number) -> Number:
        return continued_fraction([x], x.full(1.0), lambda k: (x, x), 3)

    # the fraction of three terms, of which Fibonacci's numbers are the convergents
    assert math.isclose(float(evaluated(golden, np.ones(1))[0]), 3 / 5)

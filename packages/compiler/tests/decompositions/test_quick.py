"""Functions written out for results in float32, compared with NumPy's and SciPy's in float64."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.special

from treadle_compiler.decompositions.staged import program_of
from treadle_compiler.decompositions.turns import TURNS
from treadle_ir import ArrayType, ReferenceEvaluator, evaluating, interpret
from treadle_ir.formulas import arithmetic as a

drawn = np.random.default_rng(0)
POSITIVE = 10 ** drawn.uniform(-45, 38, 3000)
NEAR = drawn.uniform(-0.5, 1, 3000) * 10 ** drawn.uniform(-12, 0, 3000)
SINGLE = np.concatenate([POSITIVE, -POSITIVE, drawn.uniform(-30, 30, 3000)]).astype("f4") * 1.0
ENDS = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, -2.0])


def staged(function, x):
    """By the program of a rounded formula."""
    x = np.asarray(x, np.float64)
    program = program_of(function, 1, ArrayType(x.shape, x.dtype), True)
    with evaluating(ReferenceEvaluator()):
        (value,) = interpret(program, x)
    return np.asarray(value)


def reciprocal(x):
    return a.exp(x) / a.exp(x * 2.0)


def lgamma(x):
    return x.apply("lgamma")


def digamma(x):
    return x.apply("digamma")


@pytest.mark.parametrize(
    ("function", "truth", "x", "bound"),
    [
        (a.exp, np.exp, np.concatenate([drawn.uniform(-700, 700, 3000), NEAR]), 2.0**-42),
        (a.log, np.log, np.concatenate([POSITIVE, 1 + NEAR]), 2.0**-50),
        (a.log1p, np.log1p, np.concatenate([POSITIVE, NEAR]), 2.0**-50),
        (a.sin, np.sin, SINGLE.astype(np.float64), 2.0**-41),
        (a.cos, np.cos, SINGLE.astype(np.float64), 2.0**-41),
        (a.erfc, scipy.special.erfc, drawn.uniform(-6, 26, 3000), 2.0**-32),
        (reciprocal, lambda x: np.exp(-x), drawn.uniform(-300, 300, 3000), 2.0**-41),
    ],
    ids=["exp", "log", "log1p", "sin", "cos", "erfc", "divide"],
)
def test_relative_errors(function, truth, x, bound):
    true = truth(x)
    assert np.max(np.abs(staged(function, x) / true - 1)) < bound


@pytest.mark.parametrize(
    ("function", "truth"), [(lgamma, scipy.special.gammaln), (digamma, scipy.special.psi)]
)
def test_gamma_functions(function, truth):
    below = -drawn.uniform(0, 50, 3000).astype("f4").astype("f8")
    x = np.concatenate([POSITIVE, 1 + NEAR, 2 + NEAR, below])
    true = truth(x)
    assert np.max(np.abs(staged(function, x) - true) / np.maximum(1, np.abs(true))) < 2.0**-37


@pytest.mark.parametrize(
    ("function", "truth"),
    [
        (a.exp, np.exp),
        (a.log, np.log),
        (a.log1p, np.log1p),
        (a.erfc, scipy.special.erfc),
        (a.sin, np.sin),
        (a.cos, np.cos),
    ],
)
def test_ends(function, truth):
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(staged(function, ENDS), truth(ENDS), rtol=2.0**-31)
        beyond = np.array([-800.0, 800.0])
        if function is a.exp:
            np.testing.assert_array_equal(staged(function, beyond), [0, np.inf])


def test_poles_of_gamma_functions():
    infinite = [np.inf, np.inf, np.inf, np.inf, np.nan, np.inf, np.inf]
    np.testing.assert_array_equal(staged(lgamma, ENDS), infinite)
    undefined = [-np.inf, -np.inf, np.inf, np.nan, np.nan, np.nan, np.nan]
    np.testing.assert_array_equal(staged(digamma, ENDS), undefined)


def pi(digits: int) -> Fraction:
    """Machin's formula: pi = 16 arctan(1/5) - 4 arctan(1/239)."""

    def arctan(n: int) -> Fraction:
        unit = 10 ** (digits + 5)
        terms = (unit // n ** (2 * k + 1) // (2 * k + 1) for k in range(2 * digits))
        return Fraction(sum(term if k % 2 == 0 else -term for k, term in enumerate(terms)), unit)

    return 16 * arctan(5) - 4 * arctan(239)


def test_parts_of_a_turn() -> None:
    turn = 1 / (2 * pi(120))
    # x < 2^128 is a whole multiple of 1, 2^37, 2^74 where the parts for it are used
    for parts, unit in zip(TURNS, (0, 37, 74), strict=True):
        first, second, third = (Fraction(part) * 2**unit for part in parts)
        left_out = turn * 2**unit - (first + second + third)
        assert abs(left_out - round(left_out)) < Fraction(1, 2**113)
        for part, place in ((first, 30), (second, 60)):  # 24 bits times 29 are 53
            assert (part * 2**place).denominator == 1
            assert abs(part * 2**place) < 2**29

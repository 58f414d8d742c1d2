"""Descents and rare parts of formulas."""

import numpy as np
import pytest

from treadle_compiler.decompositions.staged import program_of
from treadle_ir import ArrayType, ReferenceEvaluator, evaluating, interpret
from treadle_ir.formulas.arithmetic import exp
from treadle_ir.formulas.dual import slope_by, varied
from treadle_ir.formulas.loops import descent, where_rare
from treadle_ir.reference.special.engine import evaluated


def staged(formula, *operands):
    arrays = [np.asarray(x, np.float64) for x in operands]
    program = program_of(formula, len(arrays), ArrayType(arrays[0].shape, arrays[0].dtype))
    with evaluating(ReferenceEvaluator()):
        (value,) = interpret(program, *arrays)
    return np.asarray(value)


def exponential(x, counts):
    """1 + x (1 + x / 2 (1 + x / 3 ...))."""
    return descent(
        [x],
        counts,
        lambda _: x.full(1.0),
        lambda k, top, bottom: (k * bottom + x * top, k * bottom),
    )


def its_slope(x, counts):
    by = varied(x, counts)
    return slope_by(by, exponential(by, counts))


@pytest.mark.parametrize("run", [evaluated, staged])
def test_a_descent_makes_the_steps_that_an_element_counts(run):
    x = np.array([0.5, 0.5, 2.0, -1.0])
    counts = np.array([30.0, 0.0, 40.0, 24.0])
    expected = [np.exp(0.5), 1.0, np.exp(2.0), np.exp(-1.0)]
    np.testing.assert_allclose(run(exponential, x, counts), expected, rtol=1e-14)
    # in blocks of eight
    few = sum(0.5**k / float(np.prod(np.arange(1, k + 1))) for k in range(9))
    np.testing.assert_allclose(run(exponential, x[:1], np.array([3.0])), [few], rtol=1e-15)


@pytest.mark.parametrize("run", [evaluated, staged])
def test_a_descent_of_derivatives(run):
    x, counts = np.array([0.5, 2.0]), np.array([32.0, 40.0])
    np.testing.assert_allclose(run(its_slope, x, counts), np.exp(x), rtol=1e-13)


@pytest.mark.parametrize("run", [evaluated, staged])
def test_an_element_does_not_depend_on_its_neighbours(run):
    x, counts = np.array([0.7, 3.0]), np.array([9.0, 60.0])
    (alone,) = run(exponential, x[:1], counts[:1])
    assert run(exponential, x, counts)[0] == alone
    assert run(exponential, x, np.array([9.0, np.nan]))[0] == alone


@pytest.mark.parametrize("run", [evaluated, staged])
def test_no_steps_at_all(run):
    np.testing.assert_array_equal(run(exponential, np.ones(3), np.zeros(3)), np.ones(3))
    assert run(exponential, np.ones(0), np.ones(0)).shape == (0,)


@pytest.mark.parametrize("run", [evaluated, staged])
def test_rare_parts(run):
    def formula(x):
        return where_rare([x], x < 0.0, lambda: exp(x), x)

    def slope(x):
        by = varied(x)
        return slope_by(by, formula(by))

    for x in (np.array([-1.0, 2.0]), np.array([1.0, 2.0])):
        np.testing.assert_allclose(run(formula, x), np.where(x < 0, np.exp(x), x), rtol=1e-15)
        np.testing.assert_allclose(run(slope, x), np.where(x < 0, np.exp(x), 1.0), rtol=1e-15)


def test_what_no_element_wants_is_not_computed():
    def unwanted():
        raise AssertionError

    x = np.array([1.0, 2.0])
    value = evaluated(lambda x: where_rare([x], x < 0.0, unwanted, x), x)
    np.testing.assert_array_equal(value, x)

"""Derivatives of formulas, also of higher order and by several operands."""

import mpmath as mp
import numpy as np
import pytest

from treadle_ir import ArrayType
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.errors.kinds import ArgumentError
from treadle_ir.formulas.table import _Derivative, formula_of
from treadle_ir.primitives import elementwise as e
from treadle_ir.reference.special.engine import evaluated


def incomplete_gamma(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def incomplete_beta(a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


@pytest.mark.parametrize(
    ("function", "truth", "point", "orders"),
    [
        ("igamma", incomplete_gamma, (2.5, 3.0), (1, 0)),
        ("igamma", incomplete_gamma, (2.5, 0.7), (2, 0)),
        ("igamma", incomplete_gamma, (0.4, 0.2), (1, 1)),
        ("igamma", incomplete_gamma, (150.0, 140.0), (1, 1)),
        ("regularized_incomplete_beta", incomplete_beta, (2.5, 1.5, 0.3), (1, 0, 0)),
        ("regularized_incomplete_beta", incomplete_beta, (2.5, 0.5, 0.9), (0, 1, 0)),
        ("regularized_incomplete_beta", incomplete_beta, (2.5, 1.5, 0.7), (1, 1, 0)),
        ("zeta", mp.zeta, (2.5, 1.5), (1, 0)),
        ("zeta", mp.zeta, (2.5, 1.5), (1, 2)),
    ],
)
def test_derivatives_by_formula(errors, function, truth, point, orders):
    formula = formula_of(e.FormulaDerivative(function, orders))

    def derivative(*operands):
        with mp.workdps(60):
            return mp.diff(truth, operands, orders)

    assert np.max(errors(formula, derivative, *[np.array([v]) for v in point])) < 200


def test_of_no_order_it_is_the_function():
    primitive = e.FormulaDerivative("zeta", (0, 0))
    x = np.array([2.0, 3.5])
    np.testing.assert_array_equal(
        evaluated(formula_of(primitive), x, x), evaluated(formula_of(e.Zeta()), x, x)
    )


def test_by_what_a_formula_does_not_depend_on_it_is_zero():
    formula = _Derivative(lambda x, y: x * 2.0, (0, 1))
    np.testing.assert_array_equal(evaluated(formula, np.ones(2), np.ones(2)), [0, 0])


@pytest.mark.parametrize(
    ("function", "orders"), [("sine", (1,)), ("zeta", (1,)), ("zeta", (1, -1))]
)
def test_formula_derivative_c1_c2(function, orders):
    types = [ArrayType((), BY_NAME["f32"])] * 2
    with pytest.raises(ArgumentError, match="formula_derivative"):
        e.FormulaDerivative(function, orders).infer(*types)


@pytest.mark.parametrize(
    ("function", "orders", "point"),
    [
        ("zeta", (1, 0), (0.5, 1.0)),
        ("zeta", (2, 0), (-1.0, 1.5)),
        ("igamma", (1, 0), (-1.0, 2.0)),
        ("igamma", (2, 0), (1.0, -1.0)),
        ("random_gamma_grad", (1, 0), (-1.0, 2.0)),
        ("random_gamma_grad", (0, 1), (1.0, -2.0)),
        ("regularized_incomplete_beta", (1, 0, 0), (-1.0, 2.0, 0.5)),
        ("hyp2f1", (1, 0, 0, 0), (1.0, 2.0, 3.0, 2.0)),
    ],
)
def test_there_is_no_derivative_of_what_is_not_defined(function, orders, point):
    operands = [np.array([x]) for x in point]
    none = tuple(0 for _ in orders)
    assert np.isnan(evaluated(formula_of(e.FormulaDerivative(function, none)), *operands))
    assert np.isnan(evaluated(formula_of(e.FormulaDerivative(function, orders)), *operands))

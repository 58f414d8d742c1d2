"""Functions that SciPy computes, compared with the reference kernels."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.special  # noqa: F401 - it takes longer than an example may, and the kernels import it

from treadle_ir import ArrayType, Elementwise, eval_rules
from treadle_ir.primitives import elementwise as e
from treadle_runtime.evaluation import special
from treadle_runtime.evaluation.host_kernels import host_kernel

F32 = np.dtype(np.float32)
ONE_OPERAND = [
    e.BesselI0e,
    e.BesselI1e,
    e.CosineIntegral,
    e.Dawson,
    e.Digamma,
    e.ErfcInv,
    e.Erfcx,
    e.Expi,
    e.SineIntegral,
    e.Spence,
]
TWO_OPERANDS = [e.Igamma, e.Igammac, e.Zeta]
POSITIVE = (1e-45, 1e-38, 1e-6, 0.5, 1.0, 1.4616321, 2.0000002, 7.5, 17.0, 300.0, 3e38, np.inf)
SPECIAL = (0.0, *POSITIVE, np.nan, -0.0, *[-x for x in POSITIVE])


def assert_served(primitive: Elementwise, *operands: np.ndarray) -> None:
    """The kernel gives what the rule gives, up to the last bit."""
    kernel = host_kernel(primitive, [ArrayType(x.shape, x.dtype) for x in operands])
    assert kernel is not None
    with np.errstate(all="ignore"):
        found = np.asarray(kernel(*operands))
        (expected,) = eval_rules[primitive](primitive, *operands)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found, expected, rtol=2.4e-7, atol=3e-45)


def assert_each_served(primitive: Elementwise, operands: np.ndarray) -> None:
    """Check each element by itself, since a single unsupported element makes the rule compute the entire array."""
    kernel = host_kernel(primitive, [ArrayType((1,), F32) for _ in operands])
    assert kernel is not None
    with np.errstate(all="ignore"):
        found = np.concatenate([kernel(*each) for each in zip(*operands[..., None], strict=True)])
        (expected,) = eval_rules[primitive](primitive, *operands)
    np.testing.assert_allclose(found, expected, rtol=2.4e-7, atol=3e-45)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


@pytest.mark.parametrize("kind", ONE_OPERAND)
def test_a_function_of_one_operand_is_that_of_the_rule(kind: type[Elementwise]) -> None:
    assert_each_served(kind(), np.array([SPECIAL], F32))
    assert_served(kind(), np.linspace(-12, 12, 400, dtype=F32))
    assert_served(kind(), np.linspace(0.01, 30, 400, dtype=F32).reshape(2, -1).T)
    assert_served(kind(), np.array(0.75, F32))


@pytest.mark.parametrize("kind", TWO_OPERANDS)
def test_a_function_of_two_operands_is_that_of_the_rule(kind: type[Elementwise]) -> None:
    assert_each_served(kind(), np.array([*itertools.product(POSITIVE, POSITIVE)], F32).T)
    drawn = np.random.default_rng(0).uniform(0.01, 30, (2, 100)).astype(F32)
    assert_served(kind(), *drawn)
    assert_served(kind(), drawn[0], np.array(3.0, F32))
    assert_served(kind(), np.array(SPECIAL, F32), np.array(SPECIAL[::-1], F32))


def test_the_incomplete_beta_function_is_that_of_the_rule() -> None:
    beta = e.RegularizedIncompleteBeta()
    parts = (1e-38, 0.3, 0.9999999, 1.0)
    assert_each_served(beta, np.array([*itertools.product(POSITIVE, POSITIVE, parts)], F32).T)
    drawn = np.random.default_rng(0).uniform(0.01, 9, (2, 100)).astype(F32)
    assert_served(beta, *drawn, np.linspace(0, 1, 100, dtype=F32))
    assert_served(
        beta, *np.array([[0, -1, 1, 1, 2], [1, 2, 3, np.nan, 2], [0.5, 0.5, 1.5, 0.5, 0]], F32)
    )


@pytest.mark.parametrize("kind", [e.Expn, e.Polygamma])
def test_functions_of_an_order_are_those_of_the_rule(kind: type[Elementwise]) -> None:
    orders = (0.0, -0.0, 1.0, 2.0, 7.0, 40.0, 200.0)
    assert_each_served(kind(), np.array([*itertools.product(orders, POSITIVE)], F32).T)
    drawn = np.random.default_rng(0).uniform(0.01, 30, (2, 60)).astype(F32)
    assert_served(kind(), np.floor(drawn[0]), drawn[1])
    assert_served(kind(), np.array(3.0, F32), drawn[1])
    some = np.array([[0.5, -1.0, 1e30, np.nan, 2.0, 2.0], [1.0, 1.0, 1.0, 1.0, 0.0, -1.5]], F32)
    assert_each_served(kind(), some)


def test_hypergeometric_functions_are_those_of_the_rule() -> None:
    parameters = (1e-3, 0.3, 2.5, 10.0)
    one = [*itertools.product(parameters, parameters, (-30.0, -0.5, 1e-4, 0.9, 8.0, 29.0))]
    assert_served(e.Hyp1f1(), *np.array([each for each in one if each[1] >= each[0]], F32).T)
    assert_served(e.Hyp1f1(), *np.array([each for each in one if each[2] > 0], F32).T)
    two = [*itertools.product(*[parameters] * 3, (-20.0, -0.4, 1e-4, 0.3, 0.8, 0.95))]
    assert_served(e.Hyp2f1(), *np.array([each for each in two if each[2] >= each[1]], F32).T)
    assert_served(e.Hyp2f1(), *np.array([each for each in two if each[3] > 0], F32).T)


@pytest.mark.parametrize("least", [0.01, 11.0])
def test_gauss_function_of_large_parameters_is_that_of_the_rule_without_it(
    least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b, c = np.random.default_rng(0).uniform(least, 40, (3, 64)).astype(F32)
    x = np.linspace(-3, 0.6, 64, dtype=F32)
    operands = [a, b, np.where(x < 0, np.maximum(b, c), c), x]
    assert_served(e.Hyp2f1(), *operands)
    shaped = [each.reshape(4, 16) for each in operands]
    assert_served(e.Hyp2f1(), np.array(30.0, F32), *shaped[1:])
    monkeypatch.setattr(special, "by_rule", lambda primitive: None)
    kernel = host_kernel(e.Hyp2f1(), [ArrayType((64,), F32)] * 4)
    assert kernel is not None
    assert np.isfinite(kernel(*operands)).all()


def test_where_scipy_is_wrong_hypergeometric_functions_are_the_rule() -> None:
    drawn = np.array([56.65672, 0.0043082424, -10.041135], F32)
    assert_served(e.Hyp1f1(), *drawn[:, None])
    drawn = np.array([0.063473716, 81.61374, 51.789055, 0.91858464], F32)
    assert_served(e.Hyp2f1(), *drawn[:, None])


def test_the_derivative_of_the_incomplete_gamma_function_is_that_of_the_rule() -> None:
    drawn = np.random.default_rng(0).uniform(0.2, 9, (2, 60)).astype(F32)
    assert_served(e.IgammaGradA(), *drawn)
    assert_served(e.IgammaGradA(), drawn[0].reshape(3, 20), np.array(2.0, F32))
    assert_served(e.IgammaGradA(), *drawn.astype(np.float16))
    assert_served(e.IgammaGradA(), np.array([1.0, 0.0, np.nan], F32), np.array([2.0, 1, 1], F32))


def test_narrow_types_are_served_and_wide_ones_are_not() -> None:
    half = np.linspace(0.5, 4, 5).astype(np.float16)
    assert_served(e.Digamma(), half)
    assert host_kernel(e.Digamma(), [ArrayType((5,), np.dtype(np.float64))]) is None


def test_nothing_and_many_have_none() -> None:
    for shape in ((0,), (1 << 20,)):
        assert host_kernel(e.Digamma(), [ArrayType(shape, F32)]) is None

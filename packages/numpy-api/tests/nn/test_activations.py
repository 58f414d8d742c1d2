"""Activations against their definitions, and at 0, where their formulas change."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from treadle_autodiff import grad, jvp, vjp
from treadle_ir import ArrayType, DTypeError, stage
from treadle_ir.tracing import interned
from treadle_numpy import nn, numpy as tnp

pytestmark = pytest.mark.usefixtures("wide")


ZERO = np.float64(0.0)


def test_a_body_with_relu_is_the_same_program_each_time_it_is_staged() -> None:
    def body(x: Any) -> list[Any]:
        return [nn.relu(x)]

    first, second = (
        interned(body, stage(body, ArrayType((3,), np.dtype(np.float32))).program) for _ in range(2)
    )
    assert first is second


def test_softplus_is_smooth_at_zero() -> None:
    for order, true in enumerate([0.5, 0.25, 0.0, -0.125], start=1):
        f: Any = nn.softplus
        for _ in range(order):
            f = grad(f)
        assert f(ZERO) == true
    assert grad(grad(nn.log_sigmoid))(ZERO) == -0.25


def test_softplus_far_from_zero() -> None:
    assert math.isclose(float(grad(nn.softplus)(np.float64(-40.0))), math.exp(-40), rel_tol=1e-14)
    for x, slope in ((np.inf, 1.0), (-np.inf, 0.0)):
        assert grad(nn.softplus)(np.float64(x)) == slope
    assert np.isclose(nn.softplus(1j), np.log(1 + np.exp(1j)))


@pytest.mark.parametrize("alpha", [1.0, 0.5, 2.0])
def test_celu_has_slope_one_at_zero(alpha: float) -> None:
    assert grad(lambda x: nn.celu(x, alpha))(ZERO) == 1.0
    x = np.array([-2.0, -0.0, 0.0, 3.0])
    expected = np.maximum(x, 0) + np.minimum(0, alpha * np.expm1(x / alpha))
    np.testing.assert_allclose(nn.celu(x, alpha), expected, rtol=1e-15)


def test_softmax_is_stable() -> None:
    np.testing.assert_allclose(nn.softmax(np.array([1e4, 1e4], np.float32)), [0.5, 0.5])
    np.testing.assert_allclose(nn.log_softmax(np.array([1e4, 0.0], np.float32)), [0.0, -1e4])


def test_hard_tanh_in_the_range_of_each_type() -> None:
    for dtype in ("i1", "i8", "f4", "f8"):
        result = nn.hard_tanh(np.array([-3, 0, 5], dtype))
        np.testing.assert_array_equal(result, np.array([-1, 0, 1], dtype), strict=True)
    unsigned = nn.hard_tanh(np.array([0, 1, 255], np.uint8))
    np.testing.assert_array_equal(unsigned, np.array([0, 1, 1], np.uint8), strict=True)
    flags = nn.hard_tanh(np.array([False, True]))
    np.testing.assert_array_equal(flags, np.array([0, 1]), strict=True)


@pytest.mark.parametrize("value", [np.array(["2020-01-01"], "M8[D]"), np.void(b"abc")])
def test_hard_tanh_needs_numbers(value: Any) -> None:
    with pytest.raises(DTypeError):
        nn.hard_tanh(value)


def test_sparse_plus_and_its_derivative() -> None:
    x = np.array([-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0])
    expected = np.where(x <= -1, 0, np.where(x >= 1, x, (x + 1) ** 2 / 4))
    np.testing.assert_allclose(nn.sparse_plus(x), expected)
    np.testing.assert_allclose(nn.sparse_sigmoid(x), np.clip((x + 1) / 2, 0, 1))
    slopes = [float(grad(nn.sparse_plus)(each)) for each in x]
    np.testing.assert_allclose(slopes, nn.sparse_sigmoid(x))


def test_log1mexp_keeps_its_digits() -> None:
    x = np.array([1e-30, 1e-8, 0.5, math.log(2), 0.7, 30.0, 800.0])
    expected = [
        *(math.log(1e-30), math.log(1e-8) - 0.5e-8, math.log(-math.expm1(-0.5)), math.log(0.5)),
        *(math.log1p(-math.exp(-0.7)), math.log1p(-math.exp(-30)), 0.0),
    ]
    np.testing.assert_allclose(nn.log1mexp(x), expected, rtol=1e-14)
    np.testing.assert_array_equal(nn.log1mexp(np.array([0.0, np.inf])), [-np.inf, 0])
    assert np.isnan(nn.log1mexp(np.array([-1.0, np.nan]))).all()
    for each in (1e-8, 0.5, 0.7, 30.0):
        true = 1 / math.expm1(each)
        assert math.isclose(float(grad(nn.log1mexp)(np.float64(each))), true, rel_tol=1e-13)
        bend = -math.exp(each) * true**2
        assert math.isclose(float(grad(grad(nn.log1mexp))(np.float64(each))), bend, rel_tol=1e-13)
    for order in (grad, lambda f: grad(grad(f)), lambda f: grad(grad(grad(f)))):
        assert np.isinf(order(nn.log1mexp)(ZERO))
        assert order(nn.log1mexp)(np.float64(800)) == 0
        assert order(nn.log1mexp)(np.float64(np.inf)) == 0


@pytest.mark.parametrize(
    "name", ["relu6", "elu", "celu", "selu", "hard_silu", "leaky_relu", "sparse_plus"]
)
def test_integers_yield_to_floats_as_with_a_python_number(name: str) -> None:
    whole = ArrayType((2,), np.dtype(np.int32), False)
    (made,) = stage(lambda x: [getattr(nn, name)(x)], whole).program.result_types
    assert isinstance(made, ArrayType)
    assert (made.dtype.kind, made.weak) == ("f", True)


@pytest.mark.parametrize("name", ["mish", "soft_sign", "softplus", "hard_tanh"])
def test_booleans_count_as_python_numbers(name: str) -> None:
    for kind, weak in ((np.bool_, True), (np.int32, False)):
        operand = ArrayType((2,), np.dtype(kind), False)
        (made,) = stage(lambda x: [getattr(nn, name)(x)], operand).program.result_types
        assert isinstance(made, ArrayType)
        assert made.weak is weak


@pytest.mark.parametrize(
    ("kind", "own", "b", "weak"),
    [
        ("f4", True, 4, True),
        ("i4", True, 4, True),
        ("i4", False, 4, False),
        ("i4", False, 4.0, True),
        ("?", False, 4, False),
        ("?", False, 4.0, True),
        ("f4", True, np.float32(4), False),
    ],
)
def test_squareplus_is_as_weak_as_both_operands_together(
    kind: str, own: bool, b: Any, weak: bool
) -> None:
    """Recorded of JAX 0.10.2."""
    operand = ArrayType((), np.dtype(kind), own)
    (made,) = stage(lambda x: [nn.squareplus(x, b)], operand).program.result_types
    assert isinstance(made, ArrayType)
    assert (made.dtype.kind, made.weak) == ("f", weak)


def test_integers_that_leak_by_an_integer_stay_integers() -> None:
    leaked = nn.leaky_relu(np.array([1, -2], np.int32), 2)
    assert leaked.dtype == np.int32
    np.testing.assert_array_equal(leaked, [1, -4])


def test_booleans_above_zero_are_integers() -> None:
    assert np.issubdtype(nn.relu(np.array([True, False])).dtype, np.integer)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_squareplus_of_whatever_number(dtype: str) -> None:
    most = float(tnp.finfo(dtype).max)
    x = np.array([most, -most, most / 2**9, 300, 2, -1.5, 0.0]).astype(dtype)
    exact = [most, 0.0, float(x[2]), 300.0033332962971, 1 + math.sqrt(2), 0.5, 1.0]
    np.testing.assert_allclose(
        np.asarray(nn.squareplus(x), float), exact, rtol=4 * float(tnp.finfo(dtype).eps)
    )
    slopes = [float(grad(nn.squareplus)(each)) for each in x]
    assert np.allclose(slopes, [1, 0, 1, 1, 0.8535534, 0.2, 0.5], atol=0.01)
    assert np.allclose([grad(grad(nn.squareplus))(each) for each in x[:3]], 0, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("approximate", [True, False])
def test_slopes_of_gelu_far_from_zero(dtype: str, approximate: bool) -> None:
    most = float(tnp.finfo(dtype).max)
    if approximate and dtype != "float16":  # cubes of f32 overflow beyond 7e12
        most = 1e12
    for x in (9.5, 10.0, 50.0, 200.0, most / 4, most):
        for sign in (1, -1):
            at = np.array(sign * x).astype(dtype)
            f: Any = lambda x: nn.gelu(x, approximate)  # noqa: E731
            assert math.isclose(float(f(at)), float(at) if sign > 0 else 0, abs_tol=1e-18)
            assert math.isclose(float(grad(f)(at)), sign > 0, abs_tol=1e-18)
            if approximate:
                assert float(grad(grad(f))(at)) == 0


def test_soft_sign_of_complex_numbers() -> None:
    x = np.array([3 + 4j, 0, -1j])
    np.testing.assert_allclose(nn.soft_sign(x), x / (1 + np.abs(x)))


def test_complex_rectifiers_are_differentiated_where_they_take_their_argument() -> None:
    # ordered by real parts, then by imaginary ones, as `maximum` does
    z = np.array([1 + 2j, -1 + 2j, 0 + 1j, 0 - 1j, 0j, 7 + 1j, 6 + 0j])
    ones = np.ones_like(z)
    value, slope = jvp(nn.relu, (z,), (ones,))
    np.testing.assert_array_equal(value, np.where([1, 0, 1, 0, 0, 1, 1], z, 0))
    np.testing.assert_array_equal(slope, [1, 0, 1, 0, 0, 1, 1])
    np.testing.assert_array_equal(vjp(nn.relu, z)[1](ones)[0], [1, 0, 1, 0, 0, 1, 1])
    value, slope = jvp(nn.relu6, (z,), (ones,))
    np.testing.assert_array_equal(value, [1 + 2j, 0, 1j, 0, 0, 6, 6])
    np.testing.assert_array_equal(slope, [1, 0, 1, 0, 0, 0, 0])

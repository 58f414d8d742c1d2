from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest

from treadle_autodiff import grad, hessian
from treadle_ir import ArrayType, DTypeError, ops, stage
from treadle_numpy import nn


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 3)])
@pytest.mark.parametrize("axis", [-1, 0])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_an_empty_axis_has_an_empty_softmax(name: str, axis: int, shape: tuple[int, ...]) -> None:
    got = getattr(nn, name)(np.zeros(shape, np.float32), axis)
    assert got.shape == shape


def test_the_mean_over_no_elements_is_no_number() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(nn.logmeanexp(np.zeros((0,), np.float32)))


@pytest.mark.parametrize("axis", [-1, 0, None])
def test_where_may_have_more_axes(axis: int | None) -> None:
    x = np.array([1.0, 2.0, 3.0], np.float32)
    where = np.array([[True, False, True], [True, True, True]])
    powers = np.where(where, np.exp(x.astype(float)), 0)
    total = powers.sum(axis, keepdims=True)
    np.testing.assert_allclose(nn.softmax(x, axis, where), powers / total, rtol=1e-6)
    np.testing.assert_allclose(np.exp(nn.log_softmax(x, axis, where)), powers / total, rtol=1e-6)
    np.testing.assert_allclose(
        nn.logsumexp(x, axis, where=where), np.log(powers.sum(axis)), rtol=1e-6
    )
    mean = powers.sum(axis) / where.sum(axis)
    np.testing.assert_allclose(nn.logmeanexp(x, axis, where), np.log(mean), rtol=1e-6)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp"])
def test_nan_and_infinity_reach_all_that_is_summed_with_them(name: str) -> None:
    x = np.array([[1, np.nan, 2], [np.inf, np.nan, 0], [np.inf, 1, 2], [1, 2, 3]], np.float32)
    got = np.asarray(getattr(nn, name)(x, -1)).reshape(4, -1)
    missing = [True, True, name != "logsumexp", False]
    np.testing.assert_array_equal(
        np.isnan(got), np.repeat(missing, got.shape[1]).reshape(got.shape)
    )


@pytest.mark.parametrize("axis", [0, 1, (0, 1)])
def test_derivatives_of_softmax(axis: int | tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal((3, 4))

    def plain(x: Any) -> Any:
        powers = ops.exponential(x)
        axes = (axis,) if isinstance(axis, int) else axis
        total = ops.reduce_add(powers, axes=axes)
        kept = [i for i in range(2) if i not in axes]
        return ops.divide(powers, ops.broadcast_in_dim(total, shape=x.shape, dimensions=kept))

    def cubed(f: Any) -> Any:
        return lambda x: ops.reduce_add(ops.integer_power(f(x), exponent=3), axes=(0, 1))

    ours = cubed(lambda x: nn.softmax(x, axis))
    np.testing.assert_allclose(grad(ours)(x), grad(cubed(plain))(x), rtol=1e-5)
    np.testing.assert_allclose(hessian(ours)(x), hessian(cubed(plain))(x), rtol=1e-4, atol=1e-6)


def test_the_gradient_of_softmax_takes_no_second_exponential() -> None:
    program = stage(
        lambda x: [grad(lambda x: ops.reduce_add(nn.softmax(x), axes=(0,)))(x)],
        ArrayType((4,), np.dtype("f4")),
    ).program
    counted = Counter([e.primitive.name for p in (program, *program.nested()) for e in p.equations])
    assert (counted["exponential"], counted["divide"]) == (1, 1)


@pytest.mark.parametrize("shape", [(3,), (2, 3), (0, 3)])
def test_softmax_of_complex_numbers(shape: tuple[int, ...]) -> None:
    drawn = np.random.default_rng(0).standard_normal((2, *shape)) * 3
    x = (drawn[0] + 1j * drawn[1]).astype(np.complex64)
    powers = np.exp(x.astype(complex))
    expected = powers / powers.sum(-1, keepdims=True)
    np.testing.assert_allclose(nn.softmax(x), expected, rtol=2e-5, atol=1e-6)
    np.testing.assert_allclose(np.exp(nn.log_softmax(x)), expected, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("algorithm", ["fast", "stable"])
def test_no_variance_of_complex_numbers(algorithm: str) -> None:
    x = np.array([1 + 1j, 2])
    with pytest.raises(DTypeError, match="standardize: the variance of elements"):
        nn.standardize(x, algorithm=algorithm)
    np.testing.assert_allclose(nn.standardize(x, mean=0, variance=4.0, epsilon=0), x / 2)

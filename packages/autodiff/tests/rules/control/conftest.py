"""What derivatives of all control flow are held to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from treadle_autodiff import grad, jvp
from treadle_ir import Operand, ops, type_of

Loss = Callable[..., Operand]


def _same(actual: Sequence[Any], expected: Sequence[Any]) -> None:
    for x, y in zip(actual, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-12)


def _of_gradient(loss: Loss, which: tuple[int, ...]) -> Loss:
    """A scalar made of a loss's gradient."""

    def scalar(*given: Operand) -> Operand:
        result: Operand = np.float64(0)
        for x in grad(loss, which)(*given):
            axes = tuple(range(type_of(x).ndim))
            result = ops.add(result, ops.reduce_add(ops.sine(x), axes=axes))
        return result

    return scalar


@pytest.fixture
def assert_same() -> Callable[[Sequence[Any], Sequence[Any]], None]:
    """Assert that arrays agree."""
    return _same


@pytest.fixture
def assert_same_derivatives() -> Callable[..., None]:
    """Assert that two losses agree in value, jvp and gradient."""

    def check(actual: Loss, expected: Loss, at: Sequence[Any], along: Sequence[Any]) -> None:
        which = tuple(range(len(at)))
        _same(jvp(actual, at, along), jvp(expected, at, along))
        _same(grad(actual, which)(*at), grad(expected, which)(*at))

    return check


@pytest.fixture
def assert_same_twice() -> Callable[..., None]:
    """Assert that two losses agree in second derivatives, reverse over reverse and forward over reverse."""

    def check(actual: Loss, expected: Loss, at: Sequence[Any], along: Sequence[Any]) -> None:
        which = tuple(range(len(at)))
        one, two = _of_gradient(actual, which), _of_gradient(expected, which)
        _same(grad(one, which)(*at), grad(two, which)(*at))
        _same([jvp(one, at, along)[1]], [jvp(two, at, along)[1]])

    return check

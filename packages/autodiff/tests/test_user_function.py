"""What a derivative function is the derivative of."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from treadle_autodiff import Differentiated, derivative_of, grad, jacfwd, jacrev, value_and_grad
from treadle_ir import Operand, ops


def f(x: Operand, y: Operand) -> Operand:
    return ops.multiply(x, y)


@pytest.mark.parametrize("make", [grad, value_and_grad, jacrev, jacfwd])
def test_each_transformation_notes_its_function(make: Callable[..., Any]) -> None:
    assert derivative_of(make(f, argnums=(0, 1), has_aux=True)) == Differentiated(
        make.__name__, f, (0, 1), True
    )


def test_of_a_derivative_of_a_derivative_the_outer_one_counts() -> None:
    inner = grad(f)
    found = derivative_of(grad(inner, 1))
    assert found is not None
    assert (found.function, found.argnums) == (inner, 1)


def test_a_wrapper_is_another_function() -> None:
    @functools.wraps(grad(f))
    def clipped(*args: Any) -> Any:
        return grad(f)(*args)

    assert derivative_of(clipped) is None
    assert derivative_of(f) is None
    assert derivative_of(3) is None


def test_positions_are_counted_from_the_front() -> None:
    assert Differentiated("grad", f, -1, False).positions(2) == (1,)
    assert Differentiated("grad", f, (0, 1), False).positions(2) == (0, 1)

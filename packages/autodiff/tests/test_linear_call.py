from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_autodiff import grad, jacrev, jvp, linear_call, linear_transpose, vjp
from treadle_ir import ArgumentError, ShapeError, ops
from treadle_ir.errors import StructureError

X, R = np.array([1.0, -2.0, 0.5]), np.array([2.0, 4.0, 8.0])


def divided(r: Any, x: Any, transposed: Any = ops.divide) -> Any:
    return linear_call(
        lambda r, x: ops.divide(x, r["by"]),
        lambda r, ct: transposed(ct, r["by"]),
        {"by": r},
        x,
    )


def test_reverse_mode_runs_the_transpose_and_forward_mode_does_not() -> None:
    wrong = lambda ct, r: ops.multiply(ct, r)  # noqa: E731
    np.testing.assert_array_equal(divided(R, X), X / R)
    np.testing.assert_array_equal(vjp(lambda x: divided(R, x), X)[1](X)[0], X / R)
    np.testing.assert_array_equal(vjp(lambda x: divided(R, x, wrong), X)[1](X)[0], X * R)
    np.testing.assert_array_equal(jvp(lambda x: divided(R, x, wrong), (X,), (X,))[1], X / R)
    np.testing.assert_array_equal(linear_transpose(lambda x: divided(R, x, wrong), X)(X)[0], X * R)


def test_the_transpose_of_the_transpose_is_the_function() -> None:
    tripled = lambda ct, r: ops.multiply(ct, r)  # noqa: E731
    there = lambda x: linear_transpose(lambda y: divided(R, y, tripled), X)(x)[0]  # noqa: E731
    np.testing.assert_array_equal(linear_transpose(there, X)(X)[0], X / R)


def test_residuals_have_derivatives() -> None:
    np.testing.assert_allclose(jacrev(divided)(R, X), np.diag(-X / R**2))

    def closed_over(r: Any) -> Any:
        return linear_call(
            lambda _, x: ops.multiply(x, r), lambda _, ct: ops.multiply(ct, r), (), np.float64(3.0)
        )

    assert grad(closed_over)(np.float64(2.0)) == 3.0

    def squared_gradient(r: Any) -> Any:
        return ops.reduce_add(
            grad(lambda x: ops.reduce_add(divided(r, x), axes=(0,)))(X), axes=(0,)
        )

    np.testing.assert_allclose(grad(squared_gradient)(R), -1 / R**2)


def test_trees() -> None:
    def function(x: Any) -> Any:
        return linear_call(
            lambda r, x: {"sum": ops.add(x[0], x[1]), "first": x[0]},
            lambda r, ct: (ops.add(ct["sum"], ct["first"]), ct["sum"]),
            None,
            x,
        )

    assert vjp(function, (1.0, 2.0))[1]({"sum": 10.0, "first": 1.0}) == ((11.0, 10.0),)


def test_errors() -> None:
    with pytest.raises(StructureError, match="what fun_transpose returned and linear_args"):
        linear_call(lambda r, x: x, lambda r, ct: (ct, ct), None, X)
    with pytest.raises(ShapeError, match="fun_transpose of linear_call returned a cotangent"):
        linear_call(lambda r, x: x, lambda r, ct: ops.reduce_add(ct, axes=(0,)), None, X)
    with pytest.raises(ArgumentError, match="fun_transpose"):
        linear_call(lambda r, x: x, None, None, X)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="linear_args"):
        linear_call(lambda r, x: x, lambda r, x: x, None, "x")

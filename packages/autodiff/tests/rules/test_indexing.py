from typing import Any

import numpy as np
import pytest

from treadle_autodiff import grad, hessian, jvp, linear_transpose, vjp
from treadle_ir import MissingRuleError, Operand, ops

POINTS: Any = {
    "update_window_dims": (),
    "inserted_window_dims": (0,),
    "scatter_dims_to_operand_dims": (0,),
}
INDICES = np.array([[0], [0], [2]])
WEIGHTS = np.array([2.0, 3.0, 5.0])
X, U = np.array([2.0, 0.0, 3.0]), np.array([1.0, 2.0, 3.0])


def weighted(x: Operand) -> Operand:
    return ops.reduce_add(ops.multiply(x, WEIGHTS), axes=(0,))


def test_scatter_gives_the_cotangent_to_the_update_that_stays() -> None:
    # updates 0 and 1 both go to element 0, and 1 stays; jax 0.10.2 has the same gradients
    ct_x, ct_u = grad(lambda x, u: weighted(ops.scatter(x, INDICES, u, **POINTS)), (0, 1))(X, U)
    np.testing.assert_array_equal(ct_x, [0, 3, 0])
    np.testing.assert_array_equal(ct_u, [0, 2, 5])


def test_scatter_has_results_and_tangents_of_the_same_update() -> None:
    result, tangent = jvp(lambda u: ops.scatter(X, INDICES, u, **POINTS), (U,), (10 * U,))
    np.testing.assert_array_equal(result, [2, 0, 3])
    np.testing.assert_array_equal(tangent, [20, 0, 30])


def test_scatter_keeps_infinities_and_nan_of_elements_that_are_replaced_out() -> None:
    x = np.array([np.inf, np.nan, 1.0])
    result, tangent = jvp(
        lambda x, u: ops.scatter(x, INDICES, u, **POINTS), (x, U), (np.ones(3), U)
    )
    np.testing.assert_array_equal(result, [2, np.nan, 3])
    np.testing.assert_array_equal(tangent, [2, 1, 3])


def test_scatter_maximum_shares_among_equals() -> None:
    # element 0 and update 1 are both 2, element 2 and update 2 both 3; jax 0.10.2 has the same gradients
    ct_x, ct_u = grad(lambda x, u: weighted(ops.scatter_maximum(x, INDICES, u, **POINTS)), (0, 1))(
        X, U
    )
    np.testing.assert_array_equal(ct_x, [1, 3, 2.5])
    np.testing.assert_array_equal(ct_u, [0, 1, 2.5])


def multiplied(x: Operand, u: Operand) -> Operand:
    return weighted(ops.scatter_multiply(x, INDICES, u, **POINTS))


def test_scatter_multiply_where_updates_meet() -> None:
    ct_x, ct_u = grad(multiplied, (0, 1))(X, U)
    np.testing.assert_array_equal(ct_x, [2 * 1 * 2, 3, 5 * 3])
    np.testing.assert_array_equal(ct_u, [2 * 2 * 2, 2 * 2 * 1, 5 * 3])


def test_scatter_multiply_where_updates_meet_and_are_zero() -> None:
    u = np.array([0.0, 0.0, 3.0])
    np.testing.assert_array_equal(grad(multiplied, 1)(X, u), [0, 0, 5 * 3])
    expected = np.zeros((3, 3))
    expected[0, 1] = expected[1, 0] = 2 * 2  # of 2 * x[0] * u[0] * u[1]
    np.testing.assert_array_equal(hessian(multiplied, 1)(X, u), expected)


def test_scatter_multiply_where_windows_overlap() -> None:
    windows: Any = {
        "update_window_dims": (1,),
        "inserted_window_dims": (),
        "scatter_dims_to_operand_dims": (0,),
        "mode": "clip",
    }
    x, indices = np.array([2.0, 3.0, 5.0, 7.0]), np.array([[0], [1], [9]])
    u = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])  # to elements 0 1, 1 2, 2 3

    def total(u: Operand) -> Operand:
        return ops.reduce_add(ops.scatter_multiply(x, indices, u, **windows), axes=(0,))

    expected = [[2, 3 * 3], [3 * 2, 5 * 5], [5 * 4, 7]]
    np.testing.assert_array_equal(grad(total)(u), expected)


def test_scatter_multiply_is_not_linear_in_the_updates() -> None:
    with pytest.raises(MissingRuleError, match="keeps its value"):
        linear_transpose(lambda u: ops.scatter_multiply(X, INDICES, u, **POINTS), U)(X)


def test_gather_has_no_derivative_where_it_fills() -> None:
    ct_x = grad(
        lambda x: ops.reduce_add(
            ops.gather(
                x,
                np.array([[1], [7], [-1], [1]]),
                offset_dims=(),
                collapsed_slice_dims=(0,),
                start_index_map=(0,),
                slice_sizes=(1,),
                fill_value=0,
            ),
            axes=(0,),
        )
    )(X)
    np.testing.assert_array_equal(ct_x, [0, 2, 0])


@pytest.mark.parametrize(
    "scatter",
    [
        ops.scatter,
        ops.scatter_add,
        ops.scatter_multiply,
        ops.scatter_maximum,
        ops.scatter_minimum,
    ],
)
def test_updates_of_nothing_have_the_gradient_zero(scatter: Any) -> None:
    nothing = np.zeros(0)
    points = {**POINTS, "mode": "fill"}

    def total(u: Operand) -> Operand:
        return ops.reduce_add(scatter(nothing, INDICES, u, **points), axes=(0,))

    np.testing.assert_array_equal(grad(total)(U), np.zeros(3))


def test_sorted_indices_that_a_gather_would_clip_are_not_promised_to_it() -> None:
    """The scatter drops the second index vector; clipped to (1, 0), as gathers do, it would come before the first."""
    indices = np.array([[1, 2], [5, 0]])

    def added(u: Operand) -> Operand:
        return ops.scatter_add(
            np.zeros((2, 3)),
            indices,
            u,
            update_window_dims=(),
            inserted_window_dims=(0, 1),
            scatter_dims_to_operand_dims=(0, 1),
            indices_are_sorted=True,
        )

    _, pull = vjp(added, np.ones(2))
    np.testing.assert_array_equal(pull(np.full((2, 3), 4.0))[0], [4, 0])

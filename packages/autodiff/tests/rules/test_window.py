import numpy as np

from treadle_autodiff import grad
from treadle_ir import Operand, ops


def test_maximum_gives_the_cotangent_to_the_first_of_equals() -> None:
    # jax 0.10.2 has the same gradient
    weights = np.arange(1.0, 8.0)

    def loss(x: Operand) -> Operand:
        pooled = ops.reduce_window_maximum(x, window_dimensions=(3,), padding=((1, 1),))
        return ops.reduce_add(ops.multiply(pooled, weights), axes=(0,))

    ct_x = grad(loss)(np.array([1.0, 1.0, 0.0, 2.0, 2.0, 0.0, 0.0]))
    np.testing.assert_array_equal(ct_x, [3, 0, 0, 12, 6, 7, 0])


def test_mean_of_windows_spreads_the_cotangent() -> None:
    def loss(x: Operand) -> Operand:
        pooled = ops.reduce_window_add(x, window_dimensions=(2, 2), window_strides=(2, 2))
        return ops.reduce_add(ops.multiply(pooled, np.array([[1.0, 2.0]])), axes=(0, 1))

    np.testing.assert_array_equal(grad(loss)(np.ones((2, 5))), [[1, 1, 2, 2, 0]] * 2)

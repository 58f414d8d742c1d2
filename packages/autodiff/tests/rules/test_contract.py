import numpy as np
import pytest

from treadle_autodiff import grad, linear_transpose
from treadle_ir import MissingRuleError, Operand, ops, stage, type_of
from treadle_ir.core.dtypes import BY_NAME


def test_cotangents_have_the_operands_type_where_the_result_is_wider() -> None:
    x, y = np.ones((2, 3), BY_NAME["bf16"]), np.ones((3,), BY_NAME["bf16"])

    def loss(x: Operand, y: Operand) -> Operand:
        z = ops.dot_general(x, y, contracting=((1,), (0,)), element_type=np.dtype(np.float32))
        return ops.reduce_add(z, axes=(0,))

    ct_x, ct_y = grad(loss, (0, 1))(x, y)
    assert (type_of(ct_x).dtype, type_of(ct_y).dtype) == (x.dtype, y.dtype)
    np.testing.assert_array_equal(np.asarray(ct_y).astype(np.float32), [2, 2, 2])


def test_gradient_of_a_matrix_product_needs_one_transpose_at_most() -> None:
    x, y = np.ones((2, 3)), np.ones((3, 4))

    def gradient(x: Operand, y: Operand) -> list[Operand]:
        def loss(x: Operand, y: Operand) -> Operand:
            return ops.reduce_add(ops.dot_general(x, y, contracting=((1,), (0,))), axes=(0, 1))

        return list(grad(loss, (0, 1))(x, y))

    names = [
        equation.primitive.name
        for equation in stage(gradient, type_of(x), type_of(y)).program.equations
    ]
    assert names.count("transpose") == 0


def test_a_product_of_linear_values_has_no_transpose() -> None:
    def square(x: Operand) -> Operand:
        return ops.dot_general(x, x, contracting=((0,), (0,)))

    with pytest.raises(MissingRuleError, match="`dot_general` of such operands is not linear"):
        linear_transpose(square, np.ones(3))(np.float64(1))

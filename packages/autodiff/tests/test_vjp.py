import numpy as np
import pytest

from treadle_autodiff import jvp, linear_transpose, linearize, vjp
from treadle_ir import ArgumentError, ShapeError, ops
from treadle_ir.errors import StructureError

X = np.linspace(0.5, 2.0, 4)


def test_jvp_pushes_a_tangent():
    value, tangent = jvp(ops.multiply, (X, X + 1), (np.ones(4), np.zeros(4)))
    np.testing.assert_allclose(value, X * (X + 1))
    np.testing.assert_allclose(tangent, X + 1)


def test_jvp_over_trees_with_aux():
    value, tangent, aux = jvp(
        lambda t: ({"y": ops.sine(t["x"])}, "label"), ({"x": X},), ({"x": X},), has_aux=True
    )
    np.testing.assert_allclose(value["y"], np.sin(X))
    np.testing.assert_allclose(tangent["y"], np.cos(X) * X)
    assert aux == "label"


def test_linearize_can_be_applied_many_times():
    value, push = linearize(lambda x, y: ops.multiply(ops.sine(x), y), X, X)
    np.testing.assert_allclose(value, np.sin(X) * X)
    for scale in (1.0, 2.0):
        np.testing.assert_allclose(push(scale * X, 0 * X), scale * np.cos(X) * X * X, rtol=1e-12)


def test_vjp_pulls_cotangents():
    _, pull = vjp(lambda x: (ops.sine(x), ops.square(x)), X)
    (ct,) = pull((np.ones(4), 3 * np.ones(4)))
    np.testing.assert_allclose(ct, np.cos(X) + 6 * X)


def test_inner_products_agree():
    def f(x):
        return ops.exponential(ops.multiply(x, ops.sine(x)))

    v, w = np.arange(4.0), np.arange(4.0)[::-1].copy()
    _, jv = jvp(f, (X,), (v,))
    _, pull = vjp(f, X)
    np.testing.assert_allclose(np.dot(jv, w), np.dot(v, pull(w)[0]), rtol=1e-12)


def test_linear_transpose():
    pull = linear_transpose(lambda x: ops.multiply(x, X), X)
    np.testing.assert_allclose(pull(np.ones(4))[0], X)


def test_tangents_of_another_structure_are_named():
    with pytest.raises(StructureError, match="tangents and primals"):
        jvp(lambda t: t["x"], ({"x": X},), ({"z": X},))


def test_tangents_of_another_shape_are_refused():
    with pytest.raises(ShapeError, match=r"f64\[3\].*f64\[4\]"):
        jvp(ops.sine, (X,), (np.ones(3),))


def test_cotangents_of_another_dtype_are_refused():
    _, pull = vjp(ops.sine, X)
    with pytest.raises(ShapeError, match="f32"):
        pull(np.ones(4, np.float32))


def test_bare_arguments_are_refused():
    with pytest.raises(ArgumentError, match="tuples or lists"):
        jvp(ops.sine, X, X)


def test_linear_transpose_refuses_a_class_as_primal():
    with pytest.raises(ArgumentError, match="int8"):
        linear_transpose(lambda x: x, np.int8)


@pytest.mark.parametrize("cotangent", [np.ones(5), np.ones(4, np.float32), 1.0])
def test_linear_transpose_refuses_cotangents_of_another_type(cotangent):
    transposed = linear_transpose(lambda x: ops.multiply(x, np.float64(3.0)), X)
    with pytest.raises(ShapeError, match=r"cotangent 0 is .*, but the primal is f64\[4\]"):
        transposed(cotangent)

import numpy as np
import pytest

from treadle_autodiff import grad, hessian, jacfwd, jacrev, value_and_grad
from treadle_ir import ArgumentError, ArrayType, DTypeError, ShapeError, ops, stage
from treadle_ir.core import float0

X = np.linspace(-1.0, 2.0, 5)


def total(x):
    return ops.reduce_add(x, axes=tuple(range(np.ndim(x) if isinstance(x, np.ndarray) else x.ndim)))


def test_grad_of_a_sum_of_sines_is_the_cosine():
    gradient = grad(lambda x: total(ops.sine(x)))(X)
    np.testing.assert_allclose(gradient, np.cos(X), rtol=1e-12)


def test_value_and_grad_gives_both():
    value, gradient = value_and_grad(lambda x: total(ops.square(x)))(X)
    np.testing.assert_allclose(value, np.sum(X**2))
    np.testing.assert_allclose(gradient, 2 * X)


def test_argnums_as_a_sequence_gives_a_tuple():
    dx, dy = grad(lambda x, y: total(ops.multiply(x, y)), argnums=(0, -1))(X, X + 1)
    np.testing.assert_allclose(dx, X + 1)
    np.testing.assert_allclose(dy, X)


def test_gradients_have_the_structure_of_the_argument():
    tree = {"w": X, "b": [X + 1, None]}
    gradient = grad(lambda t: total(ops.multiply(t["w"], t["b"][0])))(tree)
    assert set(gradient) == {"w", "b"}
    assert gradient["b"][1] is None
    np.testing.assert_allclose(gradient["b"][0], X)


def test_has_aux_returns_plain_values():
    gradient, aux = grad(lambda x: (total(x), {"twice": ops.add(x, x)}), has_aux=True)(X)
    np.testing.assert_array_equal(gradient, np.ones(5))
    assert isinstance(aux["twice"], np.ndarray)


def test_an_unused_argument_has_a_zero_gradient():
    np.testing.assert_array_equal(grad(lambda x, y: total(x), argnums=1)(X, X), np.zeros(5))


def test_python_control_flow_follows_the_values():
    def f(x):
        return ops.square(x) if x > 1.0 else ops.multiply(np.float64(3.0), x)

    assert grad(f)(np.float64(2.0)) == 4.0
    assert grad(f)(np.float64(0.5)) == 3.0


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_nested_gradients_of_sine(depth):
    f = ops.sine
    for _ in range(depth):
        f = grad(f)
    expected = [np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x), np.sin][depth - 1](0.7)
    np.testing.assert_allclose(f(np.float64(0.7)), expected, rtol=1e-12)


def test_perturbations_of_nested_derivatives_are_not_confused():
    # d/dx [x * d/dy (x + y)] = 1: the example that confuses one perturbation with the other (Siskind, Pearlmutter).
    inner = lambda x: grad(lambda y: ops.add(x, y))(np.float64(1.0))  # noqa: E731
    assert grad(lambda x: ops.multiply(x, inner(x)))(np.float64(1.0)) == 1.0


def test_jacobians_agree_and_have_result_then_argument_axes():
    def f(x):
        return ops.reshape(ops.multiply(ops.square(x), np.float64(3.0)), shape=(5, 1))

    forward, reverse = jacfwd(f)(X), jacrev(f)(X)
    assert forward.shape == (5, 1, 5)
    np.testing.assert_allclose(forward, np.diag(6 * X)[:, None, :])
    np.testing.assert_allclose(reverse, forward)


def test_jacobian_of_two_arguments_is_a_tuple_per_result():
    def f(x, y):
        return {"sum": ops.add(x, y), "product": ops.multiply(x, y)}

    jacobian = jacrev(f, argnums=(0, 1))(X, X + 1)
    np.testing.assert_allclose(jacobian["product"][0], np.diag(X + 1))
    np.testing.assert_allclose(jacfwd(f, argnums=(0, 1))(X, X + 1)["product"][1], np.diag(X))


def test_hessian_of_a_cubic():
    np.testing.assert_allclose(
        hessian(lambda x: total(ops.integer_power(x, exponent=3)))(X), np.diag(6 * X)
    )


def test_holomorphic_gradient_of_a_square():
    z = np.complex128(1 + 2j)
    assert grad(ops.square, holomorphic=True)(z) == 2 * z


def test_holomorphic_gradient_of_a_real_number_is_refused():
    with pytest.raises(DTypeError, match="requires inputs with complex dtype, but got float64"):
        grad(ops.square, holomorphic=True)(np.float64(1.0))


def test_allow_int_gives_float0():
    gradient = grad(lambda n, x: total(x), argnums=0, allow_int=True)(np.int32(3), X)
    assert gradient.dtype == float0


@pytest.mark.parametrize(
    ("function", "argument", "error", "message"),
    [
        (
            lambda x: ops.sine(x),
            X,
            ShapeError,
            "Gradient only defined for scalar-output functions. Output had shape: (5,).",
        ),
        (
            lambda x: (x, x),
            np.float64(1.0),
            ArgumentError,
            "Gradient only defined for scalar-output functions",
        ),
        (
            lambda x: ops.compare(x, x, direction="eq"),
            np.float64(1.0),
            DTypeError,
            "grad requires real-valued outputs",
        ),
        (ops.square, np.int32(1), DTypeError, "grad requires real- or complex-valued inputs"),
        (ops.square, np.complex128(1), DTypeError, "grad requires real-valued outputs"),
        (ops.square, "text", ArgumentError, "is not an array or a number"),
    ],
)
def test_mistakes(function, argument, error, message):
    with pytest.raises(error) as raised:
        grad(function)(argument)
    assert message in str(raised.value)
    assert isinstance(raised.value, TypeError)


def of_complex(z):
    """A real function that is not holomorphic."""
    return ops.add(ops.square(ops.abs(z)), ops.real(ops.multiply(ops.sine(z), ops.conjugate(z))))


def test_real_functions_of_complex_numbers():
    z, h = np.complex128(0.7 - 1.2j), 1e-6
    along = [(of_complex(z + d * h) - of_complex(z - d * h)) / (2 * h) for d in (1, 1j)]
    assert np.allclose(grad(of_complex)(z), along[0] - 1j * along[1], rtol=1e-8)
    assert np.allclose(jacrev(of_complex)(z), along[0] - 1j * along[1], rtol=1e-8)
    both = grad(lambda p: ops.multiply(of_complex(p[0]), p[1]))((z, np.float64(2.0)))
    assert np.allclose(both[0], 2 * (along[0] - 1j * along[1]), rtol=1e-8)
    assert np.allclose(both[1], of_complex(z))


def test_forward_jacobians_of_complex_numbers_are_refused():
    with pytest.raises(DTypeError, match="jacfwd requires real-valued inputs"):
        jacfwd(of_complex)(np.complex128(1j))


def test_argnums_out_of_range():
    with pytest.raises(ArgumentError, match="1 positional argument"):
        grad(ops.square, argnums=1)(np.float64(1.0))


def test_grad_of_a_call_is_refused_at_once():
    with pytest.raises(ArgumentError, match="must be a function"):
        grad(np.float64(1.0))


def test_a_long_chain_is_differentiated_without_recursion():
    def chain(x):
        for _ in range(20_000):
            x = ops.sine(x)
        return x

    staged = stage(lambda x: [grad(chain)(x)], ArrayType((), np.dtype("f8")))
    assert len(staged.program.equations) >= 60_000 - 1


def test_jacobians_at_weak_numbers_are_weak():
    def f(x):
        return ops.multiply(x, x)

    for derivative in (jacfwd(f), jacrev(f), hessian(f)):
        for weak in (True, False):
            argument = ArrayType((), np.dtype("f4"), weak)
            staged = stage(lambda x: [derivative(x)], argument)  # noqa: B023 - called at once
            assert staged.program.result_types[0].weak == weak


def test_has_aux_takes_a_list_of_two():
    gradient, aux = grad(lambda x: [total(x), "label"], has_aux=True)(X)
    np.testing.assert_array_equal(gradient, np.ones_like(X))
    assert aux == "label"

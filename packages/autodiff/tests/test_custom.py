import numpy as np
import pytest

from treadle_autodiff import (
    checkpoint,
    custom_gradient,
    custom_jvp,
    custom_vjp,
    grad,
    jacfwd,
    jvp,
    linearize,
    value_and_grad,
    vjp,
)
from treadle_ir import (
    ArgumentError,
    ArrayType,
    DerivativeError,
    MissingRuleError,
    ShapeError,
    interpret,
    ops,
    stage,
)

TEN = np.float64(10.0)
THREE = np.float64(3.0)


@custom_jvp
def scaled(x):
    return ops.sine(x)


@scaled.defjvp
def scaled_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents
    return scaled(x), ops.multiply(TEN, dx)


def clipped_function():
    @custom_vjp
    def clipped(x, y):
        return ops.multiply(x, y)

    def fwd(x, y):
        return clipped(x, y), {"x": x, "y": y}

    def bwd(residuals, ct):
        return ops.multiply(ct, ops.minimum(residuals["y"], np.float64(1.0))), None

    clipped.defvjp(fwd, bwd)
    return clipped


def test_the_rule_replaces_the_derivative():
    assert scaled(np.float64(0.0)) == 0.0
    assert grad(scaled)(np.float64(0.3)) == 10.0
    assert jvp(scaled, (np.float64(0.0),), (np.float64(2.0),))[1] == 20.0


def test_the_rule_is_differentiated_again():
    @custom_jvp
    def f(x):
        return x

    @f.defjvp
    def rule(primals, tangents):
        (x,), (dx,) = primals, tangents
        return f(x), ops.multiply(ops.integer_power(x, exponent=3), dx)

    assert grad(f)(np.float64(2.0)) == 8.0
    assert grad(grad(f))(np.float64(2.0)) == 12.0


def test_python_control_flow_inside_works_on_concrete_values():
    @custom_jvp
    def f(x):
        return ops.square(x) if x > 0.0 else x

    f.defjvps(lambda dx, result, x: ops.multiply(dx, np.float64(7.0)))
    assert grad(f)(np.float64(2.0)) == 7.0


def test_a_staged_custom_jvp_keeps_its_rule():
    staged = stage(lambda x: [scaled(x)], ArrayType((), np.dtype("f8")))
    (equation,) = staged.program.equations
    assert equation.primitive.name == "custom_jvp_call"
    assert grad(lambda x: interpret(staged.program, x)[0])(np.float64(0.3)) == 10.0


def test_nondiff_arguments_come_first():
    apply = custom_jvp(lambda function, x: function(x), nondiff_argnums=(0,))

    @apply.defjvp
    def rule(function, primals, tangents):
        (x,), (dx,) = primals, tangents
        return apply(function, x), ops.multiply(TEN, dx)

    assert grad(lambda x: apply(ops.sine, x))(np.float64(1.0)) == 10.0


def test_defaults_and_keywords_are_resolved():
    @custom_jvp
    def f(x, y=THREE):
        return ops.multiply(x, y)

    @f.defjvp
    def rule(primals, tangents):
        return f(*primals), ops.multiply(TEN, tangents[0])

    assert f(np.float64(2.0)) == 6.0
    assert grad(lambda x: f(y=np.float64(2.0), x=x))(np.float64(1.0)) == 10.0


def test_custom_vjp_runs_its_own_backward():
    clipped = clipped_function()
    value, gradient = value_and_grad(clipped, argnums=(0, 1))(np.float64(2.0), np.float64(5.0))
    assert value == 10.0
    assert gradient == (1.0, 0.0)


def test_a_staged_custom_vjp_keeps_its_rules():
    clipped = clipped_function()
    scalar = ArrayType((), np.dtype("f8"))
    staged = stage(lambda x, y: [clipped(x, y)], scalar, scalar)
    _, pull = vjp(lambda x, y: interpret(staged.program, x, y)[0], np.float64(2.0), np.float64(5.0))
    assert pull(np.float64(3.0)) == (3.0, 0.0)


@pytest.mark.parametrize(
    "forward",
    [
        lambda f, x: jvp(f, (x, x), (x, x)),
        lambda f, x: jvp(checkpoint(f), (x, x), (x, x)),
        lambda f, x: jacfwd(f)(x, x),
        lambda f, x: linearize(f, x, x)[1](x, x),
        lambda f, x: grad(lambda x: jvp(f, (x, x), (x, x))[1])(x),
    ],
    ids=["jvp", "staged", "jacfwd", "linearize", "grad-of-jvp"],
)
def test_custom_vjp_refuses_forward_mode(forward):
    with pytest.raises(DerivativeError, match="backward rule only") as raised:
        forward(clipped_function(), np.float64(1.0))
    assert isinstance(raised.value, TypeError)
    assert any("custom_jvp" in note for note in raised.value.__notes__)


def test_custom_gradient():
    @custom_gradient
    def f(x):
        return ops.square(x), lambda ct: ops.multiply(ct, TEN)

    assert grad(f)(np.float64(3.0)) == 10.0


def test_a_missing_rule_is_named():
    with pytest.raises(ArgumentError, match="no derivative rule was set for `identity`"):
        custom_jvp(identity)(np.float64(1.0))


def identity(x):
    return x


def test_a_rule_that_returns_the_wrong_shape_is_named():
    @custom_jvp
    def f(x):
        return x

    @f.defjvp
    def rule(primals, tangents):
        return f(*primals), np.ones(3)

    with pytest.raises(ShapeError, match="the jvp rule of `f` returned a tangent"):
        grad(f)(np.float64(1.0))


def test_a_backward_that_forgets_an_argument_is_named():
    clipped = clipped_function()
    clipped.defvjp(lambda x, y: (clipped(x, y), None), lambda residuals, ct: (ct,))
    with pytest.raises(ArgumentError, match="one cotangent for each of 2"):
        grad(clipped)(np.float64(1.0), np.float64(1.0))


def test_what_is_missing_says_so() -> None:
    with pytest.raises(MissingRuleError, match="symbolic_zeros=True is not there yet") as raised:
        custom_jvp(identity).defjvp(identity, symbolic_zeros=True)
    assert any("fix: leave it out" in note for note in raised.value.__notes__)
    with pytest.raises(MissingRuleError, match="optimize_remat"):
        custom_vjp(identity).defvjp(identity, identity, optimize_remat=True)

from typing import Any

import ml_dtypes
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
    ShapeError,
    UnsupportedError,
    interpret,
    ops,
    stage,
    type_of,
)
from treadle_ir.core import float0
from treadle_ir.errors import DerivativeError, EscapedTracerError, StructureError

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


def test_custom_gradient_as_a_decorator_with_parentheses() -> None:
    @custom_gradient()
    def f(x):
        return ops.square(x), lambda ct: ops.multiply(ct, TEN)

    assert grad(f)(THREE) == 10.0
    assert f(THREE) == 9.0


@pytest.mark.parametrize(
    "given", [{"with_logs": True}, {"remat": True}, {"with_accums": (None,)}], ids=str
)
def test_what_custom_gradient_lacks_is_refused(given: dict[str, Any]) -> None:
    (name,) = given
    with pytest.raises(UnsupportedError, match=f"`{name}` is not supported"):
        custom_gradient(identity, **given)


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


@pytest.mark.parametrize(
    ("other", "error"),
    [
        (lambda x: (x, x), StructureError),
        (lambda x: [x], StructureError),
        (lambda x: ops.broadcast_in_dim(x, shape=(2,), dimensions=()), ShapeError),
        (lambda x: ops.convert(x, dtype=np.dtype(np.float32)), ShapeError),
    ],
)
@pytest.mark.parametrize("forward", [True, False])
def test_a_rule_of_a_staged_function_returns_what_the_function_does(
    other: Any, error: type[Exception], forward: bool
) -> None:
    def function(x: Any) -> Any:
        return ops.sine(x)

    if forward:
        f: Any = custom_jvp(function)
        f.defjvp(lambda primals, tangents: (other(*primals), other(*tangents)))
    else:
        f = custom_vjp(function)
        f.defvjp(lambda x: (other(x), None), lambda _, ct: (ct,))
    program = stage(lambda x: [f(x)], type_of(THREE)).program
    with pytest.raises(error, match=r"rule of `function`"):
        grad(lambda x: interpret(program, x)[0])(THREE)


def test_a_backward_that_forgets_an_argument_is_named():
    clipped = clipped_function()
    clipped.defvjp(lambda x, y: (clipped(x, y), None), lambda residuals, ct: (ct,))
    with pytest.raises(ArgumentError, match="one cotangent for each of 2"):
        grad(clipped)(np.float64(1.0), np.float64(1.0))


def test_a_cotangent_may_be_none_in_part() -> None:
    for outgoing in ({"a": None, "b": (TEN, TEN)}, {"a": TEN, "b": None}, {"a": TEN, "b": TEN}):
        function = custom_vjp(lambda d: d["a"])
        function.defvjp(lambda d: (d["a"], None), lambda _, ct, out=outgoing: (out,))
        found = grad(function)({"a": THREE, "b": (THREE, THREE)})
        expected = [0.0 if outgoing[key] is None else 10.0 for key in "abb"]
        assert [found["a"], *found["b"]] == expected


def test_defjvps_of_trees_and_wrong_rules() -> None:
    both = custom_jvp(lambda x, y: (x, y))
    both.defjvps(lambda dx, out, x, y: (dx, x), lambda dy, out, x, y: (dy, dy))
    assert jvp(both, (THREE, THREE), (TEN, TEN))[1] == (20.0, 13.0)
    both.defjvps(None, None)
    assert jvp(both, (THREE, THREE), (TEN, TEN))[1] == (0.0, 0.0)
    both.defjvps(None)
    with pytest.raises(ArgumentError, match="called with 2 arguments, but defjvps was given 1"):
        jvp(both, (THREE, THREE), (TEN, TEN))
    with pytest.raises(ArgumentError, match="nondiff_argnums"):
        custom_jvp(lambda n, x: x, nondiff_argnums=(0,)).defjvps(None)
    with pytest.raises(ArgumentError, match="rule 0"):
        both.defjvps(3)  # type: ignore[arg-type]  # what is refused


def test_custom_gradient_runs_its_function_once() -> None:
    runs = []

    @custom_gradient
    def function(x, y):
        runs.append(0)
        return ops.multiply(x, y), lambda ct: (ops.multiply(ct, y), ops.multiply(ct, TEN))

    assert grad(function, (0, 1))(THREE, THREE) == (3.0, 10.0)
    assert len(runs) == 1
    assert grad(grad(function), 1)(THREE, THREE) == 1.0


def test_custom_gradient_of_trees() -> None:
    @custom_gradient
    def function(d):
        return {"out": d["a"]}, lambda ct: ({"a": ops.multiply(ct["out"], TEN)},)

    assert grad(lambda x: function({"a": x})["out"])(THREE) == 10.0
    with pytest.raises(ArgumentError, match="custom_gradient: the function must return a pair"):
        custom_gradient(identity)(THREE)


def test_a_captured_array_is_not_differentiated_in_silence() -> None:
    def closing_over(y, x):
        @custom_jvp
        def product(x):
            return ops.multiply(x, y)

        product.defjvp(lambda primals, tangents: (product(*primals), ops.multiply(*tangents, y)))
        return product(x)

    with pytest.raises(EscapedTracerError, match="covers its arguments only"):
        grad(closing_over)(THREE, TEN)
    staged = stage(lambda y, x: [closing_over(y, x)], *[ArrayType((), THREE.dtype)] * 2).program
    with pytest.raises(DerivativeError, match="differentiated by a traced array that it closes"):
        grad(lambda y: interpret(staged, y, TEN)[0])(THREE)
    with pytest.raises(DerivativeError, match="differentiated by a traced array that it closes"):
        jvp(lambda y: interpret(staged, y, TEN)[0], (THREE,), (THREE,))


def test_a_rule_may_stage_a_loop_that_closes_over_its_tangents() -> None:
    @custom_jvp
    def thrice(x):
        body = stage(lambda y: [ops.add(y, x)], type_of(x))  # as loops do
        return interpret(body.program, *body.captured, ops.add(x, x))[0]

    @thrice.defjvp
    def thrice_jvp(primals, tangents):
        return thrice(*primals), thrice(*tangents)

    np.testing.assert_array_equal(grad(thrice)(np.float32(2)), 3)
    np.testing.assert_array_equal(jacfwd(thrice)(np.float32(2)), 3)


def test_rules_of_a_class_without_a_hash():
    class Sine:
        __hash__ = None

        def __call__(self, x):
            return ops.sine(x)

    class Backward:
        __hash__ = None

        def __call__(self, residual, cotangent):
            return (ops.multiply(residual, cotangent),)

    f = custom_vjp(Sine())
    f.defvjp(lambda x: (ops.sine(x), ops.multiply(TEN, x)), Backward())
    assert grad(lambda x: ops.add(f(x), f(x)))(THREE) == 60.0
    assert f(THREE) == np.sin(THREE)


def recorded(rule):
    """An identity whose bwd rule notes the cotangents that it is given."""
    seen: list[Any] = []
    function = custom_vjp(lambda x: x)

    def bwd(_, ct):
        seen.append(ct)
        return rule(ct)

    function.defvjp(lambda x: (x, None), bwd)
    return function, seen


def test_none_stands_for_zeros_that_earlier_rules_are_given() -> None:
    first, seen = recorded(lambda ct: (TEN,))
    second, _ = recorded(lambda ct: (None,))
    assert grad(lambda x: second(first(x)))(THREE) == 10.0
    assert seen == [0.0]
    whole = custom_vjp(lambda x, n: x)  # integers have no derivative, and None is nothing else
    whole.defvjp(lambda x, n: (x, None), lambda _, ct: (ct, None))
    assert grad(whole)(THREE, np.int32(2)) == 1.0


@pytest.mark.parametrize("narrow", [np.float16, np.float32])
@pytest.mark.parametrize("wide", [np.float32, np.float64])
def test_a_rule_may_answer_in_floats_of_another_width(narrow, wide) -> None:
    function, seen = recorded(lambda ct: (wide(0.5),))

    def f(x):
        y = ops.multiply(x, x)
        return ops.convert(ops.multiply(function(ops.sine(y)), y), dtype=np.dtype(np.float64))

    found = grad(f)(narrow(1.5))
    assert type_of(found).dtype == narrow
    assert [type_of(ct).dtype for ct in seen] == [narrow]
    expected = 3.0 * (0.5 * np.cos(2.25) + np.sin(2.25))
    np.testing.assert_allclose(found, expected, rtol=4 * np.finfo(narrow).eps)


def test_cotangents_of_8_bit_floats_stay_wide() -> None:
    """8 bits cannot represent 1.1: a rule that quantises receives it as the previous rule returned it."""
    f8 = np.dtype(ml_dtypes.float8_e4m3fn)
    quantised, seen = recorded(lambda ct: (ops.convert(ct, dtype=np.dtype(np.float32)),))
    answers = custom_vjp(lambda x: ops.convert(x, dtype=np.dtype(np.float32)))
    answers.defvjp(lambda x: (answers(x), None), lambda _, ct: (np.float32(1.1),))

    def f(x):
        return answers(quantised(ops.convert(x, dtype=f8)))

    assert grad(f)(np.float32(2.0)) == np.float32(1.1)
    assert [type_of(ct).dtype for ct in seen] == [np.float32]


def test_another_kind_of_number_is_refused() -> None:
    for answer in (np.int32(1), np.complex64(1)):
        function, _ = recorded(lambda ct, answer=answer: (answer,))
        with pytest.raises(ShapeError, match="returned a cotangent of type"):
            grad(function)(np.float32(1.0))


@pytest.mark.parametrize(
    "cotangent",
    [None, 0, np.float32(0), np.int32(0), np.zeros(3, np.float32), np.zeros((), float0)],
)
def test_cotangents_of_integers_are_not_looked_at(cotangent: Any) -> None:
    @custom_vjp
    def scaled(x: Any, n: Any) -> Any:
        return ops.multiply(x, np.float32(2))

    scaled.defvjp(lambda x, n: (scaled(x, n), None), lambda _, ct: (ct, cotangent))
    assert float(grad(scaled)(np.float32(1), np.int32(3))) == 1
    one, other = grad(scaled, (0, 1), allow_int=True)(np.float32(1), np.int32(3))
    assert (float(one), np.asarray(other).dtype) == (1, float0)


def test_rules_can_be_asked_for() -> None:
    def plain(n: int, x: Any) -> Any:
        return x

    def jvp_rule(n: int, primals: Any, tangents: Any) -> Any:
        return primals[0], tangents[0]

    def fwd(n: int, x: Any) -> Any:
        return x, None

    def bwd(n: int, kept: Any, ct: Any) -> Any:
        return (ct,)

    forward, reverse = custom_jvp(plain, (0,)), custom_vjp(plain, (0,))
    assert (forward.jvp, reverse.fwd, reverse.bwd) == (None, None, None)
    forward.defjvp(jvp_rule)
    reverse.defvjp(fwd, bwd)
    assert (forward.jvp, reverse.fwd, reverse.bwd) == (jvp_rule, fwd, bwd)
    assert forward.nondiff_argnums == reverse.nondiff_argnums == (0,)


def test_what_was_said_of_the_rules() -> None:
    f = custom_vjp(lambda x: x)
    assert (f.symbolic_zeros, f.optimize_remat) == (False, False)
    f.defvjp(lambda x: (x, None), lambda _, ct: (ct,), optimize_remat=True)
    assert (f.symbolic_zeros, f.optimize_remat) == (False, True)
    f.defvjp(lambda x: (x, None), lambda _, ct: (ct,), symbolic_zeros=True)
    assert (f.symbolic_zeros, f.optimize_remat) == (True, False)
    g = custom_jvp(lambda x: x)
    assert not g.symbolic_zeros
    g.defjvp(lambda primals, tangents: (primals[0], tangents[0]), symbolic_zeros=True)
    assert g.symbolic_zeros


def test_rules_that_take_other_arguments_are_named():
    def sine(x):
        return ops.sine(x)

    x = np.float64(1.0)
    forward = custom_jvp(sine)
    forward.defjvp(lambda primals: (primals, primals))
    with pytest.raises(
        ArgumentError,
        match=r"the jvp rule of `sine` is called with 2 arguments \(primals, tangents\)",
    ):
        grad(forward)(x)
    backward = custom_vjp(sine)
    backward.defvjp(lambda x, y: (ops.sine(x), None), lambda kept, ct: (ct,))
    with pytest.raises(
        ArgumentError, match=r"the fwd rule of `sine` is called with 1 argument .* takes \(x, y\)"
    ):
        grad(backward)(x)
    backward.defvjp(lambda x: (ops.sine(x), None), lambda ct: (ct,))
    with pytest.raises(
        ArgumentError,
        match=r"the bwd rule of `sine` is called with 2 arguments \(residuals, cotangents\)",
    ):
        grad(backward)(x)

    def inner(ct):
        return ct

    backward.defvjp(lambda x: (ops.sine(x), None), lambda kept, ct: inner())
    with pytest.raises(TypeError, match=r"^test_.*inner\(\) missing 1 required"):
        grad(backward)(x)

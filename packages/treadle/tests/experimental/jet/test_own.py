from __future__ import annotations

from functools import partial
from itertools import count
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import ArgumentError, ShapeError
from treadle.experimental.jet import (
    ZeroTerm,
    def_comp,
    def_deriv,
    deflinear,
    defzero,
    deriv_prop,
    jet,
    jet_rules,
    linear_prop,
    zero_prop,
    zero_series,
    zero_term,
)
from treadle.extend.core import Primitive
from treadle.interpreters import ad, batching, mlir

ORDER = ((1.0, 0.0, 0.0),)
WRONG: Any = 3
_NUMBERS = count()


def operation(impl: Any, multiple: bool = False) -> Primitive:
    primitive = Primitive(f"jet_own_{next(_NUMBERS)}")
    primitive.multiple_results = multiple
    primitive.def_impl(impl)
    primitive.def_abstract_eval(lambda x, *_, **__: [x, x] if multiple else x)
    mlir.register_lowering(primitive, mlir.lower_fun(impl, multiple))
    return primitive


def expanded(f: Any, x: float = 1.0, series: Any = ORDER) -> list[Any]:
    value, found = jet(f, (tnp.float32(x),), series)
    return [np.asarray(value).tolist(), *[np.asarray(each).tolist() for each in found]]


REGISTRATIONS = {
    "deriv_prop": lambda p: jet_rules.update({p: partial(deriv_prop, p, lambda x: -tnp.sin(x))}),
    "a rule": lambda p: jet_rules.update({p: partial(jet, tnp.cos, factorial_scaled=False)}),
    "def_comp": lambda p: def_comp(p, tnp.cos),
    "def_deriv": lambda p: def_deriv(p, lambda x: -tnp.sin(x)),
}


@pytest.mark.parametrize("register", REGISTRATIONS.values(), ids=REGISTRATIONS)
def test_a_cosine_of_one_s_own_at_a_square(register: Any) -> None:
    primitive = operation(tnp.cos)
    register(primitive)
    found = expanded(lambda x: primitive.bind(x * x))
    # what JAX 0.10.2 gives for the same rules
    np.testing.assert_allclose(found, [0.5403023, -1.6829419, -3.844152, 0.24814056], rtol=2e-5)
    np.testing.assert_allclose(found, expanded(lambda x: tnp.cos(x * x)), rtol=2e-5)


@pytest.mark.parametrize("declared", [False, True])
def test_a_linear_operation_with_a_parameter(declared: bool) -> None:
    primitive = operation(lambda x, *, k: k * x)
    if declared:
        deflinear(primitive)
    else:
        jet_rules[primitive] = partial(linear_prop, primitive)
    found = expanded(lambda x: primitive.bind(x * x, k=2.0))
    np.testing.assert_allclose(found, [2.0, 4.0, 4.0, 0.0])


@pytest.mark.parametrize("declared", [False, True])
def test_an_operation_that_does_not_move(declared: bool) -> None:
    primitive = operation(tnp.sign)
    if declared:
        defzero(primitive)
    else:
        jet_rules[primitive] = partial(zero_prop, primitive)
    assert expanded(lambda x: primitive.bind(x) * x) == [1.0, 1.0, 0.0, 0.0]


def test_a_rule_sees_arrays_and_the_parameters() -> None:
    primitive = operation(lambda x, y, *, k: k * x * y)
    seen: list[Any] = []

    def rule(primals: Any, series: Any, *, k: float) -> Any:
        seen.append((primals, series, k))
        x, y = primals
        return k * x * y, [k * y * each for each in series[0]]

    jet_rules[primitive] = rule
    found = expanded(lambda x: primitive.bind(x, 3.0, k=2.0), 2.0)
    np.testing.assert_allclose(found, [12.0, 6.0, 0.0, 0.0])
    ((primals, series, k),) = seen
    assert (type(primals), k) == (tuple, 2.0)
    assert [[float(each) for each in terms] for terms in series] == [[1.0, 0.0, 0.0], [0.0] * 3]


def test_zero_terms_and_zero_series_in_what_a_rule_returns() -> None:
    primitive = operation(lambda x: [2 * x, x], multiple=True)
    jet_rules[primitive] = lambda primals, series: (
        [2 * primals[0], primals[0]],
        [[2 * series[0][0], zero_term, zero_term], zero_series],
    )
    assert expanded(lambda x: primitive.bind(x)[0] * x) == [2.0, 4.0, 4.0, 0.0]
    assert expanded(lambda x: primitive.bind(x)[1] * x) == [1.0, 1.0, 0.0, 0.0]
    assert isinstance(zero_term, ZeroTerm)
    assert repr(zero_term) == "zero_term"


@pytest.mark.parametrize("prop", [linear_prop, zero_prop])
def test_several_results(prop: Any) -> None:
    primitive = operation(lambda x: [x, 3 * x], multiple=True)
    jet_rules[primitive] = partial(prop, primitive)
    (first, second), (of_first, of_second) = jet(lambda x: primitive.bind(x), (1.0,), ORDER)
    moves = prop is linear_prop
    assert [float(first), float(second)] == [1.0, 3.0]
    assert [float(each) for each in of_first] == [1.0 * moves, 0.0, 0.0]
    assert [float(each) for each in of_second] == [3.0 * moves, 0.0, 0.0]


def test_an_operation_without_a_rule_goes_by_its_derivative() -> None:
    primitive = operation(tnp.sin)
    ad.defjvp(primitive, lambda dx, x: dx * tnp.cos(x))
    np.testing.assert_allclose(
        expanded(primitive.bind), [np.sin(1), np.cos(1), -np.sin(1), -np.cos(1)], rtol=1e-6
    )


def test_under_jit_vmap_and_grad() -> None:
    primitive = operation(lambda x: x**3)
    ad.defjvp(primitive, lambda dx, x: dx * 3 * x * x)
    batching.defvectorized(primitive)
    jet_rules[primitive] = partial(deriv_prop, primitive, lambda x: 3 * x * x)

    def second(x: Any) -> Any:
        return jet(primitive.bind, (x,), ((1.0, 0.0),))[1][1]

    xs = tnp.array([1.0, 2.0, -0.5])
    np.testing.assert_allclose(treadle.jit(treadle.vmap(second))(xs), 6 * np.asarray(xs), rtol=1e-6)
    np.testing.assert_allclose(treadle.grad(second)(2.0), 6.0, rtol=1e-6)


def test_primitives_of_lax_in_the_props() -> None:
    value, found = linear_prop(lax.neg_p, (1.0,), ([1.0, zero_term],))
    assert (float(value), [float(each) for each in found]) == (-1.0, [-1.0, 0.0])
    value, none = zero_prop(lax.sign_p, (-2.0,), ([1.0],))
    assert (float(value), none) == (-1.0, zero_series)


@pytest.mark.parametrize(
    ("returned", "error", "said"),
    [
        (lambda x: (x, [x]), ArgumentError, "returned 1 coefficients, but the order is 3"),
        (lambda x: (x, [tnp.ones(2)] * 3), ShapeError, r"of shape \(2,\)"),
        (lambda x: (x, 3), ArgumentError, "a series"),
    ],
)
def test_what_a_rule_must_return(returned: Any, error: type[Exception], said: str) -> None:
    primitive = operation(tnp.sin)
    jet_rules[primitive] = lambda primals, series: returned(primals[0])
    with pytest.raises(error, match=said):
        expanded(primitive.bind)


def test_which_primitives_take_rules() -> None:
    sine: Any = lax.sin_p
    with pytest.raises(ArgumentError, match="a Primitive of treadle"):
        jet_rules[sine] = partial(zero_prop, sine)
    with pytest.raises(ArgumentError):
        jet_rules[operation(tnp.sin)] = WRONG


@pytest.mark.parametrize(
    "call",
    [
        lambda: zero_prop(WRONG, (1.0,), ([1.0],)),
        lambda: linear_prop(lax.neg_p, (1.0,), ()),
        lambda: linear_prop(lax.add_p, (1.0, 2.0), ([1.0], [1.0, 0.0])),
        lambda: deriv_prop(lax.add_p, tnp.cos, (1.0, 2.0), ([1.0], [1.0])),
        lambda: deriv_prop(lax.neg_p, WRONG, (1.0,), ([1.0],)),
    ],
)
def test_arguments_that_make_no_sense(call: Any) -> None:
    with pytest.raises(ArgumentError):
        call()

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError, ShapeError, StructureError
from treadle.experimental.jet import fact, jet, zero_series


@pytest.fixture(autouse=True)
def _wide() -> Iterator[None]:
    with treadle.enable_x64(True):
        yield


def test_scales() -> None:
    derivatives = jet(tnp.exp, (0.3,), ((0.7, 0.4, 0.1),))[1]
    scaled = [x / fact(k) for k, x in enumerate((0.7, 0.4, 0.1), 1)]
    coefficients = jet(tnp.exp, (0.3,), (scaled,), factorial_scaled=False)[1]
    expected = [x / fact(k) for k, x in enumerate(derivatives, 1)]
    np.testing.assert_allclose(coefficients, expected, rtol=1e-13)


def test_trees_and_constants() -> None:
    def f(x: Any, y: Any) -> Any:
        return {"xy": x["a"] * y, "count": tnp.arange(2)}, 3.0

    value, found = jet(f, ({"a": 2.0}, 5.0), ([{"a": 1.0}, {"a": 0.0}], zero_series))
    assert float(value[0]["xy"]) == 10
    assert [float(x) for x in found[0]["xy"]] == [5, 0]
    assert [float(x) for x in found[1]] == [0, 0]
    assert [x.tolist() for x in found[0]["count"]] == [[0, 0], [0, 0]]


def test_integers_do_not_move() -> None:
    _, found = jet(lambda x, n: x**2 * n, (3.0, 2), ((1.0, 0.0), (1.0, 0.0)))
    assert [float(x) for x in found] == [12, 4]


def test_order_zero_is_the_value() -> None:
    assert jet(tnp.sin, (0.0,), ((),)) == (0.0, [])
    assert jet(lambda: 2.0, (), ()) == (2.0, [])


def test_it_composes_with_the_other_transformations() -> None:
    def third(x: Any) -> Any:
        return jet(tnp.sin, (x,), ((1.0, 0.0, 0.0),))[1][2]

    x = np.array([0.1, 0.7])
    np.testing.assert_allclose(treadle.jit(treadle.vmap(third))(x), -np.cos(x), rtol=1e-13)
    np.testing.assert_allclose(treadle.grad(third)(0.7), np.sin(0.7), rtol=1e-13)
    inner = lambda x: jet(tnp.exp, (2 * x,), ((2.0, 0.0),))[1][1]  # noqa: E731
    np.testing.assert_allclose(
        jet(inner, (0.1,), ((1.0, 0.0),))[1], [8 * np.exp(0.2), 16 * np.exp(0.2)], rtol=1e-13
    )


def test_high_orders_cost_little() -> None:
    order = 40
    calls = treadle.make_jaxpr(
        lambda x: jet(lambda x: tnp.tan(tnp.reshape(x, (1,))), (x,), ((1.0,) + (0.0,) * 11,))
    )(0.3)
    assert len(calls.eqns) < 20_000  # doubling for each order, it would be millions
    _, found = jet(tnp.exp, (0.0,), ((1.0,) + (0.0,) * (order - 1),))
    np.testing.assert_allclose(found, np.ones(order), rtol=1e-12)


def test_terms_are_broadcast_to_their_argument() -> None:
    _, found = jet(lambda x: x * x, (np.ones(2),), ((1.0, np.array([0.0, 1.0])),))
    np.testing.assert_array_equal(found, [[2, 2], [2, 4]])


@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        ((3, (1.0,), ((1.0,),)), ArgumentError, "fun"),
        ((tnp.sin, 1.0, ((1.0,),)), ArgumentError, "primals must be a tuple"),
        ((tnp.sin, (1.0,), 1.0), ArgumentError, "series must be a tuple"),
        ((tnp.sin, (1.0,), (1.0,)), ArgumentError, "series 0 must be a sequence"),
        ((tnp.add, (1.0, 2.0), ((1.0,),)), ArgumentError, "2 primals, but 1 series"),
        ((tnp.add, (1.0, 2.0), ((1.0,), (1.0, 2.0))), ArgumentError, r"\[1, 2\] terms"),
        ((tnp.sin, ("text",), ((1.0,),)), ArgumentError, "primal 0"),
        ((tnp.sin, (1.0,), (((1.0,),),)), StructureError, "term 1 of series 0 has structure"),
        ((tnp.sin, (np.ones(2),), ((np.ones(3),),)), ShapeError, "term 1 of series 0 is"),
    ],
)
def test_arguments_are_checked(args: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        jet(*args)

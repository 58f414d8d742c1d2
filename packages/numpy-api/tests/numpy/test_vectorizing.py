"""vectorize is NumPy's, with vmap and without, and tells which axes do not fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArgumentError, ShapeError
from treadle_numpy import numpy as tnp

OUTER = st.sampled_from([(), (1,), (3,), (2, 1), (2, 3), (0, 3), (4, 2, 3)])


def matvec(a: Any, x: Any) -> Any:
    return tnp.sum(a * x, 1), tnp.max(x)


@given(OUTER, OUTER)
@settings(max_examples=40, deadline=None)
def test_axes_before_are_broadcast(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    a = np.arange(float(np.prod((*first, 2, 5)))).reshape(*first, 2, 5)
    x = np.arange(float(np.prod((*second, 5)))).reshape(*second, 5) % 7
    function = tnp.vectorize(matvec, signature="(n, m), (m) -> (n), ()")
    try:
        outer = np.broadcast_shapes(first, second)
    except ValueError:
        with pytest.raises(ShapeError):
            function(a, x)
        return
    products, greatest = function(a, x)
    np.testing.assert_allclose(products, np.einsum("...nm,...m->...n", a, x), rtol=1e-6)
    np.testing.assert_array_equal(greatest, np.broadcast_to(x.max(-1), outer))


def test_of_single_elements(staged: Callable[..., Any]) -> None:
    function = tnp.vectorize(lambda x, y, scale: scale * (x + y), excluded={"scale"})
    x, y = np.arange(2.0, dtype=np.float32)[:, None], np.arange(3.0, dtype=np.float32)
    found = staged(lambda a, b: function(a, b, scale=2), x, y)
    np.testing.assert_array_equal(found, 2 * (x + y))
    np.testing.assert_array_equal(function(x, y=y, scale=2), 2 * (x + y))
    power = tnp.vectorize(lambda x, n: x**n, excluded={1})
    np.testing.assert_array_equal(power(y, 2), y**2)


def test_results_may_be_trees_and_arguments_none() -> None:
    function = tnp.vectorize(lambda x, y: {"twice": x + x, "none": 1 if y is None else 0})
    found = function(np.arange(3), None)
    np.testing.assert_array_equal(found["twice"], [0, 2, 4])
    np.testing.assert_array_equal(found["none"], [1, 1, 1])


def test_name_and_doc() -> None:
    assert tnp.vectorize(matvec).__name__ == "matvec"


@pytest.mark.parametrize("signature", ["(n,()->()", "(n)", "(n)->", "n->n", "(n)->(n),", ""])
def test_signatures_that_cannot_be_read(signature: str) -> None:
    with pytest.raises(ArgumentError, match="not a signature"):
        tnp.vectorize(matvec, signature=signature)


@pytest.mark.parametrize(
    ("function", "shapes", "said"),
    [
        (lambda a, x: a[0], [(2, 3), (4,)], "'m' has size 3, but 4 in argument 1"),
        (lambda a, x: a[0], [(3,), (3,)], "argument 0 of shape .3,. does not have the axes"),
        (lambda a, x: a, [(2, 3), (3,)], "result 0 of shape .2, 3. does not have the axes"),
        (lambda a, x: a[0], [(2, 3), (3,)], "'n' has size 2, but 3 in result 0"),
    ],
)
def test_axes_that_do_not_fit(function: Any, shapes: list[Any], said: str) -> None:
    wrapped = tnp.vectorize(function, signature="(n,m),(m)->(n)")
    with pytest.raises(ShapeError, match=said):
        wrapped(*[np.ones(shape) for shape in shapes])


def test_refused() -> None:
    product = tnp.vectorize(lambda a, b: a * b, signature="(n),()->(n)")
    vectorize: Any = tnp.vectorize  # for calls that its annotations refuse
    for call, said in (
        (lambda: product(np.ones(2)), "wrong number of positional arguments"),
        (lambda: product(np.ones(2), b=1), "keyword arguments"),
        (lambda: tnp.vectorize(lambda a: (a, a), signature="()->()")(1), "wrong number of results"),
        (lambda: vectorize(3), "a function"),
        (lambda: vectorize(abs, excluded={1.5}), "a position or a keyword"),
        (lambda: tnp.vectorize(abs, excluded={-1}), "0 or more"),
        (lambda: vectorize(abs, excluded=3), "a set"),
        (lambda: vectorize(abs, signature=3), "a string"),
    ):
        with pytest.raises(ArgumentError, match=said):
            call()


@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((4,), 0),
        ((3, 4), 0),
        ((3, 4), 1),
        ((3, 4, 5), 0),
        ((3, 4, 5), 1),
        ((3, 4, 5), -1),
        ((2, 0), 0),
    ],
)
def test_along_an_axis(shape: tuple[int, ...], axis: int) -> None:
    x = np.random.default_rng(0).standard_normal(shape)

    def twice(row: Any) -> Any:
        return tnp.concatenate([row, row[::-1]])

    def ours(function: Any) -> Any:
        return np.asarray(tnp.apply_along_axis(function, axis, x))

    if x.size:  # NumPy calls the function for what it returns
        np.testing.assert_allclose(
            ours(twice), np.apply_along_axis(lambda row: np.r_[row, row[::-1]], axis, x), rtol=1e-6
        )
        np.testing.assert_allclose(ours(tnp.max), np.max(x, axis), rtol=1e-6)
    assert ours(tnp.sum).shape == np.sum(x, axis).shape


@pytest.mark.parametrize("results", [lambda x: (x, x, x), lambda x: x, lambda x: (x,)])
def test_a_wrong_number_of_results_is_refused(results: Any) -> None:
    function = tnp.vectorize(results, signature="() -> (), ()")
    with pytest.raises(ArgumentError, match="wrong number of results: the signature has 2"):
        function(np.float32(1))

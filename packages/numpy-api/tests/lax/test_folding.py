"""Reductions by any monoid, against loops that combine one element after the other."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArgumentError, DTypeError, ShapeError
from treadle_ir.errors import AxisError, StructureError
from treadle_numpy import lax, numpy as tnp

RANDOM = np.random.default_rng(4)


def after(f: Any, g: Any) -> Any:
    """The composition of affine maps (a, b): x -> a x + b, `f` first: associative, and not commutative."""
    return f[0] * g[0], g[0] * f[1] + g[1]


def greater(f: Any, g: Any) -> Any:
    """The greater element with its position; the first of equal ones."""
    first = f[0] >= g[0]
    return tnp.where(first, f[0], g[0]), tnp.where(first, f[1], g[1])


def looped(elements: Any, inits: Any, combine: Any) -> Any:
    """One element after the other, in Python."""
    return functools.reduce(combine, zip(*elements, strict=True), inits)


shapes = st.lists(st.integers(0, 5), min_size=1, max_size=3).map(tuple)


@settings(max_examples=30, deadline=None)
@given(shapes, st.data())
def test_reductions_keep_the_order_of_elements(shape: Any, data: st.DataObject) -> None:
    axes = data.draw(st.sets(st.integers(0, len(shape) - 1)))
    a, b = [RANDOM.integers(-2, 3, shape).astype(np.int32) for _ in range(2)]
    found = lax.reduce((a, b), (1, 0), after, tuple(axes))
    kept = [i for i in range(len(shape)) if i not in axes]
    for place in itertools.product(*[range(shape[i]) for i in kept]):
        index: list[Any] = [slice(None)] * len(shape)
        for i, at in zip(kept, place, strict=True):
            index[i] = at
        expected = looped([x[tuple(index)].ravel().tolist() for x in (a, b)], (1, 0), after)
        wrapped = np.array(expected).astype(np.int64).astype(np.int32)
        assert [int(np.asarray(x)[place]) for x in found] == wrapped.tolist()


windows = st.tuples(
    st.integers(0, 6), st.integers(1, 5), st.integers(1, 3), st.integers(-1, 2), st.integers(0, 2)
)


@settings(max_examples=40, deadline=None)
@given(st.lists(windows, min_size=1, max_size=2), st.integers(1, 2), st.integers(1, 2))
def test_windows_against_loops(axes: Any, base: int, hole: int) -> None:
    sizes, window, strides, lows, highs = [tuple(each) for each in zip(*axes, strict=True)]
    rank = len(sizes)
    padded_sizes = [
        low + max(0, (n - 1) * base + 1 if n else 0) + high
        for n, low, high in zip(sizes, lows, highs, strict=True)
    ]
    if min(padded_sizes) < 0:
        return
    a, b = [RANDOM.integers(-2, 3, sizes).astype(np.int32) for _ in range(2)]
    found = lax.reduce_window(
        (a, b),
        (1, 0),
        after,
        window,
        strides,
        tuple(zip(lows, highs, strict=True)),
        (base,) * rank,
        (hole,) * rank,
    )
    padded = []
    for x, init in ((a, 1), (b, 0)):
        whole = np.full(padded_sizes, init, np.int32)
        for place in np.ndindex(*sizes):
            at = tuple([low + i * base for low, i in zip(lows, place, strict=True)])
            if all(0 <= i < n for i, n in zip(at, padded_sizes, strict=True)):
                whole[at] = x[place]
        padded.append(whole)
    for place in np.ndindex(*np.shape(found[0])):
        seen = [
            tuple([p * s + k * hole for p, s, k in zip(place, strides, offset, strict=True)])
            for offset in np.ndindex(*window)
        ]
        expected = looped([[int(x[at]) for at in seen] for x in padded], (1, 0), after)
        wrapped = np.array(expected).astype(np.int64).astype(np.int32)
        assert [int(np.asarray(x)[place]) for x in found] == wrapped.tolist()


def test_positions_of_extremes(staged: Any) -> None:
    x = RANDOM.integers(0, 4, (3, 7)).astype(np.float32)
    places = np.broadcast_to(np.arange(7, dtype=np.int32), x.shape)
    value, place = lax.reduce((x, places), (-np.inf, 0), greater, (1,))
    np.testing.assert_array_equal(value, x.max(1))
    np.testing.assert_array_equal(place, x.argmax(1))
    found = staged(lambda y: lax.reduce((y, places), (-np.inf, 0), greater, (1,))[1], x)
    np.testing.assert_array_equal(found, x.argmax(1))


def test_one_array_one_value_none() -> None:
    x = RANDOM.normal(size=(4, 5)).astype(np.float32)
    length = np.hypot.reduce(x, 0)
    found = lax.reduce(x, 0.0, lambda a, b: tnp.sqrt(a * a + b * b), (0,))
    np.testing.assert_allclose(found, length, rtol=1e-5)
    np.testing.assert_array_equal(
        lax.reduce(x[:0], 2.0, lambda a, b: a + b + a * b, (0,)), np.full(5, 8.0)
    )
    np.testing.assert_allclose(lax.reduce(2.0, 1.0, lambda a, b: a * b + 0.0 * a, ()), 2.0)


def test_windows_of_products() -> None:
    x = RANDOM.normal(size=(4, 6)).astype(np.float32)
    found = lax.reduce_window(x, 1.0, lax.mul, (2, 3), (1, 2), "SAME")
    padded = np.pad(x, ((0, 1), (0, 1)), constant_values=1)
    view = np.lib.stride_tricks.sliding_window_view(padded, (2, 3))[:, ::2]
    np.testing.assert_allclose(found, view.prod((2, 3)), rtol=1e-5)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: lax.reduce((x, x), (0.0,), after, (0,)), StructureError, "different structures"),
        (lambda x: lax.reduce((x, x[:1]), (0.0, 0.0), after, (0,)), ShapeError, "must be equal"),
        (lambda x: lax.reduce((x,), (x,), lambda a, b: a, (0,)), ShapeError, "must be scalars"),
        (lambda x: lax.reduce((), (), lambda a, b: a, (0,)), ArgumentError, "no operands"),
        (
            lambda x: lax.reduce(x, 0.0, lambda a, b: (a,), (0,)),  # type: ignore[arg-type,return-value]  # on purpose
            StructureError,
            "a structure that differs",
        ),
        (lambda x: lax.reduce(x, 0.0, lambda a, b: a > b, (0,)), DTypeError, "returns bool"),
        (lambda x: lax.reduce((x,), (0.0,), lambda a, b: a, (2,)), AxisError, "axis 2 is out of"),
        (
            lambda x: lax.reduce_window(x, 1.0, lax.mul, (2,)),
            ShapeError,
            "one positive number for each of the 2 axes",
        ),
        (
            lambda x: lax.reduce_window(x, 1.0, lax.mul, (1, 0)),
            ShapeError,
            "one positive number for each of the 2 axes",
        ),
        (
            lambda x: lax.reduce_window(x, 1.0, lax.mul, (1, 1), padding=[(0, 0)]),
            ShapeError,
            "padding has 1 pairs for 2 axes",
        ),
    ],
)
def test_errors(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(np.ones((2, 3), np.float32))


@pytest.mark.parametrize(
    "name", ["add", "mul", "max", "min", "bitwise_and", "bitwise_or", "bitwise_xor"]
)
def test_reductions_that_have_operations_of_their_own(name: str) -> None:
    numpys = {"mul": "multiply", "max": "maximum", "min": "minimum"}.get(name, name)
    x = np.array([[6, 3, 12], [5, 10, 7]], np.int32)
    start = {"bitwise_and": -1, "mul": 1, "min": 99}.get(name, 0)
    found = lax.reduce(x, np.int32(start), getattr(lax, name), (1,))
    np.testing.assert_array_equal(found, getattr(np, numpys).reduce(x, axis=1))

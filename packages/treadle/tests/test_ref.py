"""References under the compiler: jit with references as arguments, vmap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import ArgumentError, EscapedTracerError
from treadle.ref import Ref, freeze, new_ref

X = np.arange(3, dtype=np.float32)


def test_jit_takes_references_and_writes_them() -> None:
    runs = []

    @treadle.jit
    def update(state: Any, x: Any, scale: float = 1.0) -> Any:
        runs.append(0)
        state["sum"][...] += scale * x
        state["last"][0] = x
        return state["sum"][...]

    state = {"sum": new_ref(np.float32(0)), "last": new_ref(X)}
    assert [float(update(state, x)) for x in (1.0, 2.0, 3.0)] == [1.0, 3.0, 6.0]
    assert len(runs) == 1
    assert state["sum"][...] == 6.0
    np.testing.assert_array_equal(state["last"][...], [3, 1, 2])
    assert update(state, 1.0, scale=2.0) == 8.0


def test_static_arguments_beside_references() -> None:
    update = treadle.jit(lambda ref, n: ref.__setitem__(..., ref[...] + n), static_argnums=1)
    ref = new_ref(1)
    for n in (1, 2, 2):
        update(ref, n)
    assert ref[...] == 6


def test_jit_in_jit_and_in_loops() -> None:
    add = treadle.jit(lambda ref, x: ref.__setitem__(..., ref[...] + x))

    @treadle.jit
    def function(x: Any) -> Any:
        ref = new_ref(0.0)
        add(ref, x)
        lax.fori_loop(0, 3, lambda i, c: add(ref, x), None)
        return ref[...]

    assert function(2.0) == 8.0
    assert treadle.grad(function)(2.0) == 4.0
    np.testing.assert_array_equal(treadle.vmap(function)(X), 4 * X)


def test_vmap_with_references_made_inside() -> None:
    def function(x: Any, p: Any) -> Any:
        ref = new_ref(x)
        lax.cond(p, lambda: ref.__setitem__(..., 10 * ref[...]), lambda: None)
        lax.fori_loop(0, 2, lambda i, _: ref.__setitem__(..., ref[...] + 1), None)
        return freeze(ref)

    choices = np.array([True, False, True])
    expected = np.where(choices, 10 * X, X) + 2
    np.testing.assert_array_equal(treadle.vmap(function)(X, choices), expected)
    np.testing.assert_array_equal(treadle.jit(treadle.vmap(function))(X, choices), expected)
    gradient = treadle.vmap(treadle.grad(function))(X, choices)
    np.testing.assert_array_equal(gradient, np.where(choices, 10, 1))


def test_what_jit_refuses() -> None:
    ref = new_ref(X)
    with pytest.raises(
        ArgumentError, match="one reference is given as argument 0 and as argument 1"
    ):
        treadle.jit(lambda a, b: a[...] + b[...])(ref, ref)
    with pytest.raises(ArgumentError, match="returns a reference"):
        treadle.jit(lambda a: a)(ref)
    with pytest.raises(ArgumentError, match="pass the reference|staged, as under"):
        treadle.jit(lambda x: ref[...] + x)(1.0)
    left: list[Ref] = []
    treadle.jit(lambda a: left.append(a))(ref)
    with pytest.raises(EscapedTracerError):
        left[0][...]
    with pytest.raises(EscapedTracerError, match="vectorised"):
        treadle.vmap(lambda x: ref.__setitem__(0, x))(X)
    np.testing.assert_array_equal(ref[...], X)


def test_without_jit_and_as_public_names() -> None:
    assert treadle.new_ref is new_ref
    add = treadle.jit(lambda ref, x: ref.__setitem__(..., ref[...] + x))
    ref = treadle.new_ref(tnp.float32(1.0))
    add(ref, 1.0)
    assert isinstance(ref, treadle.Ref)
    assert treadle.freeze(ref) == 2.0

"""Transformed jaxprs are what the transformed functions are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.core import eval_jaxpr
from treadle.errors import ArgumentError, UnsupportedError
from treadle.extend.core import ClosedJaxpr, Jaxpr, jaxpr_as_fun
from treadle.interpreters import ad, batching

X = np.array([0.5, 1.5, -2.0], np.float32)
Y = np.array([3.0, -1.0, 0.25], np.float32)
TABLE = np.arange(3, dtype=np.float32) + 1


def function(x: Any, y: Any) -> Any:
    return tnp.sin(x) * y + tnp.asarray(TABLE), y * 2, tnp.ones(2)


def close(found: Any, wanted: Any) -> None:
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


CLOSED = treadle.make_jaxpr(function)(X, Y)


@pytest.mark.parametrize("nonzeros", [[True, True], [True, False], [False, True]])
@pytest.mark.parametrize("instantiate", [False, True, [False, False, True]])
def test_jvp(nonzeros: list[bool], instantiate: Any) -> None:
    tangents = [np.full(3, 2, np.float32), np.full(3, -1, np.float32)]
    given = [t if flag else np.zeros_like(t) for t, flag in zip(tangents, nonzeros, strict=True)]
    results, wanted = treadle.jvp(function, (X, Y), tuple(given))
    jaxpr, returned = ad.jvp_jaxpr(CLOSED, nonzeros, instantiate)
    depends = [True, nonzeros[1], False]
    forced = [instantiate] * 3 if isinstance(instantiate, bool) else instantiate
    assert returned == [a or b for a, b in zip(depends, forced, strict=True)]
    only = [t for t, flag in zip(tangents, nonzeros, strict=True) if flag]
    found = jaxpr_as_fun(jaxpr)(X, Y, *only)
    close(found[:3], results)
    close(found[3:], [t for t, flag in zip(wanted, returned, strict=True) if flag])


def test_jvp_of_a_jvp() -> None:
    cubed = treadle.make_jaxpr(lambda x: x**3)(2.0)
    once, _ = ad.jvp_jaxpr(cubed, [True])
    twice, returned = ad.jvp_jaxpr(once, [True, False], [False, True])
    assert returned == [True, True]
    (*_, second) = eval_jaxpr(twice.jaxpr, twice.consts, 2.0, 1.0, 1.0)
    assert float(second) == 12.0


def test_backward_pass() -> None:
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)

    def linear(scale: Any, x: Any, y: Any) -> Any:
        return tnp.asarray(matrix) @ (tnp.exp(scale) * x) + y, 3 * y

    scale, y = np.float32(0.3), np.ones(2, np.float32)
    closed = treadle.make_jaxpr(linear)(scale, X, y)
    undefined = [ad.UndefinedPrimal(treadle.typeof(each)) for each in (X, y)]
    cts = [np.array([1.0, -2.0], np.float32), np.array([0.5, 4.0], np.float32)]
    for jaxpr, consts in ((closed, []), (closed.jaxpr, closed.consts)):
        zero, *found = ad.backward_pass(jaxpr, True, consts, [scale, *undefined], cts)
        assert type(zero) is ad.Zero
        close(found, treadle.vjp(lambda x, y: linear(scale, x, y), X, y)[1](tuple(cts)))
    only = [cts[0], ad.Zero(treadle.typeof(cts[1]))]
    _, of_x, of_y = ad.backward_pass(closed, True, [], [scale, *undefined], only)
    close([of_x, of_y], [np.exp(scale) * matrix.T @ cts[0], cts[0]])
    nothing = [ad.Zero(treadle.typeof(each)) for each in cts]
    found = ad.backward_pass(closed, True, [], [scale, *undefined], nothing)
    assert [type(each) for each in found] == [ad.Zero] * 3
    jitted = treadle.jit(lambda ct: ad.backward_pass(closed, True, [], [scale, *undefined], ct)[1:])
    close(jitted(cts), treadle.vjp(lambda x, y: linear(scale, x, y), X, y)[1](tuple(cts)))
    with pytest.raises(UnsupportedError, match="return_logs"):
        ad.backward_pass(closed, True, [], [scale, *undefined], cts, return_logs=True)


@pytest.mark.parametrize("in_axes", [(0, 0), (1, None), (None, 1)])
def test_batches(in_axes: tuple[int | None, int | None]) -> None:
    size = 4
    stacked = [
        each if axis is None else np.stack([each * k for k in range(1, size + 1)], axis)
        for each, axis in zip((X, Y), in_axes, strict=True)
    ]
    axis_data = batching.AxisData("i", size)
    dest: list[Any] = [1, batching.zero_if_mapped, batching.zero_if_mapped]
    jaxpr, axes = batching.batch_jaxpr_axes(CLOSED, axis_data, in_axes, dest)
    second = None if in_axes[1] is None else 0
    assert axes == [1, second, None]
    wanted = treadle.vmap(function, in_axes=in_axes, out_axes=(1, second, None))(*stacked)
    close(jaxpr_as_fun(jaxpr)(*stacked), wanted)


def test_batches_know_the_name_of_their_axis() -> None:
    def centred(x: Any) -> Any:
        return x - treadle.lax.pmean(x, "i")

    made: list[Any] = []

    def named(x: Any) -> Any:
        made.append(treadle.make_jaxpr(centred)(1.0))
        return x

    treadle.vmap(named, axis_name="i")(X)
    (closed,) = made
    jaxpr, _ = batching.batch_jaxpr_axes(closed, batching.AxisData("i", 3), [0], [0])
    close(jaxpr_as_fun(jaxpr)(X), [X - X.mean()])


def test_sums_of_cotangents() -> None:
    close([ad.add_jaxvals(X, Y), ad.add_jaxvals_p.bind(X, Y)], [X + Y] * 2)
    assert issubclass(ad.JVPTrace, treadle.core.Trace)


def test_mistakes() -> None:
    axis = batching.AxisData("i", 3)
    opened = Jaxpr.of(CLOSED.jaxpr.program, 1)
    for call in (
        lambda jaxpr: ad.jvp_jaxpr(jaxpr, [True, True]),
        lambda jaxpr: batching.batch_jaxpr_axes(jaxpr, axis, [0, 0], [0, 0, 0]),
        lambda jaxpr: ad.backward_pass(jaxpr, True, [], [X, Y], [X]),
    ):
        with pytest.raises(ArgumentError, match="a Jaxpr"):
            call(function)
    with pytest.raises(ArgumentError, match="ClosedJaxpr"):
        ad.jvp_jaxpr(opened, [True])
    with pytest.raises(ArgumentError, match="1 nonzeros and 3 flags"):
        ad.jvp_jaxpr(CLOSED, [True])
    with pytest.raises(ArgumentError, match="2 cotangents"):
        ad.backward_pass(CLOSED, True, [], [X, Y], [X, X])
    with pytest.raises(ArgumentError, match="1 axes of arguments"):
        batching.batch_jaxpr_axes(CLOSED, axis, [0], [0, 0, 0])
    with pytest.raises(ArgumentError, match="no place 2"):
        batching.batch_jaxpr_axes(CLOSED, axis, [2, None], [0, 0, 0])
    with pytest.raises(ArgumentError, match="result 0 has a batch"):
        batching.batch_jaxpr_axes(CLOSED, axis, [0, None], [None, None, None])
    assert isinstance(CLOSED, ClosedJaxpr)

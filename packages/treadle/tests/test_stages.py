"""Stages of jitted functions, as users of JAX see them."""

from __future__ import annotations

from typing import Any

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle.core import eval_jaxpr
from treadle.sharding import AxisType, NamedSharding, PartitionSpec as P


def test_what_was_traced_is_shown_as_make_jaxpr_shows_it() -> None:
    scale = tnp.arange(3.0)

    def f(x: Any) -> Any:
        return {"y": x * scale}

    traced = treadle.jit(f).trace(tnp.ones(3))
    made = treadle.make_jaxpr(f)(tnp.ones(3))
    assert isinstance(traced.jaxpr, type(made))
    assert [eqn.primitive.name for eqn in traced.jaxpr.eqns] == ["mul"]
    assert traced.jaxpr.in_avals == made.in_avals == [treadle.typeof(scale)]
    (found,) = eval_jaxpr(traced.jaxpr.jaxpr, traced.jaxpr.consts, tnp.full(3, 2.0))
    np.testing.assert_array_equal(found, [0, 2, 4])


def test_types_of_arguments_and_results_show_explicit_shardings() -> None:
    mesh = treadle.make_mesh((1, 1), ("a", "b"))
    x = treadle.device_put(tnp.ones((4, 2)), NamedSharding(mesh, P("a", "b")))

    def f(x: Any) -> Any:
        return x * 2, x.sum(0), x.sum()

    def specs(avals: Any) -> Any:
        return [aval.sharding.spec for aval in treadle.tree.leaves(avals)]

    results = [P("a", "b"), P("b"), P()]
    traced = treadle.jit(f).trace(x)
    for made in (treadle.make_jaxpr(f)(x), traced.jaxpr):
        assert [*map(str, made.in_avals)] == ["float32[4@a,2@b]"]
        assert [*map(str, made.out_avals)] == ["float32[4@a,2@b]", "float32[2@b]", "float32[]"]
        assert specs(made.out_avals) == results
    lowered = traced.lower()
    assert specs(traced.out_info) == specs(lowered.out_info) == results
    for stage in (traced, lowered, lowered.compile()):
        assert specs(stage.in_avals) == [P("a", "b")]
    assert treadle.tree.leaves(lowered.out_info)[0].sharding == x.sharding
    # An uncommitted array shows none; the result of an operation with the other does.
    plain = tnp.ones((4, 2))
    with treadle.set_mesh(mesh):
        made = treadle.make_jaxpr(lambda x, y: y * x)(x, plain)
    assert [*map(str, made.in_avals)] == ["float32[4@a,2@b]", "float32[4,2]"]
    assert made.in_avals[1].sharding.mesh.empty
    assert [*map(str, made.out_avals)] == ["float32[4@a,2@b]"]


def test_requested_shardings_of_results_show_when_lowered() -> None:
    mesh = treadle.make_mesh((1,), ("a",), (AxisType.Auto,))
    where = NamedSharding(mesh, P("a"))
    lowered = treadle.jit(lambda x: (x, x.sum()), out_shardings=(where, None)).lower(tnp.ones(4))
    first, second = lowered.out_info
    assert first.sharding == where
    assert second.sharding is None

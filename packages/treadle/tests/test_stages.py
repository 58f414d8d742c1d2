"""Stages of jitted functions, as users of JAX see them."""

from __future__ import annotations

from typing import Any

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle.core import eval_jaxpr


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

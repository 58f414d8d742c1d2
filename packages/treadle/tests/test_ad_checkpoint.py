"""The other functions of `ad_checkpoint`: names of values, by functions and by JAX's primitive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import checkpoint_policies as policies
from treadle.ad_checkpoint import checkpoint_name, checkpoint_name_fwd, name_p

_X = np.arange(1.0, 4.0, dtype=np.float32)


def _bound(x: Any, name: str) -> Any:
    return name_p.bind(x, name=name)


@pytest.mark.parametrize("named", [checkpoint_name, checkpoint_name_fwd, _bound])
def test_policies_keep_what_has_a_name(named: Callable[[Any, str], Any]) -> None:
    def f(x: Any) -> Any:
        return tnp.sum(tnp.exp(named(tnp.sin(x), "kept")))

    def sines(policy: Any) -> int:
        slope = treadle.value_and_grad(treadle.checkpoint(f, policy=policy))
        return treadle.jit(slope).lower(_X).as_text().count("stablehlo.sine")

    assert sines(None) == 2
    assert sines(policies.save_only_these_names("kept")) == 1
    assert sines(policies.save_only_these_names("other")) == 2
    kept = treadle.checkpoint(f, policy=policies.save_only_these_names("kept"))
    np.testing.assert_allclose(treadle.grad(kept)(_X), treadle.grad(f)(_X), rtol=1e-6)


def test_the_primitive_is_the_one_that_equations_show() -> None:
    jaxpr = treadle.make_jaxpr(lambda x: checkpoint_name(x, "a"))(_X).jaxpr
    (equation,) = jaxpr.eqns
    assert equation.primitive is name_p
    assert name_p.name == "name"

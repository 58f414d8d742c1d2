"""Effects of libraries' own in loops and branches."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from treadle import lax
from treadle.debug import DebugEffect
from treadle.errors import ArgumentError
from treadle.experimental.hijax import control_flow_allowed_effects
from treadle.extend.core import Effect, Primitive


def _operation(effect: Effect) -> Primitive:
    operation = Primitive("told")
    operation.def_impl(lambda x: x)
    operation.def_effectful_abstract_eval(lambda x: (x, {effect}))
    return operation


def test_an_effect_that_says_nothing_shows_under_the_name_of_its_class() -> None:
    class Told(Effect):
        pass

    assert "!Told" in str(treadle.make_jaxpr(_operation(Told()).bind)(1.0))


def test_effects_are_refused_in_loops_until_they_are_added() -> None:
    class Told(Effect):
        pass

    operation = _operation(Told())

    def looped(x: float) -> treadle.Array:
        return lax.scan(lambda c, _: (operation.bind(c), None), x, length=3)[0]

    with pytest.raises(ArgumentError, match="has the effect `Told`, which has no place"):
        treadle.make_jaxpr(looped)(np.float32(1))
    control_flow_allowed_effects.add_type(Told)
    assert "!Told" in str(treadle.make_jaxpr(looped)(np.float32(1)))


def test_sorting_effects() -> None:
    class Told(Effect):
        pass

    told, printed = Told(), DebugEffect()
    assert control_flow_allowed_effects.filter_in([told, printed]) == [printed]
    assert control_flow_allowed_effects.filter_not_in([told, printed]) == [told]


def test_what_is_no_effect_is_refused() -> None:
    with pytest.raises(ArgumentError, match="add_type: effect_type must be a class derived from"):
        control_flow_allowed_effects.add_type(int)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="contains: eff must be an effect"):
        control_flow_allowed_effects.contains(3)  # type: ignore[arg-type]

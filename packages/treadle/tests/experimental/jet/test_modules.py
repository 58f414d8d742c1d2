from __future__ import annotations

import treadle.numpy as tnp
from treadle import lax
from treadle.experimental import jet
from treadle.extend import linear_util
from treadle.interpreters import partial_eval


def test_the_short_names_are_the_modules() -> None:
    assert jet.lax_internal is lax
    assert jet.lu is linear_util
    assert jet.pe is partial_eval
    assert jet.lu.wrap_init(lambda x: x + 1).call_wrapped(2) == 3
    assert float(jet.lax_internal.neg(tnp.float32(2.0))) == -2.0

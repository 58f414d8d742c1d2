from __future__ import annotations

import re

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle.experimental.layout import Layout, with_layout_constraint


def test_a_derivative_is_in_the_same_order() -> None:
    def loss(x: treadle.Array) -> treadle.Array:
        return (with_layout_constraint(x, Layout((1, 0))) ** 2).sum()

    x = tnp.arange(6.0).reshape(2, 3)
    gradient = treadle.jit(treadle.grad(loss))
    np.testing.assert_array_equal(gradient(x), 2 * np.asarray(x))
    assert len(re.findall("layout_constraint", str(gradient.trace(x).program))) == 2

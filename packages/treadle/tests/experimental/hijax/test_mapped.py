"""What batch rules are written with."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import UnsupportedError
from treadle.experimental.hijax import (
    HiPrim,
    ShapedArray,
    bdims_at_front,
    unmap_avals,
    vmap_rule,
)
from treadle.interpreters.batching import AxisData


class Total(HiPrim):
    """Batched with what there is for batch rules."""

    def __init__(self, x, y):
        self.in_avals, self.out_aval, self.params = (x, y), ShapedArray((), "float32"), {}
        super().__init__()

    def expand(self, x, y):
        return tnp.sum(x) * tnp.sum(y)

    def batch(self, axis_data, args, dims):
        x, y = bdims_at_front(axis_data, args, dims)
        avals = unmap_avals(axis_data, (treadle.typeof(x), treadle.typeof(y)), (0, 0))
        assert avals == self.in_avals
        return vmap_rule(axis_data, self.expand, (0, 0), 0)(x, y), 0


def test_a_rule_written_with_them():
    x, y = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones(2, np.float32)
    aval = ShapedArray((2,), "float32")
    total = Total(aval, aval)
    np.testing.assert_allclose(treadle.vmap(total, (1, None))(x, y), 2 * x.sum(0))


def test_values_have_no_numbered_axes(lib, x):
    with pytest.raises(UnsupportedError, match="bdims_at_front"):
        bdims_at_front(AxisData("i", 2), (lib.quantise(x),), (None,))

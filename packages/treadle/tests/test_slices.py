"""Ranges with traced starts as indices of arrays on a device, and of references."""

from __future__ import annotations

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle import ds

X = np.arange(12).reshape(4, 3)


def test_arrays_and_references() -> None:
    x, i = tnp.asarray(X), tnp.asarray(1)
    for found in (x[ds(1, 2)], x[ds(i, 2)], treadle.jit(lambda x, i: x[ds(i, 2)])(x, i)):
        np.testing.assert_array_equal(found, X[1:3])
    changed = X.copy()
    changed[1:3, 0] = -1
    np.testing.assert_array_equal(x.at[ds(i, 2), 0].set(-1), changed)
    ref = treadle.new_ref(x)
    ref[ds(i, 2), 0] = np.array([-1, -1])
    np.testing.assert_array_equal(ref[...], changed)
    rows = treadle.vmap(lambda i: x[ds(i, 2)])(tnp.arange(3))
    np.testing.assert_array_equal(rows, np.stack([X[0:2], X[1:3], X[2:4]]))

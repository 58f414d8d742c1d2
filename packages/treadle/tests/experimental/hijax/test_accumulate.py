"""What backward rules give cotangents to."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from treadle.experimental.hijax import (
    GradAccum,
    NullAccum,
    RefAccum,
    ShapedArray,
    ValAccum,
    Zero,
)

AVAL = ShapedArray((), "float32")


@pytest.mark.parametrize("cls", [ValAccum, RefAccum])
def test_sums(cls):
    accum = cls(AVAL)
    assert isinstance(accum.freeze(), Zero)
    for ct in (Zero(AVAL), np.float32(1), np.float32(2)):
        accum.accum(ct)
    assert accum.freeze() == 3.0
    assert isinstance(accum, GradAccum)


def test_of_values(lib):
    one, two = (lib.pair(np.float32(i), np.float32(2 * i)) for i in (1, 2))
    accum = ValAccum(treadle.typeof(one))
    accum.accum(one)
    accum.accum(two)
    assert [float(x) for x in accum.freeze().parts] == [3.0, 6.0]


def test_nothing_is_kept():
    accum = NullAccum(AVAL)
    accum.accum(np.float32(1))
    assert isinstance(accum.freeze(), Zero)


def test_a_reference_of_the_users():
    ref = treadle.ref.new_ref(np.float32(5))
    RefAccum(AVAL, ref).accum(np.float32(1))
    assert ref[...] == 6.0

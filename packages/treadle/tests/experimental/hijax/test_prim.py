"""What operations of libraries' own declare, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from treadle.errors import ArgumentError, DTypeError, ShapeError
from treadle.experimental.hijax import HiPrim, ShapedArray


class Scale(HiPrim):
    def __init__(self, aval, by):
        self.in_avals, self.out_aval, self.params = (aval,), aval, {"by": by}
        super().__init__()

    def expand(self, x):
        return self.by * x

    def vjp_fwd(self, nzs_in, x):
        return self(x), None

    def vjp_bwd_retval(self, _, ct):
        return self.by * ct  # no tuple


AVAL = ShapedArray((2,), "float32")


def test_parameters_are_attributes_and_make_equal():
    assert Scale(AVAL, 3).by == 3
    assert Scale(AVAL, 3) == Scale(AVAL, 3)
    assert hash(Scale(AVAL, 3)) == hash(Scale(AVAL, 3))
    assert Scale(AVAL, 3) != Scale(AVAL, 4)
    assert Scale(AVAL, 3) != Scale(ShapedArray((3,), "float32"), 3)
    assert repr(Scale(AVAL, 3)) == "Scale[by=3]"


def test_what_must_be_set():
    class Nothing(HiPrim):
        def __init__(self):
            super().__init__()

    with pytest.raises(AttributeError, match="in_avals"):
        Nothing()


def test_arguments_are_of_the_declared_types(lib, x):
    scale = Scale(AVAL, 3)
    with pytest.raises(ShapeError, match="f32\\[3\\]"):
        scale(np.ones(3, np.float32))
    with pytest.raises(DTypeError, match="i32"):
        scale(np.ones(2, np.int32))
    with pytest.raises(ArgumentError, match="1 arguments"):
        scale(np.ones(2, np.float32), 1)
    with pytest.raises(ArgumentError, match="a value of type"):
        scale(lib.quantise(x))
    with pytest.raises(ArgumentError, match="takes a value of type"):
        lib.Dequantise(lib.QuantisedType((2, 3)))(x)
    with pytest.raises(ArgumentError, match="takes a value of type"):
        lib.Dequantise(lib.QuantisedType((2, 4)))(lib.quantise(x))


def test_results_are_of_the_declared_types():
    class Wrong(Scale):
        def expand(self, x):
            return x[0]

    with pytest.raises(ShapeError, match="was declared"):
        Wrong(AVAL, 1)(np.ones(2, np.float32))


def test_python_numbers_yield():
    aval = treadle.typeof(np.float32(1))
    assert treadle.typeof(Scale(aval, 3)(1)).dtype == np.float32


def test_backward_rules_return_tuples():
    with pytest.raises(ArgumentError, match="must return a tuple"):
        treadle.grad(lambda x: Scale(AVAL, 3)(x).sum())(np.ones(2, np.float32))

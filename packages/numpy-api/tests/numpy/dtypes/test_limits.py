"""Limits of element types, by whatever names them."""

import ml_dtypes
import numpy as np
import pytest

from treadle_ir import DTypeError
from treadle_ir.settings import X64
from treadle_numpy import numpy as tnp


@pytest.mark.parametrize("name", ["float16", "float32", "float64", "bfloat16"])
def test_floats_have_the_limits_of_their_type(name):
    dtype = np.dtype(name)
    for each in (name, dtype, dtype.type, np.ones(1, dtype)):
        assert tnp.finfo(each).max == ml_dtypes.finfo(dtype).max
        assert tnp.finfo(each).dtype == dtype


@pytest.mark.parametrize("name", ["int4", "int8", "uint16", "int64"])
def test_integers_have_the_limits_of_their_type(name):
    dtype = np.dtype(name)
    for each in (name, dtype, np.ones(1, dtype)):
        assert tnp.iinfo(each).max == ml_dtypes.iinfo(dtype).max
        assert tnp.iinfo(each).dtype == dtype


def test_python_types_follow_the_width_in_force():
    for _ in range(2):
        with X64.override(False):
            assert (tnp.finfo(float).bits, tnp.iinfo(int).bits) == (32, 32)
        with X64.override(True):
            assert (tnp.finfo(float).bits, tnp.iinfo(int).bits) == (64, 64)


def test_types_of_the_other_kind_are_refused_each_time():
    for _ in range(2):
        with pytest.raises(DTypeError, match="use iinfo"):
            tnp.finfo("int8")
        with pytest.raises(DTypeError, match="use finfo"):
            tnp.iinfo("float32")

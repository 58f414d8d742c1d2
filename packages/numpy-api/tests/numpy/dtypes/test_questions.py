"""Answers about element types are kept, and depend on nothing that is not in the key."""

import numpy as np
import pytest

from treadle_ir import ArgumentError, DTypeError
from treadle_ir.core import DTYPE_PROMOTION
from treadle_ir.settings import X64
from treadle_numpy import numpy as tnp


def test_promotion_follows_the_width_in_force():
    for _ in range(2):
        with X64.override(False):
            assert tnp.promote_types("int32", "uint32") == np.int32
            assert tnp.promote_types(int, float) == np.float32
        with X64.override(True):
            assert tnp.promote_types("int32", "uint32") == np.int64
            assert tnp.promote_types(int, float) == np.float64


def test_strict_promotion_is_refused_also_when_it_was_allowed_before():
    assert tnp.promote_types("int8", "float32") == np.float32
    for _ in range(2):
        with DTYPE_PROMOTION.override("strict"), pytest.raises(DTypeError, match="strict"):
            tnp.promote_types("int8", "float32")
    assert tnp.promote_types("int8", "float32") == np.float32


def test_python_types_are_not_those_that_equal_them():
    with X64.override(True):
        assert np.dtype(np.float64) == float
        assert tnp.promote_types(np.dtype(np.float64), "float32") == np.float64
        assert tnp.promote_types(float, "float32") == np.float32  # a weak type yields


@pytest.mark.parametrize("types", [("int8", "float32"), (np.int8, np.dtype("float32"))])
def test_casts_are_numpys_under_each_rule(types):
    for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
        for source, target in (types, types[::-1]):
            for _ in range(2):
                expected = np.can_cast(source, target, casting=casting)
                assert tnp.can_cast(source, target, casting) is expected


def test_wrong_names_are_refused_each_time():
    for _ in range(2):
        with pytest.raises(ArgumentError):
            tnp.can_cast("int8", "nothing")
        with pytest.raises(ArgumentError, match="casting"):
            tnp.can_cast("int8", "int16", "nothing")
        with pytest.raises(ArgumentError):
            tnp.promote_types("nothing", "int8")

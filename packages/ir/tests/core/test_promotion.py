import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

from treadle_ir import ArrayType, DTypeError
from treadle_ir.core import dtypes, promoted, scalar_type, x64_enabled
from treadle_ir.settings import X64

NAMES = [
    name
    for name, dtype in dtypes.BY_NAME.items()
    if dtype.names is None and name not in (*dtypes.MINIFLOATS, *dtypes.NARROW_INTEGERS)
]
TYPES = [ArrayType((), dtypes.BY_NAME[name], weak) for name in NAMES for weak in (False, True)]
types = st.sampled_from(TYPES)


def meet(*operands):
    dtype, weak = promoted(operands)
    return ArrayType((), dtype, weak)


@given(types, types)
def test_the_order_of_operands_does_not_matter(a, b):
    with X64.override(True):
        assert meet(a, b).dtype == meet(b, a).dtype


@given(types)
def test_a_type_meets_itself(a):
    assert promoted([a, a]) == (a.dtype, a.weak)


@given(st.sampled_from([t for t in TYPES if not t.weak]), types, types)
def test_strong_promotion_is_associative_when_all_are_strong(a, b, c):
    b, c = b.strong(), c.strong()
    with X64.override(True):
        assert meet(meet(a, b), c).dtype == meet(a, meet(b, c)).dtype


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("u8", "i8", "i16"),
        ("u32", "i32", "i64"),
        ("i64", "f16", "f16"),
        ("bf16", "f16", "f32"),
        ("f32", "c64", "c64"),
        ("f64", "c64", "c128"),
        ("bool", "u8", "u8"),
    ],
)
def test_the_lattice(left, right, expected):
    with X64.override(True):
        a, b = ArrayType((), dtypes.BY_NAME[left]), ArrayType((), dtypes.BY_NAME[right])
        assert meet(a, b).dtype == dtypes.BY_NAME[expected]


def test_python_scalars_yield():
    half = ArrayType((3,), dtypes.BY_NAME["bf16"])
    assert meet(half, scalar_type(1.0)).dtype == dtypes.BY_NAME["bf16"]
    assert meet(ArrayType((), np.dtype("i4")), scalar_type(1.0)).dtype == np.float32
    assert meet(ArrayType((), np.dtype("u1")), scalar_type(1)).dtype == np.uint8


def test_widths():
    assert not x64_enabled()
    assert scalar_type(1.0).dtype == np.float32
    with X64.override(True):
        assert scalar_type(1.0).dtype == np.float64
        assert scalar_type(1).dtype == np.int64
    assert scalar_type(1).dtype == np.int32


SMALL = (*dtypes.NARROW_INTEGERS, *dtypes.MINIFLOATS)


@pytest.mark.parametrize("name", SMALL)
def test_small_types_meet_few(name):
    """Integers of less than a byte booleans and Python's integers; floats integers of NumPy's, and Python's floats."""
    own = ArrayType((), dtypes.BY_NAME[name])
    floating = dtypes.is_floating(own.dtype)
    for other, dtype in dtypes.BY_NAME.items():
        if dtype.names is not None:
            continue
        whole = other == "bool" or (dtypes.is_integer(dtype) and other not in SMALL)
        if other == name or other == "bool" or (floating and whole):
            assert meet(own, ArrayType((), dtype)).dtype == own.dtype
            assert meet(ArrayType((), dtype), own).dtype == own.dtype
        else:
            with pytest.raises(DTypeError, match="no implicit promotion"):
                meet(own, ArrayType((), dtype))
    assert meet(own, scalar_type(1)) == own
    for number in (1.0, 1j):
        if floating and number == 1.0:
            assert meet(own, scalar_type(number)) == own
        else:
            with pytest.raises(DTypeError, match="no implicit promotion"):
                meet(own, scalar_type(number))


def test_every_pair_but_those_has_a_meeting():
    with X64.override(True):
        for a, b in itertools.product(TYPES, TYPES):
            promoted([a, b])

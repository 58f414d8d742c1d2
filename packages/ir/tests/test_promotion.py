import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

from treadle_ir import (
    X64,
    ArrayType,
    DTypeError,
    dtypes,
    promoted,
    scalar_type,
    x64_enabled,
)

NAMES = [
    name
    for name, dtype in dtypes.BY_NAME.items()
    if dtype.names is None and name not in ("f8e4m3fn", "f8e5m2")
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


def test_no_implicit_promotion_of_8_bit_floats():
    with pytest.raises(DTypeError, match="no implicit promotion"):
        promoted([ArrayType((), dtypes.BY_NAME["f8e5m2"]), ArrayType((), np.dtype("f4"))])


def test_every_pair_but_those_has_a_meeting():
    with X64.override(True):
        for a, b in itertools.product(TYPES, TYPES):
            promoted([a, b])

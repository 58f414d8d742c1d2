"""What bitcast_convert refuses."""

from __future__ import annotations

import pytest

from treadle_ir import DTypeError
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.core.types import ArrayType
from treadle_ir.primitives.convert import BitcastConvert


@pytest.mark.parametrize(
    ("own", "new", "message"),
    [
        ("f32", "u64", "64 bits, not 32"),
        ("i4", "i8", "8 bits, not 4"),
        ("u8", "u4", "4 bits, not 8"),
        ("bool", "u8", "both must be boolean, or neither"),
        ("c64", "f64", "both must be complex, or neither"),
        ("u64", "c64", "both must be complex, or neither"),
    ],
)
def test_bitcast_convert_c1_c2(own: str, new: str, message: str) -> None:
    with pytest.raises(DTypeError, match=message):
        BitcastConvert(BY_NAME[new]).infer(ArrayType((2,), BY_NAME[own]))


def test_bitcast_convert_of_four_bits() -> None:
    (result,) = BitcastConvert(BY_NAME["u4"]).infer(ArrayType((2,), BY_NAME["i4"]))
    assert str(result) == "u4[2]"

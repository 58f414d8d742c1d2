"""Python values as MLIR's attributes: each is read back by MLIR as what it was."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_compiler.attributes import attribute_text
from treadle_compiler.mlir import mlir
from treadle_compiler.types import string_text
from treadle_ir import ArgumentError
from treadle_ir.errors import RangeError


def read(value: object) -> str:
    """Return what MLIR prints for the attribute."""
    border = mlir()
    with border.context:
        return str(border.ir.Attribute.parse(attribute_text("test", value)))


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (3, "3 : i64"),
        (-(1 << 63), "-9223372036854775808 : i64"),
        (2.5, "2.500000e+00 : f64"),
        (np.float64(2.5), "2.500000e+00 : f64"),
        (True, "true"),
        (np.bool_(False), "false"),
        (np.int8(-3), "-3 : i8"),
        (np.uint8(200), "200 : ui8"),
        (np.float16(1.5), "1.500000e+00 : f16"),
        (np.float32("nan"), "0x7FC00000 : f32"),
        ("text", '"text"'),
        ('a"\\\n\x00', '"a\\22\\\\\\0A\\00"'),
        (np.array([1, 2], np.int32), "dense<[1, 2]> : tensor<2xi32>"),
        (np.array([], np.float32), "dense<> : tensor<0xf32>"),
        (np.array([[True, False]]), "dense<[[true, false]]> : tensor<1x2xi1>"),
        ({}, "{}"),
        ({"b": 1, "a": {"c": "d"}}, '{a = {c = "d"}, b = 1 : i64}'),
    ],
)
def test_is_read_back(value: object, printed: str) -> None:
    assert read(value) == printed


def test_strings_of_other_alphabets_are_their_bytes() -> None:
    assert string_text("é") == '"\\C3\\A9"'


def test_depth_has_no_limit() -> None:
    value: object = 1
    for _ in range(5000):
        value = {"a": value}
    assert attribute_text("test", value).count("{") == 5000


@pytest.mark.parametrize(
    "value",
    [
        None,
        (1, 2),
        [1.0],
        1j,
        np.complex64(1),
        np.dtype("f4"),
        object(),
        {3: 4},
        {"": 1},
        {"a": None},
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_values_are_refused(value: object) -> None:
    with pytest.raises(ArgumentError, match=r"test: .* cannot be an attribute"):
        attribute_text("test", value)


def test_too_large_an_integer_is_refused() -> None:
    with pytest.raises(RangeError, match="64 bits"):
        attribute_text("test", 1 << 63)

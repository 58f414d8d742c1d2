import re

import numpy as np
import pytest

from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import BY_NAME, MINIFLOATS, NARROW_INTEGERS


def decoded(name: str, pattern: int) -> float:
    """The number of a pattern as the type's name says it.

    `f8e4m3b11fnuz`: 8 bits, 4 of exponent and 3 of mantissa, bias 11; `fn`: no infinities, `uz`: no -0, whose pattern
    is the NaN. Source: the OCP specifications of 8-bit floats and of microscaling formats; P3109's for `fnuz`.
    """
    match = re.fullmatch(r"f(\d)e(\d)m(\d)(?:b(\d+))?(fn)?(uz|u)?", name)
    assert match is not None
    width, exponent_bits, mantissa_bits = (int(match[i]) for i in (1, 2, 3))
    finite, ends = match[5] is not None, match[6]
    signed = ends != "u"
    bias = int(match[4] or (1 << (exponent_bits - 1)) - 1 + (ends == "uz"))
    sign = -1.0 if signed and pattern >> (width - 1) else 1.0
    exponent = (pattern >> mantissa_bits) % (1 << exponent_bits)
    mantissa = pattern % (1 << mantissa_bits)
    top = exponent == (1 << exponent_bits) - 1
    if ends == "uz":
        if pattern == 1 << (width - 1):
            return np.nan
    elif not finite:
        if top:
            return np.nan if mantissa else sign * np.inf
    elif width == 8 and top and mantissa == (1 << mantissa_bits) - 1:
        return np.nan
    if exponent == 0 and mantissa_bits:
        return sign * mantissa * 2.0 ** (1 - bias - mantissa_bits)
    return sign * (1 + mantissa / (1 << mantissa_bits)) * 2.0 ** (exponent - bias)


@pytest.mark.parametrize("name", MINIFLOATS)
def test_every_pattern_is_the_number_that_the_name_says(name):
    dtype = BY_NAME[name]
    patterns = np.arange(1 << dtypes.bit_width(dtype), dtype=np.uint8)
    expected = [decoded(name, int(pattern)) for pattern in patterns]
    found = patterns.view(dtype).astype(np.float64)
    np.testing.assert_array_equal(found, expected)
    kept = ~np.isnan(found)
    np.testing.assert_array_equal(np.signbit(found)[kept], np.signbit(expected)[kept])
    numbers = found[~np.isnan(found)]
    assert (float(dtypes.least(dtype)), float(dtypes.greatest(dtype))) == (
        numbers.min(),
        numbers.max(),
    )
    reach = 2.0 ** dtypes.greatest_exponent(dtype)
    assert reach / 2 <= numbers[np.isfinite(numbers)].max() < reach


@pytest.mark.parametrize("name", NARROW_INTEGERS)
def test_integers_of_less_than_a_byte(name):
    dtype = BY_NAME[name]
    bits = int(name[1:])
    assert dtypes.bit_width(dtype) == bits
    assert dtypes.is_narrow_integer(dtype)
    assert dtypes.is_integer(dtype)
    low = -(1 << (bits - 1)) if name[0] == "i" else 0
    assert (int(dtypes.least(dtype)), int(dtypes.greatest(dtype))) == (low, low + (1 << bits) - 1)


def test_other_integers_are_not_narrow():
    assert not any(
        dtypes.is_narrow_integer(dtype)
        for name, dtype in BY_NAME.items()
        if name not in NARROW_INTEGERS
    )


def test_types_are_of_one_kind_each():
    kinds = (
        dtypes.is_bool,
        dtypes.is_signed,
        dtypes.is_unsigned,
        dtypes.is_floating,
        dtypes.is_complex,
    )
    for dtype in BY_NAME.values():
        if dtype.names is None:
            assert sum(kind(dtype) for kind in kinds) == 1, dtype

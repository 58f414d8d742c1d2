"""Values wider than the width in force: converted to an element type straight from what they are on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import treadle_numpy as tnp
from treadle_ir import ArgumentError, interpret, stage
from treadle_ir.errors import RangeError
from treadle_ir.settings import X64
from treadle_numpy import lax
from treadle_numpy.arrays.at import at

NARROW = ["bool", "int8", "uint8", "int32", "uint32", "float16", "bfloat16", "float32", "complex64"]
MADE: dict[str, Callable[[Any, Any], Any]] = {
    "asarray": tnp.asarray,
    "array": tnp.array,
    "full": lambda x, dtype: tnp.full((), x, dtype),
    "full_like": lambda x, dtype: tnp.full_like(tnp.zeros((), dtype), x),
    "lax.full": lambda x, dtype: lax.full((), x, dtype),
    "lax.convert_element_type": lax.convert_element_type,
}
numbers = st.one_of(
    st.integers(-(2**63), 2**63 - 1).map(np.int64),
    st.integers(0, 2**64 - 1).map(np.uint64),
    st.floats(width=64).map(np.float64),
)


@pytest.mark.parametrize("how", MADE)
@given(x=numbers, name=st.sampled_from(NARROW))
def test_the_width_in_force_does_not_matter_to_what_is_narrow_in_the_end(
    how: str, x: np.generic, name: str
) -> None:
    answers = []
    for wide in (False, True):
        with X64.override(wide), np.errstate(all="ignore"):
            dtype = getattr(tnp, "bool_" if name == "bool" else name).dtype
            made = MADE[how](x, dtype)
            assert made.dtype == dtype
            answers.append(np.asarray(made).astype(np.complex128))  # of bfloat16, NaN is unequal
    np.testing.assert_array_equal(answers[0], answers[1])


@pytest.mark.parametrize("how", MADE)
def test_a_constant_of_a_program_is_converted_from_what_it_is(how: str) -> None:
    with X64.override(False):
        staged = stage(lambda: [MADE[how](np.int64(2**40), np.float32)])
    (made,) = interpret(staged.program, *staged.captured)
    assert np.asarray(made) == 2.0**40


@pytest.mark.parametrize("how", ["full", "full_like", "lax.full", "lax.convert_element_type"])
def test_python_integers_beyond_the_default_type(how: str) -> None:
    make = MADE[how]
    with X64.override(False):
        assert make(2**31, np.uint32) == 2**31
        assert make(2**63, np.float32) == 2.0**63
        assert make(-(2**31) - 1, np.int32) == 2**31 - 1  # the lower bits, as under 64-bit types
    with X64.override(True):
        assert make(2**64 - 1, np.uint64) == 2**64 - 1
        assert make(2**70, np.float64) == 2.0**70
        assert make(2**70, np.bool_)
        with pytest.raises(RangeError, match="1180591620717411303424 out of bounds for uint64"):
            make(2**70, np.uint64)
        with pytest.raises(RangeError, match="bits out of bounds for float64"):
            make(10**400, np.float64)


@pytest.mark.parametrize("how", ["full", "full_like", "lax.full", "lax.convert_element_type"])
def test_python_floats_as_integers_saturate_like_arrays(how: str) -> None:
    make = MADE[how]
    assert [int(make(x, np.int32)) for x in (np.nan, 1e300, -np.inf, 2.7)] == [
        0,
        2**31 - 1,
        -(2**31),
        2,
    ]
    assert int(make(-1e300, np.uint32)) == 0


def test_integers_with_unsigned_elements() -> None:
    with X64.override(True):
        x = np.zeros(2, np.uint64)
        assert at(x)[0].set(2**63)[0] == 2**63
        assert at(x)[0].add(2**64 - 1)[0] == 2**64 - 1
    with X64.override(False):
        assert at(np.zeros(2, np.uint32))[0].set(2**31)[0] == 2**31


def test_lists_of_integers_of_which_some_need_the_unsigned_type() -> None:
    """NumPy makes floats of them, which have lost the last bits, or the number."""
    with X64.override(True):
        for numbers_ in ([2**63, 1], [2**63, -1], [[2**70], [1]]):
            with pytest.raises(RangeError):
                tnp.array(numbers_)
        assert tnp.array([2**63 + 1, 1], np.uint64).tolist() == [2**63 + 1, 1]
        assert tnp.array([np.uint64(2**63 + 1), 1]).tolist() == [2**63 + 1, 1]
    with X64.override(False), pytest.raises(RangeError):
        tnp.array([2**63, 1])


@pytest.mark.filterwarnings("ignore:.*converting a masked element")
def test_what_is_masked_is_no_integer() -> None:
    masked = np.ma.masked_array([1.0, 2.0], [True, False])
    with pytest.raises(ArgumentError, match="fromiter: Cannot convert masked element"):
        tnp.fromiter(masked, np.int32)


@pytest.mark.parametrize("given_", [np.nan, [np.nan], [1, np.nan]])
def test_a_python_nan_is_no_integer(given_: object) -> None:
    with pytest.raises(ArgumentError, match="array: cannot convert float NaN to integer"):
        tnp.array(given_, np.int32)
    with pytest.raises(RangeError, match="infinity"):
        tnp.array(np.inf, np.int32)

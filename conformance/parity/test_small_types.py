"""Element types of a byte and less promote, convert and compute as JAX's do."""

from __future__ import annotations

from typing import Any, Final

import ml_dtypes
import numpy as np
import pytest

from conformance.parity.conftest import Ask
from conformance.parity.test_parity import both
from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import BY_NAME, MINIFLOATS, NARROW_INTEGERS

NAMES: Final = [dtype.name for dtype in BY_NAME.values() if dtype.names is None]
COMPILED: Final = [
    BY_NAME[name]
    for name in (*NARROW_INTEGERS, *MINIFLOATS)
    if BY_NAME[name] not in dtypes.NOT_COMPILED
]
FUNCTIONS: Final = (
    *("add", "multiply", "negate", "less", "maximum", "where", "to float32", "to int32"),
    "from float32",
)


@pytest.mark.parametrize("x64", [False, True])
def test_every_pair_meets_where_jax_has_it(ask: Ask, x64: bool) -> None:
    names = [name for name in NAMES if x64 or "64" not in name or name == "complex64"]
    names = [name for name in names if x64 or name != "complex128"]
    ((_, ours, theirs),) = both(ask, [{"do": "promotion", "names": names}], x64)
    assert len(ours) == len(names) >= 28
    assert ours == theirs


@pytest.mark.parametrize("dtype", COMPILED, ids=str)
def test_all_pairs_of_elements_give_the_same_bits(ask: Ask, dtype: np.dtype[Any]) -> None:
    bits = dtypes.bit_width(dtype)
    signed = dtypes.is_signed(dtype)
    questions = [
        {"do": "small types", "dtype": dtype.name, "bits": bits, "signed": signed, "of": of}
        for of in FUNCTIONS
        if not (of == "negate" and dtypes.is_unsigned(dtype))
        # There 6 becomes the greatest integer: XLA's limit is rounded to 6 in this type.
        and not (of == "to int32" and dtype.name == "float4_e2m1fn")
    ]
    for question, ours, theirs in both(ask, questions, False):
        same = ours == theirs
        if question["of"] not in ("less", "to float32", "to int32") and not same.all():
            # A NaN has any bits.
            x, y = ours.view(dtype), theirs.view(dtype)
            same = same | (np.isnan(x.astype("float32")) & np.isnan(y.astype("float32")))
        where = np.flatnonzero(~same)
        assert not where.size, (question, where[:5], ours[where[:5]], theirs[where[:5]])


def test_types_of_jax_that_are_not_compared_are_those_that_its_programs_have_not() -> None:
    there = {name for name in dir(ml_dtypes) if name.startswith(("int", "uint", "float"))}
    left = there - {dtype.name for dtype in COMPILED}
    assert left == {dtype.name for dtype in dtypes.NOT_COMPILED}

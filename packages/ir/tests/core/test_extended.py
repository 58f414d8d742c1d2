"""Element types that NumPy lacks, in NumPy's arrays and in programs."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArrayType, DTypeError, ops, stage
from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import KEY, RBG, UNSAFE_RBG, KeyDType
from treadle_ir.core.extended import ExtendedDType, element_type_of, extended, is_extended
from treadle_ir.core.printing import print_program


class Rules:
    physical_element_aval = staticmethod(lambda dtype: ArrayType((), dtype.number))
    allow_conversion = True


@dataclass(frozen=True)
class Marked(ExtendedDType):
    number: Any
    _rules: Any = Rules
    type: Any = extended
    name: Any = "marked"


F32, F16 = np.dtype("float32"), np.dtype("float16")


@pytest.mark.parametrize("dtype", [KEY, RBG, UNSAFE_RBG])
def test_numpy_takes_the_types_of_keys(dtype: Any) -> None:
    elements = np.zeros(3, dtype)
    assert elements.dtype == dtype
    assert dtype == elements.dtype
    assert element_type_of(elements.dtype) is dtype
    assert ArrayType((3,), elements.dtype) is ArrayType((3,), dtype)
    assert ArrayType((3,), elements.dtype).dtype is dtype
    assert dtypes.dtype_name(elements.dtype) == dtype.name == str(dtype)
    assert elements.itemsize == dtype.itemsize
    assert dtypes.is_key(elements.dtype)
    for again in (pickle.loads(pickle.dumps(dtype)), copy.copy(dtype), copy.deepcopy(dtype)):
        assert again is dtype


def test_types_of_one_name_are_told_apart() -> None:
    one, two = Marked(F32), Marked(F16)
    assert ArrayType((), one) is ArrayType((), Marked(F32))  # type: ignore[arg-type]
    assert ArrayType((), one) is not ArrayType((), two)  # type: ignore[arg-type]
    assert one.dtype != two.dtype
    assert element_type_of(two.dtype) is element_type_of(Marked(F16))
    mine = [KeyDType("mine", each, (3,)) for each in ("a", "b")]
    assert mine[0] != mine[1]
    assert mine[0].dtype != mine[1].dtype
    assert mine[0] == KeyDType("mine", "a", (3,))
    assert mine[0].itemsize == 12


def test_what_is_known_of_such_types() -> None:
    assert is_extended(KEY)
    assert is_extended(np.dtype(KEY))
    assert is_extended(Marked(F32))
    assert not is_extended(F32)
    assert not is_extended(dtypes.float0)
    dtype: Any = Marked(F32)
    assert dtypes.physical_type(dtype) == (F32, ())
    assert dtypes.physical_type(RBG) == (np.dtype("uint64"), (2,))
    assert dtypes.physical_type(F16) == (F16, ())
    assert ArrayType((3,), dtype).tangent() == ArrayType((3,), dtypes.float0)
    assert not dtypes.has_tangents(dtype)


def test_programs_convert_by_the_rules_alone() -> None:
    dtype: Any = Marked(F32)
    x = np.arange(3, dtype=F32)
    there = ops.convert(x, dtype=dtype)
    np.testing.assert_array_equal(ops.convert(there, dtype=F32), x)
    with pytest.raises(DTypeError, match="from marked to float16"):
        ops.convert(there, dtype=F16)
    with pytest.raises(DTypeError, match="not numbers"):
        ops.add(there, there)
    program = stage(lambda x: [ops.convert(x, dtype=dtype)], ArrayType((3,), F32)).program
    assert "%1: marked[3] = convert %0 {dtype=<opaque Marked>}" in print_program(program)

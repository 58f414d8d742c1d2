"""Methods as functions, since the reference evaluator's arrays are NumPy's."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from treadle_ir import Array, DTypeError
from treadle_numpy.arrays.methods import byteswap, clone, transpose

TYPES = "bool int8 uint16 int16 float16 int32 float32 complex64 uint64 float64 complex128".split()  # noqa: SIM905


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(), (0, 2), (3,)])
def test_byteswap_agrees_with_numpy(dtype: str, shape: tuple[int, ...]) -> None:
    x: Any = (np.arange(3)[: np.prod(shape, dtype=int)] + 1).reshape(shape).astype(dtype)
    swapped: Any = byteswap(x)
    assert np.asarray(swapped).tobytes() == x.byteswap().tobytes()
    assert np.asarray(byteswap(swapped)).tobytes() == x.tobytes()


def test_byteswap_needs_bytes() -> None:
    x: Any = np.ones(2, ml_dtypes.int4)
    with pytest.raises(DTypeError, match="no bytes to swap"):
        byteswap(x)


def test_a_clone_has_its_own_memory() -> None:
    x: Any = np.arange(3.0, dtype=np.float32)
    copied: Any = clone(x)
    assert not np.shares_memory(copied, x)
    np.testing.assert_array_equal(copied, x)


def test_axes_are_given_one_by_one_or_as_one() -> None:
    x: Any = np.arange(24.0).reshape(2, 3, 4)
    for order in ((), (None,), (1, 0, 2), ((1, 0, 2),), ([2, 0, 1],)):
        np.testing.assert_array_equal(transpose(x, *order), x.transpose(*order))
    row: Any = np.arange(3.0)
    np.testing.assert_array_equal(transpose(row, 0), row)


def test_arrays_have_the_methods_of_numpys_that_write_nothing() -> None:
    writing = {"fill", "partition", "put", "resize", "setfield", "setflags"}
    of_memory = {"base", "ctypes", "data", "dump", "dumps", "getfield", "strides", "tofile"}
    of_the_runtime = {"flags", "to_device", "tolist"}
    removed = {
        "itemset",
        "newbyteorder",
        "tostring",
    }  # of NumPy 2.1, whose methods only raise an error
    public = {name for name in dir(np.ndarray) if name[0] != "_"}
    ours = public - writing - of_memory - of_the_runtime - removed
    assert {name for name in ours if not hasattr(Array, name)} == set()

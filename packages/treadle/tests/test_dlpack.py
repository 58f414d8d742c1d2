from __future__ import annotations

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import dlpack
from treadle.errors import ArgumentError


def test_memory_goes_in_and_out_without_a_copy() -> None:
    theirs = np.arange(4096, dtype=np.float32)
    ours = dlpack.from_dlpack(theirs)
    assert np.shares_memory(np.from_dlpack(ours), theirs)
    assert float(treadle.jit(tnp.sum)(ours)) == theirs.sum()
    copied = dlpack.from_dlpack(theirs, copy=True)
    assert not np.shares_memory(np.from_dlpack(copied), theirs)


def test_arrays_come_back_as_they_are() -> None:
    x = tnp.arange(3)
    assert dlpack.from_dlpack(x) is x
    assert dlpack.from_dlpack(x, treadle.devices()[0]).devices() == {treadle.devices()[0]}


def test_element_types() -> None:
    assert [dlpack.is_supported_dtype(d) for d in ("bfloat16", bool, "int4")] == [True, True, False]
    with pytest.raises(ArgumentError, match="is_supported_dtype"):
        dlpack.is_supported_dtype("words")

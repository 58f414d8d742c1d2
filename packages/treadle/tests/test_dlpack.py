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


SMALL = ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e8m0fnu")


@pytest.mark.parametrize("dtype", SMALL)
@pytest.mark.parametrize("size", [3, 4096])
def test_small_floats_go_out_and_in(dtype: str, size: int) -> None:
    x = tnp.ones(size, dtype) * 2

    class Theirs:
        """Not ours, which would come back as it is."""

        def __dlpack__(self, **asked: object) -> object:
            return x.__dlpack__(**asked)  # type: ignore[arg-type]  # whatever NumPy asks

        def __dlpack_device__(self) -> tuple[int, int]:
            return x.__dlpack_device__()

    for made in (dlpack.from_dlpack(Theirs()), dlpack.from_dlpack(Theirs(), copy=True)):
        assert made.dtype == x.dtype
        assert np.asarray(made).tobytes() == np.asarray(x).tobytes()
        assert float(treadle.jit(lambda v: v[0].astype(np.float32))(made)) == 2

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle_numpy as tnp
from treadle_ir import ArgumentError, UnsupportedError


class OnGpu:
    def __dlpack__(self, **_: Any) -> None:
        raise AssertionError("the device is asked first")

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)


def test_from_dlpack_shares_the_memory() -> None:
    theirs = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert np.shares_memory(np.asarray(tnp.from_dlpack(theirs)), theirs)
    assert not np.shares_memory(np.asarray(tnp.from_dlpack(theirs, copy=True)), theirs)
    np.testing.assert_array_equal(tnp.from_dlpack(theirs.T), theirs.T)


def test_from_dlpack_narrows_to_the_width_in_force() -> None:
    assert tnp.from_dlpack(np.arange(3, dtype=np.int64)).dtype == np.int32
    with pytest.raises(ArgumentError, match="a copy is needed to convert elements from int64"):
        tnp.from_dlpack(np.arange(3, dtype=np.int64), copy=False)


@pytest.mark.parametrize("value", [[1, 2], 3.0, None])
def test_from_dlpack_refuses_what_is_no_array(value: Any) -> None:
    with pytest.raises(ArgumentError, match="no `__dlpack__`"):
        tnp.from_dlpack(value)


def test_from_dlpack_refuses_other_devices_and_elements() -> None:
    with pytest.raises(UnsupportedError, match="DLPack's kind 2"):
        tnp.from_dlpack(OnGpu())
    with pytest.raises(ArgumentError, match="cannot be exchanged"):
        tnp.from_dlpack(np.array(["text"]))
    with pytest.raises(ArgumentError, match="copy"):
        tnp.from_dlpack(np.arange(3), copy="no")  # type: ignore[arg-type]

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_runtime import Format, Layout, SingleDeviceSharding, devices, from_host

ops: Any = treadle_ir.ops  # Any: tests ask more of results than an operand has
X = from_host(np.arange(6, dtype=np.float32).reshape(2, 3))


def test_the_buffer_shares_memory_and_cannot_be_written_to() -> None:
    view = X.__buffer__(0)
    assert view.readonly
    assert view.shape == (2, 3)
    assert np.shares_memory(np.asarray(view), np.asarray(X))
    X.__release_buffer__(view)
    np.testing.assert_array_equal(np.asarray(view), [[0, 1, 2], [3, 4, 5]])


def test_numpy_reads_it_at_once() -> None:
    """From 3.12 on NumPy asks for the buffer, which must not ask NumPy in turn."""
    deepest, depth = 0, 0

    def watch(frame: FrameType, event: str, argument: object) -> None:
        nonlocal deepest, depth
        depth += (event == "call") - (event == "return")
        deepest = max(deepest, depth)

    sys.setprofile(watch)
    try:
        found = np.asarray(X)
    finally:
        sys.setprofile(None)
    assert np.array_equal(found, [[0, 1, 2], [3, 4, 5]])
    assert deepest < 20


def test_numpy_takes_the_element_type() -> None:
    assert X.__numpy_dtype__ == np.float32


def test_cuda_s_interface_is_for_gpus() -> None:
    with pytest.raises(AttributeError, match="this one is on cpu"):
        _ = X.__cuda_array_interface__
    assert not hasattr(X, "__cuda_array_interface__")


def test_the_format_is_row_major_where_the_array_is() -> None:
    assert X.format == Format(Layout((0, 1), ()), SingleDeviceSharding(devices()[0]))
    assert X.traceback is None


@pytest.mark.parametrize("computed", [False, True], ids=["transferred", "computed on the host"])
def test_what_dlpack_shares_cannot_be_written_to(computed: bool) -> None:
    x = ops.add(X, X) if computed else X
    before = np.array(x)
    shared = np.from_dlpack(x)
    assert np.shares_memory(shared, np.asarray(x))
    with pytest.raises(ValueError, match="read-only"):
        shared[0, 0] = 77.0
    copied = np.from_dlpack(x, copy=True)  # the receiver's own
    assert not np.shares_memory(copied, np.asarray(x))
    # NumPy 2.1 takes all that it is given for read-only, its own copies too.
    assert copied.flags.writeable == np.from_dlpack(np.ones(1), copy=True).flags.writeable
    if copied.flags.writeable:
        copied[...] = 77.0
    np.testing.assert_array_equal(np.asarray(x), before)


def test_dlpack_refuses_a_device_where_it_is_not() -> None:
    with pytest.raises(BufferError):
        X.__dlpack__(dl_device=(2, 0))
    assert X.__dlpack__(dl_device=(1, 0)) is not None

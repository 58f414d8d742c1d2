from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_runtime import PlatformError
from treadle_runtime.client import backends
from treadle_runtime.client.exchange import adopted, capsule_of, is_row_major, taken


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (1, 4, 1), (0, 3)])
def test_new_arrays_are_in_row_major_order(shape: tuple[int, ...]) -> None:
    assert is_row_major(np.zeros(shape, np.float32).__dlpack__())


def test_views_are_in_row_major_order_or_not() -> None:
    x = np.zeros((4, 6), np.float32)
    assert is_row_major(x[1:3].__dlpack__())
    assert is_row_major(x[:1, ::1].T[:, 0].__dlpack__())
    for view in (x.T, x[:, ::2], x[::2]):
        assert not is_row_major(view.__dlpack__())


def test_only_gpus_are_reached() -> None:
    assert adopted(object(), 8, 0) is None  # Metal
    if "cuda" not in backends.started:
        with pytest.raises(PlatformError, match="cuda"):
            adopted(object(), 2, 0)


@pytest.mark.parametrize("letter", "?bhilBHILefdFD")
def test_a_capsule_goes_out_and_comes_in(letter: str) -> None:
    """On the CPU, whose memory is exchanged otherwise, since no GPU is at hand."""
    backend = backends.get("cpu")
    elements = np.arange(6).reshape(2, 3).astype(letter)
    buffer = backend.put(elements)
    again = taken(capsule_of(backend, buffer, None), backend.local_devices[0], None)
    np.testing.assert_array_equal(backend.read(again), elements, strict=True)
    assert backend.pointer(again) == backend.pointer(buffer)


def test_a_capsule_of_a_view_is_refused() -> None:
    columns = np.zeros((4, 6), np.float32).T
    with pytest.raises(ArgumentError, match="row-major order"):
        taken(columns.__dlpack__(), backends.get("cpu").local_devices[0], None)

"""What a memory of a device is called, and that no element changes on the way there."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError, ops

X = np.ones((4, 2), np.float32)


def test_a_kind_is_a_name() -> None:
    with pytest.raises(ArgumentError, match="is 'two words', which is no name"):  # C1
        ops.to_memory(X, kind="two words")


def test_the_elements_stay() -> None:
    assert np.array_equal(ops.to_memory(X, kind="pinned_host"), X)

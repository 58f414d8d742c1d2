"""Raw keys hold their words in the last axis, and a batch may be anywhere: the same as one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_batching import vmap
from treadle_ir import Operand, ops

WORDS = np.arange(12, dtype=np.uint32).reshape(2, 3, 2) ** 5


@pytest.mark.parametrize(
    "draw",
    [
        lambda key: ops.random_bits(key, shape=(3,)),
        lambda key: ops.random_split(key, shape=(2,)),
        lambda key: ops.random_fold_in(key, np.uint32(7)),
    ],
    ids=["bits", "split", "fold_in"],
)
@pytest.mark.parametrize(("ndim", "in_axis"), [(1, 0), (1, 1), (2, 0), (2, 1), (2, 2)])
def test_raw_keys_in_any_axis(draw: Callable[[Operand], Any], ndim: int, in_axis: int) -> None:
    batch = WORDS if ndim == 2 else WORDS[0]  # a key or several for each batch element
    found = vmap(draw, in_axis)(np.moveaxis(batch, 0, in_axis))
    np.testing.assert_array_equal(found, np.stack([np.asarray(draw(each)) for each in batch]))

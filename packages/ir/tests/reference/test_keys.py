"""Keys of 128 bits as two keys of 64 bits."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir.core.dtypes import KEY, RBG, UNSAFE_RBG, DType
from treadle_ir.reference.keys import halves_of_keys, keys_of_halves, keys_of_words, words_of_keys


@pytest.mark.parametrize("dtype", [RBG, UNSAFE_RBG])
def test_halves_of_keys(dtype: DType) -> None:
    words = np.arange(24, dtype=np.uint32).reshape(2, 3, 4)
    keys = keys_of_words(words, dtype)
    first, second = halves_of_keys(keys)
    assert first.dtype == second.dtype == KEY
    np.testing.assert_array_equal(words_of_keys(first), words[..., :2])
    np.testing.assert_array_equal(words_of_keys(second), words[..., 2:])
    np.testing.assert_array_equal(words_of_keys(keys_of_halves(first, second, dtype)), words)

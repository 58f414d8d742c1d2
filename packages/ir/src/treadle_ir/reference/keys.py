"""Random keys and their words in NumPy: views of the same memory where it is in order."""

from __future__ import annotations

import numpy as np

from treadle_ir.core.dtypes import KEY, DType, key_shape
from treadle_ir.reference.registry import Elements


def words_of_keys(keys: Elements) -> Elements:
    """Return the words of typed keys, along new last axes: one, but of keys of some libraries."""
    shape = keys.shape
    return np.ascontiguousarray(keys).view(np.uint32).reshape(*shape, *key_shape(keys.dtype))


def keys_of_words(words: Elements, dtype: DType = KEY) -> Elements:
    """Return typed keys of words."""
    shape = words.shape[: words.ndim - len(key_shape(dtype))]
    whole = np.ascontiguousarray(words).reshape(*shape, dtype.itemsize // 4)
    return whole.view(dtype).reshape(shape)


def halves_of_keys(keys: Elements) -> tuple[Elements, Elements]:
    """Return keys of 128 bits as two arrays of Threefry keys, each with half of the words."""
    pairs = np.ascontiguousarray(keys).view(np.uint64).reshape(*keys.shape, 2)
    first, second = (np.ascontiguousarray(pairs[..., i]).view(KEY) for i in (0, 1))
    return first.reshape(keys.shape), second.reshape(keys.shape)


def keys_of_halves(first: Elements, second: Elements, dtype: DType) -> Elements:
    """Return keys of 128 bits: the inverse of `halves_of_keys`."""
    words = [words_of_keys(first), words_of_keys(second)]
    return keys_of_words(np.concatenate(words, axis=-1), dtype)

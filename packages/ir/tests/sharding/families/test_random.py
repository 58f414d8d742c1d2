from __future__ import annotations

import pytest

from treadle_ir import ArrayType
from treadle_ir.core.dtypes import KEY
from treadle_ir.errors import ShardingTypeError
from treadle_ir.primitives.random import RandomBits, RandomSplit, RandomUnwrap, RandomWrap
from treadle_ir.testing.shardings import of_results, sharded

KEYS = ArrayType((8,), KEY, False, sharded("8@x").sharding)


def test_results_are_sharded_as_their_keys() -> None:
    assert of_results(RandomSplit((2,)), KEYS) == ["8@x,2"]
    assert of_results(RandomBits((3,)), KEYS) == ["8@x,3"]
    assert of_results(RandomUnwrap(), KEYS) == ["8@x,2"]
    assert of_results(RandomWrap(), sharded("8@x,2", "u4")) == ["8@x"]


def test_the_words_of_a_key_are_together() -> None:
    with pytest.raises(ShardingTypeError, match="goes along axis 1"):
        of_results(RandomWrap(), sharded("8,2@y", "u4"))

"""Random bits of a few hundred blocks are the bits of the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArrayType, Primitive, eval_rules
from treadle_ir.core import inferred
from treadle_ir.core.dtypes import KEY
from treadle_ir.primitives.random import RandomBits, RandomFoldIn, RandomSplit
from treadle_ir.reference import keys_of_words
from treadle_ir.testing.golden_random import KEYS
from treadle_runtime.evaluation.host import bits_together, numpy_kernel
from treadle_runtime.evaluation.host.threefry import MOST


def key(name: str) -> Any:
    return keys_of_words(np.array(KEYS[name], np.uint32))


def compare(primitive: Primitive, *operands: Any) -> None:
    types = tuple([ArrayType(x.shape, x.dtype) for x in operands])
    (result,), _ = inferred(primitive, types)
    assert isinstance(result, ArrayType)
    kernel = numpy_kernel(primitive, types, result)
    assert kernel is not None
    (expected,) = eval_rules[primitive](primitive, *operands)
    found = kernel(*operands)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    assert found.tobytes() == np.asarray(expected).tobytes()


@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("shape", [(), (1,), (2,), (3, 4), (MOST,)])
def test_bits_are_those_of_the_rule(width: int, shape: tuple[int, ...]) -> None:
    for name in KEYS:
        compare(RandomBits(shape, width), key(name))


@pytest.mark.parametrize("shape", [(), (1,), (2,), (3, 4), (MOST,)])
def test_split_keys_are_those_of_the_rule(shape: tuple[int, ...]) -> None:
    for name in KEYS:
        compare(RandomSplit(shape), key(name))


@pytest.mark.parametrize("data", [0, 1, 7, 2**31, 2**32 - 1])
def test_folded_keys_are_those_of_the_rule(data: int) -> None:
    for name in KEYS:
        compare(RandomFoldIn(), key(name), np.array(data, np.uint32))


@pytest.mark.parametrize("widths", [(32, 8), (64, 16), (64, 64)])
def test_draws_together_are_those_of_each(widths: tuple[int, int]) -> None:
    keys = [key(name) for name in ("a", "b")]
    shapes = [(3, 4), (5,)]
    primitives = [RandomBits(shape, width) for shape, width in zip(shapes, widths, strict=True)]
    types = [ArrayType((), KEY)] * 2
    results = [
        ArrayType(shape, np.dtype(f"u{width // 8}"))
        for shape, width in zip(shapes, widths, strict=True)
    ]
    together = bits_together(primitives, types, results)
    assert together is not None
    for found, primitive, each in zip(together(*keys), primitives, keys, strict=True):
        (expected,) = eval_rules[primitive](primitive, each)
        np.testing.assert_array_equal(found, expected, strict=True)
    many = [RandomBits((200,), 32)] * 2
    assert bits_together(many, types, [ArrayType((200,), np.dtype(np.uint32))] * 2) is None
    assert bits_together(primitives, [ArrayType((2,), np.dtype(np.uint32))] * 2, results) is None

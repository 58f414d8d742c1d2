"""What the reference gives for an element depends on the element alone: not on the array that it stands in.

The reference is the specification, so it must be a function of elements. NumPy's functions are not: for other lengths,
strides and alignments they take other loops, whose last bits differ. Each elementwise operation gives the same bits for
parts of an array of all lengths, for elements alone, for strided, transposed, unaligned and permuted ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pytest

from conformance.cases import chosen
from conformance.effort import LONG
from treadle_ir import ArrayType, Elementwise, Primitive, ReferenceEvaluator
from treadle_ir.core import dtypes
from treadle_ir.testing.examples import Example, sample

Array = np.ndarray[Any, np.dtype[Any]]
COUNT: Final = 67  # elements: more than a block, and no multiple of a vector
LENGTHS: Final = range(1, 41)
_SPECIAL: Final = (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.0, 1e-3, -30.0, 1e4)


def cases() -> dict[type[Primitive], list[Example]]:
    """The examples of each elementwise operation that differ in more than shapes."""
    found: dict[tuple[Primitive, tuple[str, ...]], Example] = {}
    for example in chosen():
        if isinstance(example.primitive, Elementwise):
            names = tuple(str(type.dtype) for type in example.types)
            found.setdefault((example.primitive, names), example)
    by_class: dict[type[Primitive], list[Example]] = {}
    for example in found.values():
        by_class.setdefault(type(example.primitive), []).append(example)
    return by_class


CASES: Final = cases()


def vectors(example: Example) -> list[Array]:
    """Return operands of many elements: from the example's domain, with special values between them."""
    if example.draw is not None:
        drawn = [
            np.broadcast_arrays(*map(np.asarray, example.operands(seed))) for seed in range(COUNT)
        ]
        return [
            np.concatenate([each[k].ravel() for each in drawn])[:COUNT]
            for k in range(len(drawn[0]))
        ]
    random = np.random.default_rng(len(example.id))
    operands = []
    for type in example.types:
        x = np.asarray(sample(random, ArrayType((COUNT,), type.dtype), example.domain))
        if dtypes.is_floating(type.dtype):
            places = random.random(COUNT) < 0.2
            x[places] = random.choice(_SPECIAL, int(places.sum())).astype(type.dtype)
        operands.append(x)
    return operands


def bits(x: Any) -> list[bytes]:
    """The bits of each element."""
    return [each.tobytes() for each in np.asarray(x).reshape(-1)]


def arrangements(operands: list[Array], seed: int) -> Iterator[tuple[str, list[Array], Array]]:
    """The operands' elements in other arrays: what is done, the arrays, and which elements are in them."""
    count, places = operands[0].size, np.arange(operands[0].size)
    random = np.random.default_rng(seed)
    lengths = LENGTHS if LONG else [1, *random.choice(LENGTHS, 5, replace=False)]
    for length in lengths:
        part = slice(start := int(random.integers(0, count - length)), start + length)
        yield f"{length} elements from {start}", [x[part] for x in operands], places[part]
    for step in (2, -3):
        yield f"every {step}th", [x[::step] for x in operands], places[::step]
    far = [np.zeros((count, 997), x.dtype) for x in operands]
    for all_of, x in zip(far, operands, strict=True):
        all_of[:, 0] = x
    yield "far from each other", [x[:, 0] for x in far], places
    order = random.permutation(count)
    yield "in another order", [x[order] for x in operands], order
    even = slice(count // 2 * 2)
    yield "as columns", [x[even].reshape(2, -1).T for x in operands], places[even].reshape(2, -1).T
    for place in random.choice(places, 2):
        yield f"element {place} alone", [x[place : place + 1].reshape(()) for x in operands], place
    apart = [np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype) for x in operands]
    for copy, x in zip(apart, operands, strict=True):
        copy[...] = x
    yield "not aligned", apart, places


@pytest.mark.parametrize("cls", CASES, ids=lambda cls: cls.name)
def test_an_element_gives_the_same_bits_in_every_array(cls: type[Primitive]) -> None:
    reference = ReferenceEvaluator()
    for example in CASES[cls]:
        operands = vectors(example)
        whole = [bits(x) for x in reference.evaluate(example.primitive, operands)]
        for name, arrays, places in arrangements(operands, len(example.id)):
            results = reference.evaluate(example.primitive, arrays)
            for expected, result in zip(whole, results, strict=True):
                wanted = [expected[place] for place in np.asarray(places).reshape(-1)]
                assert bits(result) == wanted, f"{example.id}: {name}"


def test_there_are_all_kinds_of_operations() -> None:
    assert len(CASES) > 80

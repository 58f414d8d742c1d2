"""Batched agrees with a Python loop, for every choice of batched operands, once and nested twice."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from conformance.cases import examples, program_text
from conformance.effort import LONG
from conformance.strategies import Array, anything, drawings, examples_of
from conformance.variants import variant_keys, variants
from treadle_batching import batch_rules, vmap
from treadle_ir import ArrayType, Elementwise, Primitive, Type, bind
from treadle_ir.core.dtypes import RBG, UNSAFE_RBG
from treadle_ir.primitives.random import RandomBits, RandomFoldIn, RandomSplit
from treadle_ir.testing.compare import assert_close, magnitude
from treadle_ir.testing.examples import Example

ROWS = 3
_MOST = 24  # choices tried for one example
_MOST_PAIRS = 10_000 if LONG else 49  # all of up to three operands


def _draws_together(primitive: Primitive, types: Sequence[Type]) -> bool:
    """Return whether a batch of keys is, by definition, one call of the generator; see `test_keys.py`."""
    if isinstance(primitive, RandomBits | RandomSplit | RandomFoldIn):
        assert isinstance(types[0], ArrayType)
        dtype = types[0].dtype
        return dtype == UNSAFE_RBG or (dtype == RBG and isinstance(primitive, RandomBits))
    return any(
        _draws_together(equation.primitive, [x.type for x in equation.operands])
        for program in primitive.programs().values()
        for equation in program.equations
    )


def _can_batch(example: Example) -> bool:
    if _draws_together(example.primitive, example.types):
        return False
    return bool(example.types) and batch_rules.status(type(example.primitive)) in ("rule", "family")


def _subsets(count: int) -> list[tuple[bool, ...]]:
    """Return every non-empty choice of batched operands."""
    return [each for each in itertools.product((True, False), repeat=count) if any(each)]


def _choices(example: Example) -> Iterator[tuple[int | None, ...]]:
    # Each operand: not batched, first axis, last axis. All three positions for one and two operands; for more,
    # every choice of batched operands with first and last axes in turn, and a fixed sample of all others.
    places = [(None, 0) if not type.shape else (None, 0, type.ndim) for type in example.types]
    every = [dims for dims in itertools.product(*places) if any(dim is not None for dim in dims)]
    if len(every) <= _MOST:
        yield from every
        return
    chosen = []
    for number, batched in enumerate(_subsets(len(places))):
        ends = [each[-1 if (number + i) % 2 else 1] for i, each in enumerate(places)]
        chosen.append(tuple([end if b else None for end, b in zip(ends, batched, strict=True)]))
    yield from chosen
    order = np.random.default_rng(len(every)).permutation(len(every))
    yield from (every[i] for i in order[: max(0, _MOST - len(chosen))])


def _apply(example: Example, *operands: object) -> list[Array]:
    return [np.asarray(y) for y in bind(example.primitive, *operands)]  # type: ignore[arg-type]


def _compare(example: Example, actual: Any, expected: Any, dims: object) -> None:
    # NumPy's kernels may take another path for another layout, so not to the bit.
    exact = isinstance(example.primitive, Elementwise)
    for x, y in zip(actual, expected, strict=True):
        scale = 0.0 if exact else magnitude(y)
        assert_close(x, y, ulps=4.0, scale=scale, what=f"{example.id} batched at {dims}")


def check(example: Example, dims: tuple[int | None, ...]) -> None:
    """An example batched at some axes of its operands agrees with a loop over rows."""
    drawn = [[np.asarray(x) for x in example.operands(seed)] for seed in range(ROWS)]
    rows = [
        [drawn[row if dim is not None else 0][i] for i, dim in enumerate(dims)]
        for row in range(ROWS)
    ]
    stacked = [
        rows[0][i] if dim is None else np.stack([row[i] for row in rows], axis=dim)
        for i, dim in enumerate(dims)
    ]
    actual = vmap(lambda *xs: list(bind(example.primitive, *xs)), in_axes=dims)(*stacked)
    expected = [
        np.stack(each) for each in zip(*[_apply(example, *row) for row in rows], strict=True)
    ]
    _compare(example, actual, expected, dims)


@pytest.mark.parametrize("example", examples(_can_batch))
def test_batched_agrees_with_a_loop(example: Example) -> None:
    for dims in _choices(example):
        check(example, dims)


@pytest.mark.parametrize(("cls", "name"), variant_keys(_can_batch))
def test_batched_agrees_with_a_loop_in_every_element_type(cls: type[Primitive], name: str) -> None:
    for example in variants()[cls, name]:
        check(example, (0,) * len(example.types))


@pytest.mark.parametrize("example", examples(_can_batch))
def test_batched_twice_agrees_with_loops(example: Example) -> None:
    """Every choice of operands for the inner vmap with every choice for the outer one."""
    count = len(example.types)
    pairs = list(itertools.product(_subsets(count), repeat=2))
    if len(pairs) > _MOST_PAIRS:  # four operands and more: a fixed sample
        order = np.random.default_rng(count).permutation(len(pairs))
        pairs = [pairs[i] for i in order[:_MOST_PAIRS]]
    drawn = [
        [[np.asarray(x) for x in example.operands(2 * outer + inner)] for inner in range(2)]
        for outer in range(2)
    ]
    for inner, outer in pairs:

        def row(o: int, k: int) -> list[Array]:
            return [
                drawn[o if outer[i] else 0][k if inner[i] else 0][i]  # noqa: B023
                for i in range(count)
            ]

        rows = [[row(o, k) for k in range(2)] for o in range(2)]
        stacked = []
        for i in range(count):
            within = [np.stack([x[i] for x in r]) if inner[i] else r[0][i] for r in rows]
            stacked.append(np.stack(within, axis=-1) if outer[i] else within[0])
        function: Any = vmap(
            lambda *xs: list(bind(example.primitive, *xs)),
            in_axes=tuple([0 if each else None for each in inner]),
        )
        actual = vmap(function, in_axes=tuple([-1 if each else None for each in outer]))(*stacked)
        results = [[_apply(example, *each) for each in r] for r in rows]
        expected = [
            np.stack([np.stack([each[n] for each in r]) for r in results])
            for n in range(len(results[0][0]))
        ]
        _compare(example, actual, expected, (inner, outer))


@pytest.mark.parametrize(("cls", "count"), anything(8, _can_batch))
def test_batched_agrees_with_a_loop_on_anything(cls: type[Primitive], count: int) -> None:
    """Other attributes, shapes and element types than the examples have."""

    @drawings(count)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        example = data.draw(examples_of(cls))
        if not example.types:
            return
        places = [st.sampled_from([None, *range(type.ndim + 1)]) for type in example.types]
        dims = data.draw(st.tuples(*places))
        if all(dim is None for dim in dims):
            return
        try:
            check(example, dims)
        except Exception as error:
            error.add_note(program_text(example))
            raise

    holds()

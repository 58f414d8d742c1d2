"""Batched agrees with a Python loop, for every choice of batched operands and of where the batch sits."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from conformance.cases import examples
from treadle_batching import batch_rules, vmap
from treadle_ir import Elementwise, bind
from treadle_ir.testing.compare import assert_close, magnitude
from treadle_ir.testing.examples import Example

ROWS = 3
_MOST = 24  # choices tried for one example


def _can_batch(example: Example) -> bool:
    return bool(example.types) and batch_rules.status(type(example.primitive)) in ("rule", "family")


def _choices(example: Example) -> Iterator[tuple[int | None, ...]]:
    # Each operand: not batched, first axis, last axis. All three positions for one and two operands; for more,
    # a fixed sample, with every operand batched alone and all of them together first.
    places = [(None, 0) if not type.shape else (None, 0, type.ndim) for type in example.types]
    every = [dims for dims in itertools.product(*places) if any(dim is not None for dim in dims)]
    if len(every) <= _MOST:
        yield from every
        return
    n = len(places)
    alone = [tuple(0 if i == j else None for i in range(n)) for j in range(n)]
    yield from [*alone, (0,) * n][:_MOST]
    order = np.random.default_rng(len(every)).permutation(len(every))
    yield from (every[i] for i in order[: max(0, _MOST - n - 1)])


@pytest.mark.parametrize("example", examples(_can_batch))
def test_batched_agrees_with_a_loop(example: Example) -> None:
    drawn = [[np.asarray(x) for x in example.operands(seed)] for seed in range(ROWS)]
    exact = isinstance(example.primitive, Elementwise)

    def apply(*operands: object) -> list[object]:
        return list(bind(example.primitive, *operands))  # type: ignore[arg-type]

    for dims in _choices(example):
        rows = [
            [drawn[row if dim is not None else 0][i] for i, dim in enumerate(dims)]
            for row in range(ROWS)
        ]
        stacked = [
            rows[0][i] if dim is None else np.stack([row[i] for row in rows], axis=dim)
            for i, dim in enumerate(dims)
        ]
        actual = vmap(apply, in_axes=dims, out_axes=0)(*stacked)
        expected = [
            np.stack(results) for results in zip(*[apply(*row) for row in rows], strict=True)
        ]
        for x, y in zip(actual, expected, strict=True):
            # NumPy's kernels may take another path for another layout, so not to the bit.
            scale = 0.0 if exact else magnitude(y)
            assert_close(x, y, ulps=4.0, scale=scale, what=f"{example.id} batched at {dims}")

"""All compositions of jit, jvp, grad, vmap and checkpoint to depth three agree with NumPy in float64.

Values are compared with the twin's, derivatives with central differences of it, vmap with a loop over rows. Every
program meets every pair; the triples go round the pool, so that each is tried on several programs. With
TREADLE_CONFORMANCE_LONG=1 every program meets every triple.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pytest

import treadle
from conformance.compositions import applies, composed, composed_twin
from conformance.effort import LONG
from conformance.programs_pool import POOL, Pooled, Tree

NAMES: Final = ("jit", "jvp", "grad", "vmap", "checkpoint")
_TRIPLES: Final = tuple(itertools.product(NAMES, repeat=3))
_TRIPLES_EACH: Final = 8  # per program: with 60 programs, each of the 125 about 4 times
REFUSED: Final = (TypeError, ValueError, NotImplementedError)
TOLERANCE: Final = (1e-12, 1e-9, 3e-8, 2e-6)  # by the number of derivatives


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> Iterator[None]:
    """The system as users have it, with 64 bits."""
    with treadle.enable_x64():
        yield


def cases() -> list[Any]:
    chosen = []
    at = 0
    for pooled in POOL.values():
        compositions: list[tuple[str, ...]] = [()]
        for depth in (1, 2):
            compositions += itertools.product(NAMES, repeat=depth)
        for _ in range(len(_TRIPLES) if LONG else _TRIPLES_EACH):
            compositions.append(_TRIPLES[at % 125])
            at += 1
        chosen += [
            pytest.param(pooled, c, id=f"{'.'.join(c) or 'eager'}-{pooled.name}")
            for c in compositions
        ]
    return chosen


@pytest.mark.parametrize(("pooled", "composition"), cases())
def test_composition_agrees_with_numpy(pooled: Pooled, composition: tuple[str, ...]) -> None:
    function, arguments = composed(pooled, composition)
    if not applies(pooled, composition):
        with pytest.raises(REFUSED, match=r"custom_vjp|while_loop"):
            function(*arguments)
        return
    compare(function(*arguments), composed_twin(pooled, composition), TOLERANCE[order(composition)])


def order(composition: tuple[str, ...]) -> int:
    return sum(name in ("jvp", "grad") for name in composition)


def compare(actual: Tree, expected: Tree, tolerance: float) -> None:
    assert treadle.tree.structure(actual) == treadle.tree.structure(expected)
    for given, wanted in zip(
        treadle.tree.leaves(actual), treadle.tree.leaves(expected), strict=True
    ):
        assert given.dtype == np.float64
        assert given.shape == np.shape(wanted)
        scale = max(1.0, float(np.max(np.abs(wanted), initial=0)))
        np.testing.assert_allclose(
            np.asarray(given), wanted, rtol=tolerance, atol=tolerance * scale
        )


def test_the_pool_is_large_and_every_composition_is_tried() -> None:
    assert len(POOL) >= 40
    tried = [case.values[1] for case in cases() if applies(*case.values)]
    for triple in _TRIPLES:
        assert tried.count(triple) >= 3
    for depth in (0, 1, 2):
        for composition in itertools.product(NAMES, repeat=depth):
            assert tried.count(composition) >= len(POOL) - 4

"""Laws of transformations, in public names only: what a peer must obey as well as treadle.

    TREADLE_SUT=jax python -m pytest -p conformance.peers.plugin --confcutdir=conformance/faq \\
        conformance/peers/laws.py

Values, derivatives and vmap of the pool's programs agree with NumPy in float64, as in conformance/test_compositions.py.
All compositions of two transformations go round the pool, so that a run takes minutes where each operation compiles.
The file is no `test_...`: a run of conformance has the same cases, and more, already.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Final

import pytest

import treadle
from conformance.compositions import applies, composed, composed_twin
from conformance.programs_pool import POOL, Pooled
from conformance.test_compositions import NAMES, TOLERANCE, compare, order

COMPOSITIONS: Final = [
    *((name,) for name in NAMES),
    *itertools.product(NAMES, repeat=2),
]


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> Iterator[None]:
    """The system as users have it, with 64 bits."""
    with treadle.enable_x64(True):
        yield


def cases() -> list[Any]:
    """Each program eagerly and under two compositions, each composition on several programs."""
    round_the_pool = itertools.cycle(COMPOSITIONS)
    return [
        pytest.param(pooled, each, id=f"{'.'.join(each) or 'eager'}-{pooled.name}")
        for pooled in POOL.values()
        for each in [(), *itertools.islice(round_the_pool, 2)]
        if applies(pooled, each)
    ]


@pytest.mark.parametrize(("pooled", "composition"), cases())
def test_composition_agrees_with_numpy(pooled: Pooled, composition: tuple[str, ...]) -> None:
    function, arguments = composed(pooled, composition)
    expected = composed_twin(pooled, composition)
    compare(function(*arguments), expected, TOLERANCE[order(composition)])


def test_every_composition_is_tried() -> None:
    tried = {case.values[1] for case in cases()}
    assert tried == {(), *COMPOSITIONS}

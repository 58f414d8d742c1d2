"""The part of the suite that a brief run tries: of laws whose cases are many and slow, one case of every few.

`.ci/run` runs the brief suite, so that it ends in minutes on two cores; `nox -s conformance` and the workflows run all
of it. Cases of a law are numbered in the order of collection, in which those of one operation follow each other: every
operation is met, on other element types and shapes than its neighbours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import pytest

from conformance.effort import BRIEF

# The law, as `file::function`, and how many cases stand for one that is tried.
ONE_OF: Final[dict[str, int]] = {
    "test_lowering.py::test_compiled_agrees_in_every_element_type": 3,
    "test_lowering.py::test_compiled_agrees_on_anything": 2,
    "test_compositions.py::test_composition_agrees_with_numpy": 2,
    "sharding/test_sharding.py::test_programs_of_the_pool": 3,
    "sharding/test_sharding.py::test_shard_map_is_vmap": 3,
    "sharding/test_sharding.py::test_collectives_over_several_axes": 3,
}
LEFT_OUT: Final = pytest.StashKey[list[pytest.Item]]()


def law_of(item: pytest.Item) -> str:
    """Return the law of a test, as the table names it."""
    file = item.path.relative_to(item.config.rootpath / "conformance").as_posix()
    function = getattr(item, "originalname", "")
    return f"{file}::{function}"


def divided(items: list[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests that a brief run keeps, and those that it leaves out."""
    seen: Counter[str] = Counter()
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        law = law_of(item)
        (kept if seen[law] % ONE_OF.get(law, 1) == 0 else left_out).append(item)
        seen[law] += 1
    return kept, left_out


def kept(law: str, cases: Sequence[str]) -> list[str]:
    """Return the cases of a law, or in a brief run those that `divided` keeps of them."""
    return [*cases[:: ONE_OF.get(law, 1) if BRIEF else 1]]

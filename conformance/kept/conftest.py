"""In the place of the suite's fixtures: what they watch they would keep."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> None:
    """The system as users have it."""


@pytest.fixture(autouse=True)
def programs() -> None:
    """Record no programs: a record would keep them alive."""


@pytest.fixture(autouse=True)
def checked_rules() -> None:
    """Nor is any rule watched."""


@pytest.fixture(autouse=True)
def only_new_objects() -> Iterator[list[object]]:
    """The garbage collector looks at what a test makes, and not at the old objects of thousands of tests before it."""
    gc.collect()
    old = gc.get_objects()
    gc.freeze()
    yield old
    gc.unfreeze()

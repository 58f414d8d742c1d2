"""In the place of the suite's fixtures: what they watch they would keep."""

from __future__ import annotations

import functools
import gc
from collections.abc import Iterator
from typing import Final

import pytest

from treadle_runtime import Placement

CACHES: Final = (
    Placement,
    functools._lru_cache_wrapper,
)  # what has a bound of thousands of small entries


@pytest.fixture(autouse=True)
def programs() -> None:
    """Record no programs: a record would keep them alive."""


@pytest.fixture(autouse=True)
def checked_rules() -> None:
    """Nor is any rule watched."""


@pytest.fixture(scope="package")
def older_objects() -> Iterator[list[object]]:
    """Hold the caches that the garbage collector does not see, and let it see all objects after the last test."""
    yield []
    gc.unfreeze()


@pytest.fixture(autouse=True)
def only_new_objects(older_objects: list[object]) -> list[object]:
    """Hide objects of earlier tests from the garbage collector, and return the caches among them.

    Thousands of tests leave millions of objects, which take the garbage collector half a second each time that it runs.
    They are hidden once for all tests of this folder; before each test, the objects of the previous test are hidden.
    """
    gc.collect()
    older_objects += [each for each in gc.get_objects() if isinstance(each, CACHES)]
    gc.freeze()
    return older_objects

"""Batch rules are compared with `infer` wherever they run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from treadle_batching.checks import checked_rules


@pytest.fixture(autouse=True)
def checked() -> Iterator[None]:
    with checked_rules():
        yield

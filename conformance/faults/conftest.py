"""Fixtures of the faults: none, since each runs in a process of its own."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> None:
    """Faults happen to the whole system, so they run on the evaluator that `import treadle` installs."""

"""Fixtures of the FAQ's rows: the system as users have it."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> None:
    """Rows speak of the whole system, so they run on the evaluator that `import treadle` installs."""

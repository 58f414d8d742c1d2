"""Fixtures of the catalogue of mistakes: the system as users have it."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> None:
    """Users meet these errors in the whole system, so they are made on the evaluator that `import treadle` installs."""

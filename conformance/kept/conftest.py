"""In the place of the suite's fixtures: what they watch they would keep."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> None:
    """The system as users have it."""


@pytest.fixture(autouse=True)
def programs() -> None:
    """Nobody records programs, which would keep them."""


@pytest.fixture(autouse=True)
def checked_rules() -> None:
    """Nor is any rule watched."""

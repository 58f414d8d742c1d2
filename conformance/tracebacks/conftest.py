"""Fixtures of failing programs: the system as users have it."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def programs() -> None:
    """Programs of failing functions are not looked at: one of `checkify` has no text."""

"""Fixtures of the law of derivatives: the system as users have it, with 64-bit types."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import treadle


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> Iterator[None]:
    """Eagerly on the evaluator that `import treadle` installs, and jitted."""
    with treadle.enable_x64(True):
        yield

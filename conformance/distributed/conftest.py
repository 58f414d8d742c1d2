"""Fixtures of the programs of several processes: none, since each runs in processes of its own."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> None:
    """They run on the evaluator that `import treadle` installs."""

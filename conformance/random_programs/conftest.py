"""Random programs run as users run them: on the runtime's own evaluator."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def programs() -> None:
    """Collect no programs: each would be verified again, at several times the cost of the run."""

"""What the tests of treadle-insight share: no disk cache, and the runtime's evaluator."""

from __future__ import annotations

import os
from collections.abc import Iterator

os.environ.setdefault("TREADLE_CACHE", "0")

import pytest

from treadle_ir.tracing import current_evaluator, install
from treadle_runtime import RuntimeEvaluator


@pytest.fixture(scope="session", autouse=True)
def evaluator() -> Iterator[None]:
    """Install the runtime's evaluator; afterwards restore the previous one."""
    before = current_evaluator()
    install(evaluator=RuntimeEvaluator())
    yield
    install(evaluator=before)

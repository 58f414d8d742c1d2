"""The tests run on NumPy, also in a process that has imported all of treadle."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from treadle_ir import ReferenceEvaluator, evaluating


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> Iterator[None]:
    """Whatever evaluator is installed, put back afterwards."""
    with evaluating(ReferenceEvaluator()):
        yield

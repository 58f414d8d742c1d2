"""Fixtures of the conformance suite."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from treadle_ir import ReferenceEvaluator, evaluating


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> Iterator[None]:
    """Laws are tested on NumPy, whatever evaluator is installed; test_lowering compiles for itself."""
    with evaluating(ReferenceEvaluator()):
        yield

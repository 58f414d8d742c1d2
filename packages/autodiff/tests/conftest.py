"""The tests run on NumPy with 64-bit types, also in a process that has imported all of treadle."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from treadle_ir import ReferenceEvaluator, evaluating, x64_context


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> Iterator[None]:
    """Whatever evaluator and width of default types are installed, put back afterwards."""
    with evaluating(ReferenceEvaluator()), x64_context(True):
        yield

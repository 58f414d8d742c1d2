"""The tests run on NumPy with 64-bit types, also in a process that has imported all of treadle; rules are checked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from treadle_autodiff.checks import checked_rules
from treadle_ir import ReferenceEvaluator, evaluating
from treadle_ir.settings import X64


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> Iterator[None]:
    """Whatever evaluator and width of default types are installed, put back afterwards."""
    with evaluating(ReferenceEvaluator()), X64.override(True):
        yield


@pytest.fixture(autouse=True)
def checked() -> Iterator[None]:
    """Derivative rules are compared with `infer` wherever they run."""
    with checked_rules():
        yield

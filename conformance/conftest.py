"""Fixtures of the conformance suite."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from conformance.recorded import check_all, recorded
from treadle_ir import ReferenceEvaluator, evaluating, x64_context


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> Iterator[None]:
    """Laws are tested on NumPy, whatever evaluator is installed; test_lowering compiles for itself.

    64-bit types are in force: without them derivatives of f64 examples would be narrowed to f32.
    """
    with evaluating(ReferenceEvaluator()), x64_context(True):
        yield


@pytest.fixture(autouse=True)
def all_programs_are_checked() -> Iterator[None]:
    """With TREADLE_CHECK_PROGRAMS=1, each program staged anywhere in the suite is verified and printed and parsed."""
    if os.environ.get("TREADLE_CHECK_PROGRAMS") != "1":
        yield
        return
    with recorded() as programs:
        yield
    check_all(programs)

"""Fixtures of the conformance suite."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from treadle_autodiff import checks as autodiff_checks
from treadle_batching import checks as batching_checks
from treadle_ir import Program, ReferenceEvaluator, evaluating, x64_context
from treadle_ir.testing.programs import check_programs, recorded

_CHECKED: Final[set[tuple[int, int]]] = set()  # in this process


@pytest.fixture(autouse=True)
def programs() -> Iterator[list[Program]]:
    """All programs that the test makes. Afterwards each is verified, printed, parsed and compared.

    A test that breaks programs on purpose takes those out of the list.
    """
    with recorded() as made:
        yield made
    check_programs(made, _CHECKED)


@pytest.fixture(autouse=True)
def checked_rules() -> Iterator[None]:
    """Rules of both transformations are compared with `infer` wherever they run."""
    with autodiff_checks.checked_rules(), batching_checks.checked_rules():
        yield


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> Iterator[None]:
    """Laws are tested on NumPy, whatever evaluator is installed; test_lowering compiles for itself.

    64-bit types are in force: without them derivatives of f64 examples would be narrowed to f32.
    """
    with evaluating(ReferenceEvaluator()), x64_context(True):
        yield

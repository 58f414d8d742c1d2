"""What the tests of treadle-ir share: they run on NumPy, also in a process that has imported all of treadle."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from treadle_ir import ReferenceEvaluator, evaluating


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update",
        action="store_true",
        help="write what the rewriting passes give into their expectations",
    )


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> Iterator[None]:
    """Whatever evaluator is installed, put back afterwards."""
    with evaluating(ReferenceEvaluator()):
        yield

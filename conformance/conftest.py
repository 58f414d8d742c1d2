"""Fixtures of the conformance suite, hypothesis's profiles, and what a failure prints."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from conformance.effort import LONG, TIMES
from conformance.reproduce import explained
from conformance.xla_runner import PLATFORM
from treadle_autodiff import checks as autodiff_checks
from treadle_batching import checks as batching_checks
from treadle_ir import X64, Program, ReferenceEvaluator, evaluating
from treadle_ir.testing.programs import check_programs, recorded

_CHECKED: Final[set[tuple[int, int]]] = set()  # in this process
_MOST: Final = (
    None if LONG else 20_000
)  # equations that are checked after a test; those of depth have millions

# `--hypothesis-profile` chooses another. The first draws the same examples every time.
settings.register_profile("steady", settings.get_profile("ci"))
settings.register_profile(
    "long",
    settings.get_profile("ci"),
    derandomize=False,
    max_examples=100 * TIMES,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("long" if LONG else "steady")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what speaks of another platform than that of this run."""
    other = "gpu" if PLATFORM == "cpu" else "cpu"
    for item in items:
        if item.get_closest_marker(other) is not None:
            item.add_marker(
                pytest.mark.skip(reason=f"is for a {other.upper()}, this is {PLATFORM}")
            )


@pytest.fixture(autouse=True)
def programs() -> Iterator[list[Program]]:
    """All programs that the test makes. Afterwards each is verified, printed, parsed and compared.

    A test that breaks programs on purpose takes those out of the list.
    """
    with recorded() as made:
        yield made
    check_programs(made, _CHECKED, most=_MOST)


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
    with on_numpy():
        yield


@contextmanager
def on_numpy() -> Iterator[None]:
    with evaluating(ReferenceEvaluator()), X64.override(True):
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Below a failed law, a program that reproduces it and a script that runs it."""
    report = yield
    law = item.path.parent == Path(__file__).parent  # rows and mistakes are no laws
    if law and report.failed and call.when == "call" and call.excinfo is not None:
        arguments = dict(getattr(item, "funcargs", {}))
        for entry in call.excinfo.traceback:  # what hypothesis drew is a variable of the test
            if Path(entry.path) == item.path:
                arguments.update(entry.locals)
        try:
            with on_numpy():
                text = explained(arguments, arguments.get("programs", []), item.path.stem)
        except Exception as error:  # the failure itself is what has to be shown
            text = f"There is none: {type(error).__name__}: {error}"
        if text:
            report.sections.append(("A program that reproduces it", text))
    return report

"""Fixtures of the conformance suite, hypothesis's profiles, and what a failure prints."""

from __future__ import annotations

import random
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings

from conformance import brief, ran_on
from conformance.effort import BRIEF, LONG, TIMES
from conformance.executors import EXECUTORS, executing
from conformance.platform import KIND, PLATFORM, why_not_run
from conformance.reproduce import explained
from treadle_autodiff import checks as autodiff_checks
from treadle_batching import checks as batching_checks
from treadle_ir import Program
from treadle_ir.testing.programs import check_programs, recorded

KINDS: Final = ("cpu", "gpu", "tpu")  # markers of tests that are about some platforms only
# Folders about the whole system as users have it: their tests run on the evaluator that `import treadle` installs.
INSTALLED: Final = frozenset(
    [
        "debugging",
        "distributed",
        "faq",
        "faults",
        "gpu",
        "kept",
        "mistakes",
        "parity",
        "random_programs",
        "tracebacks",
    ]
)
_CHECKED: Final[set[tuple[int, int]]] = set()  # in this process
_MOST: Final = (
    None if LONG else 20_000
)  # equations that are checked after a test; programs of the depth tests have millions

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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--executor",
        choices=EXECUTORS,
        default="reference" if KIND == "cpu" else "xla",
        help="what laws about results are evaluated with: NumPy, or programs on the platform under test",
    )
    parser.addoption(
        "--require-device",
        action="store_true",
        help="fail where TREADLE_PLATFORMS names no accelerator, or there is none",
    )
    parser.addoption(
        "--ran-on", metavar="FILE", help="write what each file's tests ran on, as JSON"
    )
    parser.addoption("--sample", type=int, metavar="N", help="run N tests, drawn from a seed")
    parser.addoption("--sample-seed", type=int, metavar="SEED", help="draw the same tests again")


def pytest_configure(config: pytest.Config) -> None:
    ran_on.watch()
    if config.option.sample is not None and config.option.sample_seed is None:
        config.option.sample_seed = random.randrange(
            10**9
        )  # before workers start, which inherit it


def pytest_report_header(config: pytest.Config) -> list[str]:
    lines = [f"conformance: platform {PLATFORM}, executor {config.option.executor}"]
    if config.option.sample is not None:
        again = f"--sample {config.option.sample} --sample-seed {config.option.sample_seed}"
        lines.append(f"conformance: a sample; again with {again}")
    if BRIEF:
        lines.append("conformance: brief; of the laws in conformance/brief.py a part")
    return lines


def pytest_sessionstart(session: pytest.Session) -> None:
    if session.config.option.require_device:
        if KIND == "cpu":
            pytest.exit("--require-device: TREADLE_PLATFORMS names no accelerator", returncode=1)
        import treadle  # noqa: PLC0415 - starts the platform

        found = treadle.devices()[0].platform
        if found != KIND:
            pytest.exit(f"--require-device: there is no {KIND}, only {found}", returncode=1)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark folders, skip what is about another platform, deselect programs alone on a device, draw the sample."""
    elsewhere: list[pytest.Item] = []
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and item.path.relative_to(here).parts[0] in INSTALLED:
            item.add_marker(pytest.mark.installed)
        kinds = [kind for kind in KINDS if item.get_closest_marker(kind) is not None]
        if kinds and KIND not in kinds:
            reason = f"is for a {' or '.join(kinds).upper()}, this is {PLATFORM}"
            item.add_marker(pytest.mark.skip(reason=reason))
        if KIND != "cpu" and item.get_closest_marker("programs") is not None:
            elsewhere.append(item)
    if BRIEF:
        left_out = brief.divided(items)[1]
        config.stash[brief.LEFT_OUT] = left_out
        elsewhere += left_out
    if config.option.sample is not None:
        rest = [item for item in items if item not in set(elsewhere)]
        count = min(config.option.sample, len(rest))
        drawn = set(random.Random(config.option.sample_seed).sample(rest, count))
        elsewhere += [item for item in rest if item not in drawn]
    if elsewhere:
        config.hook.pytest_deselected(items=elsewhere)
        gone = set(elsewhere)
        items[:] = [item for item in items if item not in gone]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    ran_on.begin(item)
    reason = why_not_run(item.nodeid)
    if reason is not None:
        pytest.skip(reason)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    try:
        return (yield)
    finally:
        ran_on.note(item)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    ran_on.write(
        terminalreporter.stats, terminalreporter, config.option.ran_on, config.option.executor
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
def on_the_reference_evaluator(request: pytest.FixtureRequest) -> Iterator[None]:
    """Laws are tested on the chosen executor, whatever evaluator is installed, unless a test is marked `installed`."""
    if request.node.get_closest_marker("installed") is not None:
        yield
        return
    executor = request.config.option.executor
    about_programs = request.node.get_closest_marker("programs") is not None
    with executing("reference" if about_programs else executor):
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Below a failed law, a program that reproduces it and a script that runs it."""
    report = yield
    law = item.path.parent == Path(__file__).parent  # rows and mistakes are not laws
    if law and report.failed and call.when == "call" and call.excinfo is not None:
        arguments = dict(getattr(item, "funcargs", {}))
        for entry in call.excinfo.traceback:  # what hypothesis drew is a variable of the test
            if Path(entry.path) == item.path:
                arguments.update(entry.locals)
        try:
            with executing("reference"):
                text = explained(arguments, arguments.get("programs", []), item.path.stem)
        except Exception as error:  # the failure itself is what has to be shown
            text = f"There is none: {type(error).__name__}: {error}"
        if text:
            report.sections.append(("A program that reproduces it", text))
    return report

"""A function that is used again, in one context after others, gives what a fresh process gives in that context.

Whatever treadle keeps - programs, compiled calls, plans of eager operations, derivatives of bodies, buffers of
numbers - must ask the context. The truth comes from one process for each context, in which there is no other context.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from conformance.contexts.calls import Call, calls, seen
from conformance.contexts.settings import CONTEXTS

pytestmark = [pytest.mark.xla, pytest.mark.filterwarnings("ignore")]
ENVIRONMENT = {
    "TREADLE_NUM_CPU_DEVICES": "3",
    "TREADLE_CACHE": "0",
    "TREADLE_PLATFORMS": "cpu",
}


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> None:
    """The system as users have it."""


def fresh(name: str) -> dict[str, str]:
    """What all calls give in a process of their own, in this context."""
    path = os.pathsep.join([str(p) for p in (os.getcwd(), *sys.path) if p])
    done = subprocess.run(
        [sys.executable, "-m", "conformance.contexts.calls", name],
        capture_output=True,
        text=True,
        env={**os.environ, **ENVIRONMENT, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def truth() -> dict[str, dict[str, str]]:
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(CONTEXTS, pool.map(fresh, CONTEXTS), strict=True))


@pytest.fixture(scope="module")
def reused() -> dict[str, Call]:
    return calls()


def differences(
    truth: dict[str, dict[str, str]], reused: dict[str, Call], order: Iterator[str]
) -> list[str]:
    """Calls in these contexts, one after the other, that do not give what they give in a fresh process."""
    wrong = []
    before = "nothing"
    for name in order:
        with CONTEXTS[name]():
            for call_name, call in reused.items():
                got = seen(call)
                if got != truth[name][call_name]:
                    wrong.append(
                        f"{call_name} in {name} after {before}: {got}, not {truth[name][call_name]}"
                    )
        before = name
    return wrong


def test_contexts_make_a_difference(truth: dict[str, dict[str, str]]) -> None:
    """The law can fail: in any two contexts some call gives different results."""
    for (one, found), (other, expected) in itertools.combinations(truth.items(), 2):
        assert found != expected, f"{one} and {other}"


@pytest.mark.slow
def test_one_context_after_another(
    truth: dict[str, dict[str, str]], reused: dict[str, Call]
) -> None:
    """Every context comes after every other one, and again."""
    order = itertools.chain.from_iterable(itertools.permutations(CONTEXTS, 2))
    wrong = differences(truth, reused, order)
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.slow
def test_contexts_of_several_threads(
    truth: dict[str, dict[str, str]], reused: dict[str, Call]
) -> None:
    """Each thread is in a context of its own, and changes it."""
    names = [*CONTEXTS]

    def work(number: int) -> list[str]:
        order = [names[(number + step) % len(names)] for step in range(len(names))]
        return differences(truth, reused, iter(order))

    with ThreadPoolExecutor(4) as pool:
        wrong = [line for lines in pool.map(work, range(4)) for line in lines]
    assert not wrong, "\n".join(wrong[:20])

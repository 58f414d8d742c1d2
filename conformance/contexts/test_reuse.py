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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conformance.contexts.settings import CONTEXTS
from conformance.platform import environment, skip_without_devices

ROOT = Path(__file__).parent.parent.parent
ENVIRONMENT = {"TREADLE_CACHE": "0", **environment(devices=3)}
Results = dict[str, str]


def process(module: str, argument: str, given: str = "") -> str:
    """Return the output of a module of this folder, run in a process with three devices of the platform under test."""
    skip_without_devices(3)
    path = os.pathsep.join([entry for entry in (str(ROOT), *sys.path) if entry])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", f"conformance.contexts.{module}", argument],
        input=given,
        capture_output=True,
        text=True,
        env={**os.environ, **ENVIRONMENT, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def truth() -> dict[str, Results]:
    with ThreadPoolExecutor(2) as pool:
        texts = pool.map(lambda name: process("calls", name), CONTEXTS)
        return dict(zip(CONTEXTS, map(json.loads, texts), strict=True))


def test_contexts_make_a_difference(truth: dict[str, Results]) -> None:
    """The law can fail: in any two contexts some call gives different results."""
    for (one, found), (other, expected) in itertools.combinations(truth.items(), 2):
        assert found != expected, f"{one} and {other}"


@pytest.mark.parametrize("threads", ["one", "several"])
def test_a_reused_function_equals_a_fresh_one(threads: str, truth: dict[str, Results]) -> None:
    wrong = process("reuse", threads, json.dumps(truth)).strip()
    assert not wrong, wrong[:10_000]

"""What the suite reports about itself: tests are noted with all they ran on, and no process is fixed to the CPU."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import pytest

import treadle
from conformance import ran_on
from conformance.platform import PLATFORM
from treadle_ir import evaluating

pytestmark = pytest.mark.programs

HERE: Final = Path(__file__).parent
FIXED: Final = {
    "faq/test_plc.py": "rows about the choice of a platform",
    "mutants/run.py": "faults are put into what runs on the host and the CPU",
    "platform.py": "the CPU is the platform under test there",
    "test_ran_on.py": "this file",
}


def noted(function: Callable[[], object]) -> list[str]:
    """Return the places that are recorded for a test that calls `function`."""
    item: Any = SimpleNamespace(stash=pytest.Stash(), user_properties=[])
    ran_on.begin(item)
    function()
    ran_on.note(item)
    ((name, places),) = item.user_properties
    assert name == ran_on.PROPERTY
    return list(places)


def started(**variables: str) -> None:
    kept = {k: v for k, v in os.environ.items() if not k.endswith("_PLATFORMS")}
    subprocess.run([sys.executable, "-c", ""], env={**kept, **variables}, check=True)


def test_a_test_of_the_host_alone() -> None:
    assert noted(lambda: np.ones(3) + 1) == ["host"]


def test_programs_are_noted_by_platform() -> None:
    from treadle_runtime import RuntimeEvaluator  # noqa: PLC0415 - for this test

    with evaluating(RuntimeEvaluator()):
        x = np.ones(1_000_000, np.float32)
        assert noted(lambda: treadle.jit(lambda x: x * 3)(x)) == [PLATFORM]


def test_processes_are_noted_by_the_platform_that_they_are_told() -> None:
    assert noted(lambda: started(TREADLE_PLATFORMS="cpu")) == ["processes on cpu"]
    assert noted(lambda: started(TREADLE_PLATFORMS="cuda,cpu")) == ["processes on cuda"]
    assert noted(lambda: started(JAX_PLATFORMS="tpu")) == ["processes on tpu"]
    assert noted(started) == ["processes on default"]


def test_results_that_are_shared_are_noted_with_each_test() -> None:
    calls = []

    def asked(name: str) -> str:
        calls.append(name)
        started(TREADLE_PLATFORMS=name)
        return name.upper()

    shared = ran_on.shared(asked)
    for name in ("cpu", "tpu", "cpu"):
        assert noted(partial(shared, name)) == [f"processes on {name}"]
    assert (shared("tpu"), calls) == ("TPU", ["cpu", "tpu"])


def test_counts_are_added_up_by_law() -> None:
    report: Any = SimpleNamespace
    passed = [
        report(when="call", nodeid=f"conformance/{file}.py::test", user_properties=[("ran on", on)])
        for file, on in (
            ("test_a", ["host"]),
            ("b/c", ["cpu", "processes on cpu"]),
            ("b/d", ["cpu"]),
        )
    ]
    skipped = [report(nodeid="conformance/b/c.py::other", longrepr=("", 0, "Skipped: no device"))]
    found = ran_on.summary({"passed": passed, "skipped": skipped})
    assert found["total"] == {"host": 1, "cpu": 2, "processes on cpu": 1}
    assert found["files"]["b/c.py"]["skipped"] == {"no device": 1}
    assert ran_on.by_law(found["files"]) == {
        "test_a": {"host": 1},
        "b": {"cpu": 2, "processes on cpu": 1, "nothing (skipped)": 1},
    }


def test_no_process_is_fixed_to_the_cpu() -> None:
    """Processes take `conformance.platform.environment`; JAX, which is asked for the truth, may run anywhere."""
    fixed = {
        path.relative_to(HERE).as_posix()
        for path in HERE.rglob("*.py")
        if re.search(r'TREADLE_PLATFORMS"?\]?\s*[:=]\s*"cpu"', path.read_text())
        and path.relative_to(HERE).parts[0] != "clients"  # which no accelerator session runs
    }
    assert fixed == {*FIXED}


ON_A_GPU: Final = """
import subprocess
from conformance import platform
from conformance.distributed import starting
from conformance.faults import process

def shown(command, env, **others):
    print(env["TREADLE_PLATFORMS"], env["TREADLE_PREALLOCATE"])

print(starting.environment(2, 1, 1234, 2)["TREADLE_LOCAL_DEVICE_IDS"])
shown([], starting.environment(2, 1, 1234, 2))
subprocess.Popen = shown
def nothing():
    pass
process.inspect.getsource = lambda function: ""
process.started(nothing)
print(platform.why_not_run("conformance/faults/test_memory_limits.py::test"))
"""


def test_processes_of_an_accelerator_session_start_there() -> None:
    """As far as a machine without one can tell: with devices of their own, and no memory in advance."""
    done = subprocess.run(
        [sys.executable, "-c", ON_A_GPU],
        env={**os.environ, "TREADLE_PLATFORMS": "cuda,cpu"},
        cwd=HERE.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    ids, *told, reason = done.stdout.splitlines()
    assert ids == "2,3"
    assert told == ["cuda,cpu false"] * 2
    assert reason.startswith("is not run on a GPU: limits the host's memory")

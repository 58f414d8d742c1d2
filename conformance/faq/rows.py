"""The FAQ's rows by id: how many there are, the mark of a row's test, and a fresh process for those that need one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any, Final, TypeVar

import pytest

from conformance.platform import environment as of_platform

F = TypeVar("F", bound=Callable[..., None])

# Topic -> number of rows, numbered from 1 without gaps.
TOPICS: Final = {
    "API": 8,
    "JIT": 6,
    "NUM": 12,
    "CMP": 10,
    "MTH": 23,
    "PLC": 29,
    "BEN": 17,
    "VAL": 30,
    "DON": 22,
    "NAN": 9,
    "SRT": 14,
    "TRC": 13,
    "CUD": 4,
    "GRD": 38,
}
ROWS: Final = frozenset(
    f"{topic}-{number:02}" for topic, count in TOPICS.items() for number in range(1, count + 1)
)


def row(*ids: str) -> Callable[[F], F]:
    """Say which rows a test proves."""
    unknown = set(ids) - ROWS
    assert not unknown, f"there are no rows {sorted(unknown)}"

    def mark(test: F) -> F:
        return pytest.mark.row(*ids)(test)  # type: ignore[no-any-return]

    return mark


class Counted:
    """A function that counts how often its Python runs: how often it is traced when jitted."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.count = 0
        self.__name__ = "counted"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function and count."""
        self.count += 1
        return self.function(*args, **kwargs)


# What a script of a row is made on each system under test (conformance/peers): scripts say `treadle`.
BEFORE: Final[dict[str, Callable[[str], str]]] = {
    "": lambda script: script,
    "jax": lambda script: script.replace("treadle", "jax"),
    "hook": lambda script: (
        "import treadle_jax; treadle_jax.install()\n" + script.replace("treadle", "jax")
    ),
}


SHARING: Final = {name: value for name, value in of_platform().items() if "PREALLOCATE" in name}
"""Lets a process share the accelerator with the suite's own."""


def fresh_process(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a Python of its own, with none of treadle's variables but these.

    So treadle chooses the platform, which is the platform under test on a machine with an accelerator.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("TREADLE_", "JAX_", "XLA_"))
    }
    return subprocess.run(
        [sys.executable, "-c", BEFORE[os.environ.get("CONFORMANCE_SUT", "")](script)],
        env={**inherited, **SHARING, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def output_of(script: str, **environment: str) -> str:
    """Return the output of a script in a Python process of its own; it must succeed and be silent on stderr."""
    done = fresh_process(script, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()

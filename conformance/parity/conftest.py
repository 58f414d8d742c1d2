"""Runs JAX in another interpreter: `TREADLE_PARITY_PYTHON` names an interpreter that has jax."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from conformance.parity.jax_process import Jax
from conformance.parity.questions import Question

ASKED = Path(__file__).parent / "asked.py"

Ask = Callable[..., Any]


def interpreter() -> str:
    """The interpreter that has jax; without one, everything here is skipped, with the reason."""
    python = os.environ.get("TREADLE_PARITY_PYTHON")
    if not python:
        pytest.skip("TREADLE_PARITY_PYTHON names no interpreter that has jax")
    return python


def is_0_10() -> bool:
    """Return whether JAX is 0.10, the last for Python 3.11; where versions differ, treadle follows the newest."""
    asked = [interpreter(), "-c", "import importlib.metadata as m; print(m.version('jax'))"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout[:5] == "0.10."


# Of these JAX compiles for minutes, or they ask the same once more: left out with `TREADLE_PARITY_PART=short`.
_LONG: Final = (
    *("-True]", "[True]", "distributions", "signals", "test_derivatives", "test_parity"),
    *("test_exceptions_are_needed", "test_settings_do", "minima", "initializers"),
)


SHORT: Final = os.environ.get("TREADLE_PARITY_PART") == "short"
ONE_OF: Final = 16  # questions, of which the short part asks one
FEW: Final = 32  # a group of at most so many questions is asked whole


def asked_here(questions: list[Question]) -> list[Question]:
    """Return the questions that this part of parity asks: all of them, or in the short part one of every few.

    Args:
        questions: all questions, in an order in which the questions about one function are adjacent.
    """
    return questions[::ONE_OF] if SHORT and len(questions) > FEW else questions


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect long tests, where the environment asks for the short run."""
    if not SHORT:
        return
    here = [item for item in items if Path(__file__).parent in item.path.parents]
    long = [item for item in here if any(name in item.nodeid for name in _LONG)]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]


@pytest.fixture(scope="session")
def ask() -> Iterator[Ask]:
    """Ask jax: a list of questions in, a list of arrays, JSON values or errors out."""
    python = interpreter()
    processes: dict[bool, Jax] = {}

    def asked(questions: list[dict[str, Any]], x64: bool = False) -> list[Any]:
        if x64 not in processes or processes[x64].ended:
            processes[x64] = Jax([python, "-W", "ignore", str(ASKED)], x64)
        return processes[x64](questions)

    yield asked
    for process in processes.values():
        process.close()

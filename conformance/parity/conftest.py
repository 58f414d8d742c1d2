"""Runs JAX in another interpreter: `TREADLE_PARITY_PYTHON` names one that has jax."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ASKED = Path(__file__).parent / "asked.py"

Ask = Callable[..., Any]


def interpreter() -> str:
    """The interpreter that has jax; without one, everything here is skipped and says so."""
    python = os.environ.get("TREADLE_PARITY_PYTHON")
    if not python:
        pytest.skip("TREADLE_PARITY_PYTHON names no interpreter that has jax")
    return python


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> None:
    """The system as users have it."""


@pytest.fixture(scope="session")
def ask() -> Ask:
    """Ask jax: a list of questions in, a list of arrays, strings or errors out."""
    python = interpreter()

    def asked(questions: list[dict[str, Any]], x64: bool = False) -> list[Any]:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "questions.json").write_text(json.dumps(questions))
            clean = {
                k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "JAX_ENABLE_X64")
            }
            environment = {**clean, "JAX_PLATFORMS": "cpu", "JAX_ENABLE_X64": str(int(x64))}
            done = subprocess.run(
                [python, str(ASKED), folder], capture_output=True, text=True, env=environment
            )
            assert done.returncode == 0, done.stderr
            answers = json.loads((Path(folder) / "answers.json").read_text())
            with np.load(Path(folder) / "arrays.npz") as arrays:
                return [
                    arrays[f"a{i}"] if answer == "array" else answer
                    for i, answer in enumerate(answers)
                ]

    return asked

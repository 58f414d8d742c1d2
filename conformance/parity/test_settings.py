"""What settings let through and refuse is what JAX's let through and refuse."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from conformance.parity.conftest import interpreter, is_0_10

SCRIPT: Final = Path(__file__).parent / "settings_script.py"
# What JAX 0.10 lets through and 0.12 refuses, which treadle follows.
CHANGED: Final = {"check_tracer_leaks=True: kept in grad"}


def same(one: str | list[str], other: str | list[str]) -> bool:
    """Equal outcomes: errors have the most special class in common that JAX's has."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return other[0] in one


def outcomes(python: str, library: str) -> dict[str, str | list[str]]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("TREADLE_", "JAX_"))}
    if library == "jax":
        clean.pop("PYTHONPATH", None)
    done = subprocess.run(
        [python, "-W", "ignore", str(SCRIPT), library],
        capture_output=True,
        text=True,
        env={**clean, "JAX_PLATFORMS": "cpu"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, str | list[str]] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_settings_do_what_those_of_jax_do() -> None:
    ours = outcomes(sys.executable, "treadle")
    theirs = outcomes(interpreter(), "jax")
    assert ours.keys() == theirs.keys()
    differ = {
        case: f"{ours[case]}, jax: {theirs[case]}"
        for case in ours
        if not same(ours[case], theirs[case])
    }
    assert differ.keys() == (CHANGED if is_0_10() else set()), differ

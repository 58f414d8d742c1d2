"""Types of a library's own, whose values may change, do under each transformation what JAX's do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from conformance.parity.conftest import interpreter, is_0_10

HERE: Final = Path(__file__).parent


def outcomes(script: str, python: str, library: str) -> dict[str, Any]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("TREADLE_", "JAX_"))}
    if library == "jax":
        clean.pop("PYTHONPATH", None)
    done = subprocess.run(
        [python, "-W", "ignore", str(HERE / script), library],
        capture_output=True,
        text=True,
        env={**clean, "JAX_PLATFORMS": "cpu"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def same(one: Any, other: Any) -> bool:
    """Equal up to rounding; of errors, the most special class of JAX's is one of ours."""
    if isinstance(other, dict) and "error" in other:
        return isinstance(one, dict) and other["error"][0] in one.get("error", ())
    if isinstance(one, dict) and one.keys() == {"dtype", "array"}:
        if one["dtype"] != other.get("dtype"):
            return False
        ours, theirs = np.asarray(one["array"]), np.asarray(other["array"])
        return ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=1e-5)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


# Cases of what JAX took away after 0.10, by a word of their names; treadle keeps it for programs that use it.
GONE: Final = {"hijax_script.py": "placed ", "mutable_script.py": ""}
CHANGED: Final = {"repr", "repr with parameters"}  # in 0.12, whose words treadle has


@pytest.mark.parametrize("script", ["hijax_script.py", "mutable_script.py"])
def test_types_do_what_those_of_jax_do(script: str) -> None:
    """`batch_dim_rule` and types whose values change are JAX 0.10's: with a newer one there is less to compare."""
    ours = outcomes(script, sys.executable, "treadle")
    theirs = outcomes(script, interpreter(), "jax")
    older = is_0_10()
    gone = set() if older else {case for case in ours if case.startswith(GONE[script])}
    assert theirs.keys() == ours.keys() - gone
    differ = {
        case: f"{ours[case]}, jax: {theirs[case]}"
        for case in theirs
        if not same(ours[case], theirs[case])
    }
    expected = CHANGED if older and script == "hijax_script.py" else set()
    assert differ.keys() == expected, differ

"""The law of hostile values: a result, or an error of treadle's own; never a crash, a hang or somebody else's error."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Final

import pytest

from conformance.hostile.calls import LEFT_OPERANDS, LEFT_OUT, OBJECTS, calls, public_names

ROOT: Final = Path(__file__).resolve().parents[2]
PARTS: Final = 6
CALLS: Final = list(calls())


def test_each_public_function_has_a_call() -> None:
    named = {call.name for call in CALLS}
    public = {*public_names()}
    assert public - named - {*LEFT_OUT} == set()
    assert {*LEFT_OUT} <= public
    assert not {*LEFT_OUT} & named
    assert {*LEFT_OPERANDS, *OBJECTS} <= named
    assert len(named) == len(CALLS)


@pytest.mark.parametrize("part", range(PARTS))
def test_hostile_values(part: int, tmp_path: Path) -> None:
    """Each value in the place of each argument of each function."""
    command = [
        sys.executable,
        "-m",
        "conformance.hostile.run",
        str(part),
        str(PARTS),
        str(tmp_path),
    ]
    environment = {**os.environ, "TREADLE_COMPILATION_CACHE_DIR": ""}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=480, check=False
    )
    last = (tmp_path / f"about_to_{part}").read_text()
    assert done.returncode == 0, f"the process died in {last}: {done.stderr[-2000:]}"
    report = json.loads((tmp_path / f"found_{part}.json").read_text())
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, parameter, value, wrong in report["found"]:
        found[f"{name}({parameter}=...)"].append((value, wrong))
    faults = {where: each[:3] for where, each in found.items()}
    assert not faults, f"{len(found)} parameters, {len(report['found'])} faults in all: {faults}"

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

from conformance.hostile.calls import LEFT_OUT, calls, public_names

ROOT: Final = Path(__file__).resolve().parents[2]
PARTS: Final = 6
CALLS: Final = list(calls())


def _open() -> dict[str, frozenset[str]]:
    """The parameters with which a function still shows other errors than its own."""
    lines = (Path(__file__).parent / "open.txt").read_text().splitlines()
    rows = [line.split(": ") for line in lines if line and not line.startswith("#")]
    return {name: frozenset(parameters.split()) for name, parameters in rows}


OPEN: Final = _open()


def test_each_public_function_has_a_call() -> None:
    named = {call.name for call in CALLS}
    public = {*public_names()}
    assert public - named - {*LEFT_OUT} == set()
    assert {*LEFT_OUT} <= public
    assert not {*LEFT_OUT} & named
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
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    last = (tmp_path / f"about_to_{part}").read_text()
    assert done.returncode == 0, f"the process died in {last}: {done.stderr[-2000:]}"
    report = json.loads((tmp_path / f"found_{part}.json").read_text())
    found: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for name, parameter, value, wrong in report["found"]:
        found[name, parameter].append((value, wrong))
    new = {
        f"{name}({parameter}=...)": each[:3]
        for (name, parameter), each in found.items()
        if parameter not in OPEN.get(name, ())
    }
    assert not new, f"{len(new)} parameters, {len(report['found'])} faults in all: {new}"
    mine = [call.name for call in CALLS[part::PARTS]]
    closed = [
        f"{name}: {parameter}"
        for name in mine
        for parameter in OPEN.get(name, ())
        if (name, parameter) not in found
    ]
    assert not closed, f"these are right now, so they go from open.txt: {closed}"

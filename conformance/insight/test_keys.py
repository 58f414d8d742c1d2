"""Random keys that are used twice are findings with both lines; the setting still makes them errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.insight.programs import Run, everywhere, only, report_of

PROGRAM = """\
import treadle
import treadle.numpy as tnp

draw = treadle.random.normal
f = treadle.jit(draw)
key = treadle.random.key(0)
with treadle.watch(keys=True) as report:
{body}
"""
# A program, and the lines of the second use and the first one.
REUSED = {
    "twice": ("x = draw(key)\ny = draw(key)", "y = draw(key)", "x = draw(key)"),
    "in a loop": ("for _ in range(3):\n    x = draw(key)", "x = draw(key)", ""),
    "across jit": ("x = draw(key)\ny = f(key)", "f = treadle.jit(draw)", "x = draw(key)"),
    "split, then used": (
        "a, b = treadle.random.split(key)\ny = draw(key)",
        "y = draw(key)",
        "a, b = treadle.random.split(key)",
    ),
    "in scan": (
        "body = lambda c, _: (c, draw(c))\nys = treadle.lax.scan(body, key, None, length=3)",
        "body = lambda c, _: (c, draw(c))",
        "",
    ),
}
SILENT = {
    "split": "a, b = treadle.random.split(key)\nx = draw(a)\ny = draw(b)",
    "clone": "x = draw(key)\ny = draw(treadle.random.clone(key))",
    "fold_in": "for i in range(3):\n    x = draw(treadle.random.fold_in(key, i))",
}


def program(body: str) -> str:
    """Return the program with this body of the watch."""
    return PROGRAM.format(body="\n".join([f"    {line}" for line in body.splitlines()]))


@pytest.mark.installed
@pytest.mark.parametrize("name", REUSED)
def test_a_key_that_is_used_twice_is_reported(name: str, tmp_path: Path) -> None:
    body, second, first = REUSED[name]
    finding = only(report_of(program(body), tmp_path), "key")
    assert finding.place is not None
    assert name == "across jit" or finding.place.text == second
    assert not first or finding.where[1].text == first


@pytest.mark.installed
@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_said_of_other_programs(name: str, tmp_path: Path) -> None:
    report = report_of(program(SILENT[name]), tmp_path)
    assert not report.findings(), report


@pytest.mark.installed
@everywhere
def test_a_key_is_reported_everywhere(run: Run, tmp_path: Path) -> None:
    report = run(program(REUSED["twice"][0]), tmp_path)
    assert [each.kind for each in report.findings()] == ["key.reused"]


@pytest.mark.installed
def test_results_are_as_without_and_the_setting_still_refuses(tmp_path: Path) -> None:
    text = program("x = draw(key)\ny = draw(key)") + "z = draw(key)\nassert x == y == z\n"
    assert report_of(text, tmp_path).findings("key")
    refused = program("with treadle.debug_key_reuse(True):\n    x = draw(key)\n    y = draw(key)")
    with pytest.raises(Exception, match="a random key that has been used already"):
        report_of(refused, tmp_path)

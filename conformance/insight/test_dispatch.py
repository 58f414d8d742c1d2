"""Loops of small eager operations are reported, with their share; few operations, and large ones, are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.insight.programs import Run, everywhere, only, report_of

PROGRAM = """\
import treadle
import treadle.numpy as tnp

with treadle.watch("dispatch") as report:
    x = y = tnp.ones({size})
    for _ in range({count}):
        y = y + x
assert y[0] == {count} + 1
"""


@pytest.mark.installed
def test_a_loop_of_small_operations_is_reported(tmp_path: Path) -> None:
    finding = only(report_of(PROGRAM.format(size=3, count=1000), tmp_path), "dispatch")
    assert finding.place is not None
    assert finding.place.text == "y = y + x"
    assert (
        "is calling, not computing: 1,000 operations at program.py:7 ran one by one."
        in finding.what
    )
    assert 50 <= int(finding.what.split(" %")[0]) < 100
    assert finding.fix.startswith("Move the loop around program.py:7 into a function")
    assert finding.code.splitlines() == [
        "@treadle.jit",
        "def run(y):",
        "    return treadle.lax.fori_loop(0, 1000, lambda _, y: y + x, y)",
        "y = run(y)",
    ]
    assert 1e-4 < finding.cost.seconds < 1e-1


@pytest.mark.installed
def test_the_code_of_the_fix_mends_the_program(tmp_path: Path) -> None:
    text = PROGRAM.format(size=3, count=1000)
    code = only(report_of(text, tmp_path), "dispatch").code.replace("\n", "\n    ")
    loop = "for _ in range(1000):\n        y = y + x"
    assert loop in text
    report = report_of(text.replace(loop, code), tmp_path)
    assert not report.findings("dispatch"), report


@pytest.mark.installed
def test_a_loop_in_a_function_that_is_not_plain_gets_the_decorator(tmp_path: Path) -> None:
    text = """\
import treadle as t
import treadle.numpy as tnp

def f(x):
    y, n = x, 0
    while n < 1000:
        y = y + x
        n += 1

with t.watch("dispatch") as report:
    f(tnp.ones(3))
"""
    finding = only(report_of(text, tmp_path), "dispatch")
    assert finding.fix.startswith("Write the loop around program.py:7")
    assert finding.code.startswith("@t.jit  #")


@pytest.mark.installed
@pytest.mark.parametrize(("size", "count"), [(3, 400), (1_000_000, 600)])
def test_nothing_is_said_of_few_or_large_operations(size: int, count: int, tmp_path: Path) -> None:
    report = report_of(PROGRAM.format(size=size, count=count), tmp_path)
    assert not report.findings(), report


@pytest.mark.installed
@everywhere
def test_a_loop_is_reported_everywhere(run: Run, tmp_path: Path) -> None:
    report = run(PROGRAM.format(size=3, count=1000), tmp_path)
    assert [each.kind for each in report.findings()] == ["dispatch.share"]


@pytest.mark.installed
def test_the_evaluator_is_as_it_was(tmp_path: Path) -> None:
    from treadle_ir.tracing import ROOT  # noqa: PLC0415 - as the program leaves it

    before = ROOT.evaluator
    report_of(PROGRAM.format(size=3, count=1000), tmp_path)
    assert ROOT.evaluator is before

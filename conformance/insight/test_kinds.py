"""Each kind of finding: its wrong program has it, with a place in the program and a remedy; its right one does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.insight.programs import report_in_process, report_of
from treadle_insight import Report, findings

PROGRAMS = [code for code, kind in findings.items() if kind.wrong and kind.devices == 1]
ON_DEVICES = [code for code, kind in findings.items() if kind.devices > 1]


def check(report: Report, code: str, folder: Path) -> None:
    """Check what the findings of a kind say in the report of the kind's wrong program."""
    found = report.findings(code)
    assert found, f"no {code} in:\n{report}"
    for finding in found:
        assert finding.what.endswith((".", "?"))
        assert finding.fix
        assert finding.place is not None
        assert finding.place.file == str(folder / "program.py")
        assert 1 < finding.place.line <= len(findings[code].wrong.splitlines())
        assert len(str(finding).splitlines()) <= 10


@pytest.mark.installed
@pytest.mark.parametrize("code", PROGRAMS)
def test_the_wrong_program_has_the_finding(code: str, tmp_path: Path) -> None:
    check(report_of(findings[code].wrong, tmp_path), code, tmp_path)


@pytest.mark.installed
@pytest.mark.parametrize("code", PROGRAMS)
def test_the_right_program_does_not(code: str, tmp_path: Path) -> None:
    report = report_of(findings[code].right, tmp_path)
    assert not report.findings(code), report


@pytest.mark.installed
@pytest.mark.parametrize("code", ON_DEVICES)
def test_programs_on_several_devices(code: str, tmp_path: Path) -> None:
    kind = findings[code]
    check(report_in_process(kind.wrong, tmp_path, devices=kind.devices), code, tmp_path)
    right = report_in_process(kind.right, tmp_path, devices=kind.devices)
    assert not right.findings(code), right


def test_each_kind_is_documented() -> None:
    for code, kind in findings.items():
        assert kind.code == code
        assert kind.summary.endswith(".")
        assert bool(kind.wrong) == bool(kind.right)
        assert kind.wrong or code.startswith("doctor."), f"{code} shows no program"

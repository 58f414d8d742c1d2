"""Reports as JSON, and back."""

from __future__ import annotations

import json

import pytest

from treadle_insight import Report
from treadle_ir import ArgumentError


def test_the_json_has_a_version_and_all_fields(report: Report) -> None:
    content = json.loads(report.json())
    assert content["version"] == 1
    first = content["findings"][0]
    assert {*first} == {"kind", "what", "where", "why", "fix", "code", "cost", "certain"}
    assert first["where"][0]["column"] == 12
    assert first["cost"] == {"seconds": 1.5, "bytes": 9_000_000}


def test_a_report_is_read_back(report: Report) -> None:
    report = report
    again = Report.of_json(report.json())
    assert again.findings() == report.findings()
    assert again.tables == report.tables
    assert again.title == report.title


def test_fields_of_later_releases_are_left_out(report: Report) -> None:
    content = json.loads(report.json())
    content["findings"][0]["where"][0]["colour"] = "red"
    content["findings"][0]["mood"] = "good"
    assert Report.of_json(json.dumps(content)).findings() == report.findings()


@pytest.mark.parametrize(
    ("text", "message"),
    [("[]", "not a report"), ("{}", "not a report"), ('{"version": 2}', "version 2")],
)
def test_other_json_is_refused(text: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        Report.of_json(text)

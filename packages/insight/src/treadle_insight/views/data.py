"""Reports as JSON, and read back."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any, Final

from treadle_insight.finding import Cost, Finding
from treadle_insight.place import Place
from treadle_insight.report import Report, Table
from treadle_ir import ArgumentError

VERSION: Final = 1
"""The version of the format: raised when a field changes its meaning or is dropped, not when one is added."""


def report_json(report: Report) -> str:
    """Return a report as JSON: `version`, `title`, `findings` and `tables`, with the fields of their classes.

    Args:
        report: the report.

    Example:
        >>> report_json(Report("f", []))
        '{"version": 1, "title": "f", "findings": [], "tables": []}'
    """
    content = {
        "version": VERSION,
        "title": report.title,
        "findings": [asdict(finding) for finding in report.findings()],
        "tables": [asdict(table) for table in report.tables],
    }
    return json.dumps(content)


def report_of_json(text: str) -> Report:
    """Return the report that `report_json` wrote. Fields that this version does not know are left out.

    Args:
        text: the JSON.

    Raises:
        ArgumentError: the text is not a report, or one of a later version.

    Example:
        >>> report_of_json(report_json(Report("f", []))).title
        'f'
    """
    content = json.loads(text)
    version = content.get("version") if isinstance(content, dict) else None
    if not isinstance(version, int):
        raise ArgumentError("this JSON is not a report", fix="take what `Report.json()` returned")
    if version > VERSION:
        raise ArgumentError(
            f"this report has version {version} of the format, and this release reads {VERSION}",
            fix="install a newer treadle-insight",
        )
    tables = [
        Table(each["title"], tuple(each["columns"]), tuple([tuple(row) for row in each["rows"]]))
        for each in content["tables"]
    ]
    return Report(content["title"], [_finding(each) for each in content["findings"]], tables)


def _finding(content: dict[str, Any]) -> Finding:
    """Return a finding. Any: values of JSON."""
    place = Place.__dataclass_fields__
    places = [Place(**{k: v for k, v in each.items() if k in place}) for each in content["where"]]
    return Finding(
        content["kind"],
        content["what"],
        tuple(places),
        tuple(content["why"]),
        content["fix"],
        content["code"],
        Cost(content["cost"]["seconds"], content["cost"]["bytes"]),
        content["certain"],
    )

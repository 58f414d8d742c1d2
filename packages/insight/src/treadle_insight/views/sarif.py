"""Reports as SARIF 2.1.0, which editors and code hosts show at the lines of a program."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from treadle_insight._version import __version__
from treadle_insight.finding import Finding
from treadle_insight.kinds import findings as known_kinds
from treadle_insight.place import Place
from treadle_insight.report import Report

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"

Object = dict[str, Any]  # Any: values of JSON


def report_sarif(report: Report, root: str | os.PathLike[str] | None = None) -> str:
    """Return a report as SARIF 2.1.0.

    A finding is a result of level `warning` if it is proved, and `note` if it is suspected. Files within `root` are
    named relative to it, as code hosts want; others by their full path.

    Args:
        report: the report.
        root: the folder of the sources, such as the root of a repository; the current folder by default.
    """
    folder = Path(root or ".").resolve()
    codes = list(dict.fromkeys([finding.kind for finding in report.findings()]))
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "treadle-insight",
                        "version": __version__,
                        "rules": [_rule(code) for code in codes],
                    }
                },
                "originalUriBaseIds": {"ROOT": {"uri": f"{folder.as_uri().rstrip('/')}/"}},
                "columnKind": "unicodeCodePoints",
                "results": [
                    _result(each, codes.index(each.kind), folder) for each in report.findings()
                ],
            }
        ],
    }
    return json.dumps(log, indent=1)


def _rule(code: str) -> Object:
    """Return the description of a kind of finding."""
    rule: Object = {"id": code}
    if code in known_kinds:
        rule["shortDescription"] = {"text": known_kinds[code].summary}
    return rule


def _result(finding: Finding, rule: int, root: Path) -> Object:
    """Return a finding as a result of SARIF."""
    fix = f" Fix: {finding.fix}" if finding.fix else ""
    code = f"\n{finding.code}" if finding.code else ""
    result: Object = {
        "ruleId": finding.kind,
        "ruleIndex": rule,
        "level": "warning" if finding.certain else "note",
        "message": {"text": f"{finding.what}{fix}{code}"},
    }
    places = [location for each in finding.where if (location := _location(each, root)) is not None]
    if places:
        result["locations"] = places[:1]
    if places[1:]:
        result["relatedLocations"] = places[1:]
    properties: Object = {"why": list(finding.why)} if finding.why else {}
    if finding.cost.seconds:
        properties["seconds"] = finding.cost.seconds
    if finding.cost.bytes:
        properties["bytes"] = finding.cost.bytes
    if properties:
        result["properties"] = properties
    return result


def _location(place: Place, root: Path) -> Object | None:
    """Return a place as a location of SARIF; None for what is not a file, such as a cell of a notebook."""
    if not place.file or place.file.startswith("<"):
        return None
    path = Path(os.path.abspath(place.file))
    artifact: Object = (
        {"uri": quote(path.relative_to(root).as_posix()), "uriBaseId": "ROOT"}
        if path.is_relative_to(root)
        else {"uri": path.as_uri()}
    )
    physical: Object = {"artifactLocation": artifact}
    if place.line:
        region: Object = {"startLine": place.line}
        if place.column and place.end_line:
            region["startColumn"] = place.column
            region["endLine"] = place.end_line
            region["endColumn"] = place.end_column
        physical["region"] = region
    location: Object = {"physicalLocation": physical}
    if place.name:
        location["logicalLocations"] = [{"fullyQualifiedName": place.name}]
    return location

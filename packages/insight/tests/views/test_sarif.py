"""Reports as SARIF 2.1.0: the structure that the standard asks for, and where results are.

`SHAPES` holds the properties of the standard's objects that treadle writes, those that are required among them. The
schema itself is not in this repository; it was checked once that it accepts the example of these tests.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from treadle_insight import Report

# Object -> property -> type, and whether it is required. A list holds the type of elements; a name is an object.
SHAPES: dict[str, dict[str, tuple[object, bool]]] = {
    "log": {"$schema": (str, False), "version": ("2.1.0", True), "runs": (["run"], True)},
    "run": {
        "tool": ("tool", True),
        "originalUriBaseIds": ({"": "artifactLocation"}, False),
        "columnKind": ("unicodeCodePoints", False),
        "results": (["result"], False),
    },
    "tool": {"driver": ("driver", True)},
    "driver": {"name": (str, True), "version": (str, False), "rules": (["rule"], False)},
    "rule": {"id": (str, True), "shortDescription": ("message", False)},
    "message": {"text": (str, True)},
    "result": {
        "ruleId": (str, False),
        "ruleIndex": (int, False),
        "level": (str, False),
        "message": ("message", True),
        "locations": (["location"], False),
        "relatedLocations": (["location"], False),
        "properties": (dict, False),
    },
    "location": {
        "physicalLocation": ("physicalLocation", False),
        "logicalLocations": (["logicalLocation"], False),
    },
    "logicalLocation": {"fullyQualifiedName": (str, False)},
    "physicalLocation": {
        "artifactLocation": ("artifactLocation", True),
        "region": ("region", False),
    },
    "artifactLocation": {"uri": (str, False), "uriBaseId": (str, False)},
    "region": {
        "startLine": (int, True),
        "startColumn": (int, False),
        "endLine": (int, False),
        "endColumn": (int, False),
    },
}


def check(value: Any, shape: object, where: str = "log") -> None:
    """Compare a value of JSON with its shape."""
    if isinstance(shape, list):
        assert isinstance(value, list), where
        for number, each in enumerate(value):
            check(each, shape[0], f"{where}[{number}]")
    elif isinstance(shape, dict):
        for name, each in value.items():
            check(each, shape[""], f"{where}.{name}")
    elif isinstance(shape, str) and shape in SHAPES:
        assert isinstance(value, dict), where
        properties = SHAPES[shape]
        assert {*value} <= {*properties}, where
        assert {name for name, (_, required) in properties.items() if required} <= {*value}, where
        for name, each in value.items():
            check(each, properties[name][0], f"{where}.{name}")
    elif isinstance(shape, str):
        assert value == shape, where
    else:
        assert isinstance(shape, type), where
        assert isinstance(value, shape), where


def log_of(report: Report, root: Path) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(report.sarif(root))
    return log


def test_it_has_the_structure_of_the_standard(report: Report, tmp_path: Path) -> None:
    log = log_of(report, tmp_path)
    check(log, "log")
    (run,) = log["runs"]
    for result in run["results"]:
        assert result["level"] in {"none", "note", "warning", "error"}
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    assert run["originalUriBaseIds"]["ROOT"]["uri"].endswith("/")


@pytest.mark.parametrize("damage", ["version", "runs"])
def test_the_check_of_the_structure_can_fail(damage: str, report: Report, tmp_path: Path) -> None:
    log = log_of(report, tmp_path)
    del log[damage]
    with pytest.raises(AssertionError):
        check(log, "log")


def test_a_result_is_at_the_expression(report: Report, tmp_path: Path) -> None:
    first, second = log_of(report, tmp_path)["runs"][0]["results"]
    (location,) = first["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "a%20b.py", "uriBaseId": "ROOT"},
        "region": {"startLine": 4, "startColumn": 12, "endLine": 4, "endColumn": 21},
    }
    assert [each["physicalLocation"]["region"] for each in first["relatedLocations"]] == [
        {"startLine": 1}
    ]
    assert first["message"]["text"].startswith(
        "f captured `scale` <f32[]>. Fix: Pass it as an argument."
    )
    assert (first["level"], second["level"]) == ("warning", "note")
    assert "locations" not in second  # standard input is not a file


def test_files_elsewhere_have_their_full_path(report: Report, tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    first, _ = log_of(report, tmp_path / "root")["runs"][0]["results"]
    uri = first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == (tmp_path / "a b.py").as_uri()


def test_the_current_folder_is_the_root(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "a%20b.py" in report.sarif()
    assert tmp_path.as_uri() + "/a" not in report.sarif()

"""Reports: which findings they give, in which order."""

from __future__ import annotations

import pytest

from treadle_insight import Cost, Finding, Report, Table, findings


def report() -> Report:
    return Report(
        "step",
        [
            Finding("recompile.shape", "Small.", cost=Cost(seconds=0.1)),
            Finding("recompile.static", "Large.", cost=Cost(seconds=3.0)),
            Finding("recompiled", "Of another kind.", cost=Cost(bytes=1_000_000_000)),
        ],
    )


def test_the_most_costly_finding_comes_first() -> None:
    order = [each.kind for each in report().findings()]
    assert order == ["recompile.static", "recompile.shape", "recompiled"]


@pytest.mark.parametrize(
    ("kind", "count"), [(None, 3), ("recompile", 2), ("recompile.shape", 1), ("recompile.sh", 0)]
)
def test_findings_of_a_kind_or_of_the_beginning_of_one(kind: str | None, count: int) -> None:
    assert len(report().findings(kind)) == count


def test_a_finding_of_several_processes_is_one_that_names_them() -> None:
    first = Report(
        "step", [Finding("nan.made", "A nan.", cost=Cost(seconds=1))], [Table("t", (), ())]
    )
    second = Report("step", [*first.findings(), Finding("nan.given", "Another.")])
    both = Report.of_processes({"0": first, "1": second})
    assert both.title == "step, 2 processes"
    assert [each.why for each in both.findings("nan.made")] == [("In processes 0, 1.",)]
    assert [each.why for each in both.findings("nan.given")] == [("In process 1.",)]
    assert [table.title for table in both.tables] == ["process 0: t"]


def test_it_has_the_largest_cost_of_all() -> None:
    parts = {
        str(number): Report("step", [Finding("nan.made", "A nan.", cost=Cost(seconds=number))])
        for number in range(3)
    }
    assert Report.of_processes(parts).findings()[0].cost == Cost(seconds=2)


def test_all_kinds_are_listed() -> None:
    assert findings["capture.large"].code == "capture.large"
    assert len(repr(findings).splitlines()) == len(findings)
    assert all(["." in code for code in findings])

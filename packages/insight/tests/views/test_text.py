"""Reports as text: at most ten lines for each finding, carets below the expression, the width that is given."""

from __future__ import annotations

import pytest

from treadle_insight import Finding, Place, Report
from treadle_insight.views.text import finding_lines, finding_text, report_text


def test_a_report_as_text(report: Report) -> None:
    assert str(report).splitlines() == [
        "f, 2 operations: 2 findings",
        "",
        "capture.large: f captured `scale` <f32[]>. [1.5 s, 9 MB]",
        "  at a b.py:4, in f:  return x * scale < 3 and x",
        "                             ^^^^^^^^^",
        "  at a b.py:1:  scale = 10",
        "    It is read 1 < 2 times.",
        "  fix: Pass it as an argument.",
        "      f(x, scale)",
        "",
        "clock.early (suspected): The clock was read early.",
        "  at <stdin>:1",
        "",
        "costs",
        "  line   flop",
        "  a & b  4",
    ]


@pytest.mark.parametrize("width", [40, 60, 110])
def test_no_line_is_longer_than_the_width(width: int, report: Report) -> None:
    assert max(map(len, report_text(report, width).splitlines())) <= width


def test_a_finding_has_at_most_ten_lines_and_the_fix_among_them(report: Report) -> None:
    place = report.findings()[0].where[0]
    why = tuple([f"Reason {number}." for number in range(20)])
    found = Finding(
        "loop.unrolled", "A loop was unrolled.", (place, place), why, "Use `scan`.", "scan(\n  f)"
    )
    lines = finding_text(found).splitlines()
    assert len(lines) == 10
    assert lines[-3:] == ["  fix: Use `scan`.", "      scan(", "        f)"]
    assert not [role for role, _ in finding_lines(found) if role == "mark"]  # evidence comes first


def test_carets_that_do_not_fit_are_left_out(report: Report) -> None:
    finding = report.findings()[0]
    assert "^" in finding_text(finding, 110)
    assert "^" not in finding_text(finding, 30)


def test_an_unknown_place_is_named_so() -> None:
    assert "at an unknown place" in finding_text(Finding("nan.made", "A nan.", (Place("", 0),)))


def test_long_code_keeps_its_beginning_and_its_end() -> None:
    code = "\n".join([f"line{number}" for number in range(30)])
    lines = finding_text(
        Finding("loop.unrolled", "A loop.", fix="Roll it:", code=code)
    ).splitlines()
    assert len(lines) == 10
    assert lines[2:4] == ["      line0", "      line1"]
    assert lines[-3:] == ["          ...", "      line28", "      line29"]

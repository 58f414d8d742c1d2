"""Findings and reports as plain text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

from treadle_insight.finding import Finding
from treadle_insight.place import Place, columns
from treadle_insight.report import Report, Table

WIDTH: Final = 110
_MOST_LINES: Final = 10  # of one finding
_MOST_ROWS: Final = 8  # of one table

Role: TypeAlias = Literal["what", "place", "mark", "why", "fix", "code"]
"""What a line of a finding is, by which colours are chosen."""


def finding_text(finding: Finding, width: int = WIDTH) -> str:
    """Return a finding as text of at most ten lines.

    Args:
        finding: the finding.
        width: the number of columns.

    Example:
        >>> print(finding_text(Finding("frozen.global", "f was traced when `scale` was 10; it is 99 now.",
        ...     fix="Pass it as an argument.")))
        frozen.global: f was traced when `scale` was 10; it is 99 now.
          fix: Pass it as an argument.
    """
    return "\n".join([line for _, line in finding_lines(finding, width)])


def finding_lines(finding: Finding, width: int = WIDTH) -> list[tuple[Role, str]]:
    """Return the lines of a finding, at most ten, each with what it is.

    Places and the fix come first where there is not room for everything, then the evidence, then carets below the
    expression.

    Args:
        finding: the finding.
        width: the number of columns.
    """
    certainty = "" if finding.certain else " (suspected)"
    cost = f" [{finding.cost}]" if finding.cost.weight else ""
    head = _wrapped(f"{finding.kind}{certainty}: {finding.what}{cost}", "", width)
    places = [_cut(f"  at {place.show()}", width) for place in _lines_of(finding)[:2]]
    fix = _wrapped(f"fix: {finding.fix}", "  ", width) if finding.fix else []
    code = [f"      {line}" for line in finding.code.splitlines()]
    most = max(4, _MOST_LINES - len(head) - len(places) - len(fix))
    if len(code) > most:  # the beginning and the end, which calls what the beginning defines
        code = [*code[: most - 3], "          ...", *code[-2:]]
    room = max(0, _MOST_LINES - len(head) - len(places) - len(fix) - len(code))
    why = [line for each in finding.why for line in _wrapped(each, "    ", width)][:room]
    lines: list[tuple[Role, str]] = [("what", line) for line in head]
    lines += [("place", line) for line in places]
    marks = _marks(finding, width) if len(why) < room else ""
    if marks:
        lines.insert(len(head) + 1, ("mark", marks))
    lines += [("why", line) for line in why]
    lines += [("fix", line) for line in fix]
    lines += [("code", line) for line in code]
    return lines[:_MOST_LINES]


def report_text(report: Report, width: int = WIDTH) -> str:
    """Return a report as text: its title, its findings with the most costly first, its tables.

    Args:
        report: the report.
        width: the number of columns.
    """
    parts = [heading(report)]
    parts += [finding_text(finding, width) for finding in report.findings()]
    parts += [table_text(table, width) for table in report.tables if table.rows]
    return "\n\n".join(parts)


def heading(report: Report) -> str:
    """Return the first line of a report: what was looked at, and how much there is to say.

    Args:
        report: the report.
    """
    count = len(report.findings())
    said = {0: "nothing to say", 1: "1 finding"}.get(count, f"{count} findings")
    return f"{report.title}: {said}"


def table_text(table: Table, width: int = WIDTH) -> str:
    """Return the first rows of a table as text.

    Args:
        table: the table.
        width: the number of columns.
    """
    return "\n".join([_cut(line, width) for line in _table_lines(table)])


def _wrapped(text: str, indent: str, width: int) -> list[str]:
    """Return the lines of a paragraph, in which later lines are indented further."""
    return textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=indent + "  ", break_long_words=False
    )


def _cut(line: str, width: int) -> str:
    """Return a line that is not longer than the width; dots stand for the rest."""
    return line if len(line) <= width else line[: max(0, width - 3)] + "..."


def _lines_of(finding: Finding) -> list[Place]:
    """Return the places of a finding that are on different lines, the first one of each line."""
    found: dict[tuple[str, int], Place] = {}
    for place in finding.where:
        found.setdefault((place.file, place.line), place)
    return [*found.values()]


def _marks(finding: Finding, width: int) -> str:
    """Return the line of carets for the innermost place; empty if they add nothing, or do not fit."""
    place = finding.place
    if place is None or not place.marks:
        return ""
    indent = columns(f"  at {place.show()}") - columns(place.text)
    marks = " " * indent + place.marks
    return marks if len(marks) <= width else ""


def _table_lines(table: Table) -> Iterator[str]:
    """Yield the lines of a table, its first rows."""
    rows = table.rows[:_MOST_ROWS]
    widths = [max(map(len, cells)) for cells in zip(table.columns, *rows, strict=True)]
    yield table.title
    for row in (table.columns, *rows):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        yield f"  {'  '.join(cells)}".rstrip()
    if len(table.rows) > _MOST_ROWS:
        yield f"  and {len(table.rows) - _MOST_ROWS} more"

"""Findings and reports as plain text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from treadle_insight.finding import Finding
from treadle_insight.report import Report, Table

WIDTH = 110
_MOST_LINES = 10  # of one finding
_MOST_ROWS = 8  # of one table


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
    certainty = "" if finding.certain else " (suspected)"
    cost = f" [{finding.cost}]" if finding.cost.weight else ""
    head = _wrapped(f"{finding.kind}{certainty}: {finding.what}{cost}", "", width)
    places = [f"  at {place.show()}" for place in finding.where[:2]]
    fix = _wrapped(f"fix: {finding.fix}", "  ", width) if finding.fix else []
    code = [f"      {line}" for line in finding.code.splitlines()]
    most = max(4, _MOST_LINES - len(head) - len(places) - len(fix))
    if len(code) > most:  # the beginning and the end, which calls what the beginning defines
        code = [*code[: most - 3], "          ...", *code[-2:]]
    fix += code
    room = max(0, _MOST_LINES - len(head) - len(places) - len(fix))
    why = [line for each in finding.why for line in _wrapped(each, "    ", width)][:room]
    return "\n".join([*head, *places, *why, *fix][:_MOST_LINES])


def report_text(report: Report, width: int = WIDTH) -> str:
    """Return a report as text: its title, its findings with the most costly first, its tables.

    Args:
        report: the report.
        width: the number of columns.
    """
    found = report.findings()
    count = {0: "nothing to say", 1: "1 finding"}.get(len(found), f"{len(found)} findings")
    parts = [f"{report.title}: {count}"]
    parts += [finding_text(finding, width) for finding in found]
    parts += ["\n".join(_table_lines(table)) for table in report.tables if table.rows]
    return "\n\n".join(parts)


def _wrapped(text: str, indent: str, width: int) -> list[str]:
    """Return the lines of a paragraph, in which later lines are indented further."""
    return textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=indent + "  ", break_long_words=False
    )


def _table_lines(table: Table) -> Iterator[str]:
    """Yield the lines of a table, its first rows."""
    rows = table.rows[:_MOST_ROWS]
    widths = [max(map(len, cells)) for cells in zip(table.columns, *rows, strict=True)]
    yield table.title
    for row in (table.columns, *rows):
        yield (
            "  "
            + "  ".join(
                [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
            ).rstrip()
        )
    if len(table.rows) > _MOST_ROWS:
        yield f"  and {len(table.rows) - _MOST_ROWS} more"

"""Reports on a terminal: in colours where rich is installed, plain elsewhere; as wide as the terminal is."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec
from typing import Final, TextIO

from treadle_insight.report import Report
from treadle_insight.views.text import (
    WIDTH,
    Role,
    finding_lines,
    heading,
    report_text,
    table_text,
)

_STYLES: Final[dict[Role, str]] = {
    "what": "",
    "place": "cyan",
    "mark": "bold red",
    "why": "dim",
    "fix": "green",
    "code": "bold green",
}


def show(report: Report, file: TextIO | None = None) -> None:
    """Print a report.

    Colours need rich, and a terminal. `NO_COLOR` and `TERM=dumb` turn them off. Lines are as wide as the terminal; in
    a file or a pipe, as wide as `COLUMNS` says.

    Args:
        report: the report.
        file: where to print; standard output by default.
    """
    target = sys.stdout if file is None else file
    width = _width(target)
    if _coloured(target):
        _print_with_rich(report, target, width)
    else:
        print(report_text(report, width), file=target)


def _width(file: TextIO) -> int:
    """Return the number of columns of a terminal; of `COLUMNS`, or the usual one, for anything else."""
    if file.isatty():
        return shutil.get_terminal_size((WIDTH, 24)).columns
    given = os.environ.get("COLUMNS", "")
    return int(given) if given.isdecimal() and int(given) else WIDTH


def _coloured(file: TextIO) -> bool:
    """Return whether colours are wanted in a file, and can be made."""
    refused = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return file.isatty() and not refused and find_spec("rich") is not None


def _print_with_rich(report: Report, file: TextIO, width: int) -> None:
    """Print a report by rich: the same lines as in plain text, with a style for each role."""
    from rich.console import Console  # noqa: PLC0415 - an extra, and slow to import
    from rich.text import Text  # noqa: PLC0415 - as above

    console = Console(file=file, width=width, highlight=False)
    console.print(Text(heading(report), style="bold"))
    for finding in report.findings():
        console.print()
        for role, line in finding_lines(finding, width):
            text = Text(line, style=_STYLES[role])
            if role == "what" and line.startswith(finding.kind):
                text.stylize("bold red" if finding.certain else "bold yellow", 0, len(finding.kind))
            console.print(text, soft_wrap=True)
    for table in report.tables:
        if table.rows:
            title, _, rows = table_text(table, width).partition("\n")
            console.print(Text(f"\n{title}", style="bold"))
            console.print(Text(rows), soft_wrap=True)

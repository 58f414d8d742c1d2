"""Reports on a terminal: colours by rich where they are wanted, plain text elsewhere."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from treadle_insight import Report
from treadle_insight.views import terminal


class Terminal(io.StringIO):
    """A file that is a terminal."""

    def isatty(self) -> bool:
        return True


def shown(file: io.StringIO, report: Report) -> str:
    report.show(file)
    return file.getvalue()


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "COLUMNS", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def test_a_pipe_gets_plain_text(report: Report, tmp_path: Path) -> None:
    assert shown(io.StringIO(), report) == f"{report}\n"


def test_a_terminal_gets_the_same_lines_in_colours(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rich")
    monkeypatch.setenv("COLUMNS", "110")
    text = shown(Terminal(), report)
    assert "\x1b[" in text
    from rich.text import Text  # noqa: PLC0415 - an extra

    plain = [line.rstrip() for line in Text.from_ansi(text).plain.splitlines()]
    assert plain == str(report).splitlines()


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colours_can_be_refused(
    name: str, value: str, report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    monkeypatch.setenv("COLUMNS", "110")
    assert shown(Terminal(), report) == f"{report}\n"


def test_there_are_no_colours_without_rich(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "find_spec", lambda name: None)
    assert "\x1b[" not in shown(Terminal(), report)


@pytest.mark.parametrize("file", [io.StringIO, Terminal])
def test_lines_are_as_wide_as_the_terminal(
    file: type[io.StringIO], report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    assert max(map(len, shown(file(), report).splitlines())) <= 40


def test_the_report_goes_to_standard_output(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = io.StringIO()
    monkeypatch.setattr(sys, "stdout", file)
    report.show()
    assert file.getvalue().startswith("f, 2 operations: 2 findings")

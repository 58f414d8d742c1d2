"""A surprise: a program that has a finding, and the same program after the fix, which does not have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

from conformance.insight.programs import (
    Run,
    by_the_name_of_jax,
    line_of,
    only,
    report_of,
    reports_in_process,
)
from treadle_insight import Finding

_HEAD = """\
import numpy as np

import treadle
import treadle.numpy as jnp
from treadle import lax, nn
"""


@final
@dataclass(frozen=True)
class Surprise:
    """A program with a finding.

    Attributes:
        name: for the test's name.
        kind: the kind of the finding.
        lines: the program, without its imports. The line of the finding ends in `# here`.
        call: the expression that is the report.
        words: what the finding's sentence says.
        fixed: pairs of texts that mend the program; empty if there is nothing to mend it with.
    """

    name: str
    kind: str
    lines: str
    call: str
    words: tuple[str, ...] = ()
    fixed: tuple[tuple[str, str], ...] = ()

    def program(self) -> str:
        """Return the program."""
        return f"{_HEAD}\n{self.lines}\nreport = {self.call}\n"

    def mended(self) -> str:
        """Return the program after the fix."""
        text = self.program()
        for old, new in self.fixed:
            assert old in text, old
            text = text.replace(old, new)
        return text

    def check(self, finding: Finding, text: str) -> None:
        """Check the sentence and the line of a finding in a program."""
        said = f"{finding.what} {' '.join(finding.why)}"
        for word in self.words:
            assert word in said, f"{word!r} is not in: {said}"
        assert line_of(finding) in marked_lines(text), f"line {line_of(finding)}:\n{finding}"
        assert len(str(finding).splitlines()) <= 10


def marked_lines(text: str) -> list[int]:
    """Return the lines of a program that end in `# here`."""
    return [n for n, line in enumerate(text.splitlines(), 1) if line.endswith("# here")]


def has_finding(surprise: Surprise, folder: Path, run: Run = report_of) -> None:
    """Check that the program has the finding, and no other finding of its topic.

    Args:
        surprise: the program.
        folder: where it is written to.
        run: how it is run, such as in a thread.
    """
    text = surprise.program()
    finding = only(run(text, folder), surprise.kind)
    surprise.check(finding, text)


def mended(surprise: Surprise, folder: Path) -> None:
    """Check that the mended program does not have the finding, nor another one of its topic."""
    report = report_of(surprise.mended(), folder)
    assert not report.findings(surprise.kind.partition(".")[0]), report


def under_jax(surprises: Sequence[Surprise], folder: Path) -> None:
    """Check that the programs by the names of JAX have the same findings, in one process with the import hook."""
    texts = [by_the_name_of_jax(surprise.program()) for surprise in surprises]
    reports = reports_in_process(texts, folder, hooked=True)
    for surprise, text, report in zip(surprises, texts, reports, strict=True):
        surprise.check(only(report, surprise.kind), text)

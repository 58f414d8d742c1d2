"""Reports: findings in the order of their cost, and the tables that `explain` shows with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from treadle_insight.finding import Finding


@final
@dataclass(frozen=True, slots=True)
class Table:
    """A table of facts about a program: costs by line, memory at its peak, donated arguments.

    Attributes:
        title: what the rows are.
        columns: the heading of each column.
        rows: the cells, as text; each row has as many as there are columns.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@final
class Report:
    """What `explain` and `watch` found.

    `print(report)` shows it as text, a notebook as HTML; `html()`, `json()` and `sarif()` return it as text in these
    formats.

    Attributes:
        title: what was looked at, in one line.
        tables: facts in addition to the findings.

    Example:
        >>> from treadle_insight import Finding
        >>> report = Report("step", [Finding("capture.large", "`W` f32[1500,1500], 9 MB, is captured.")])
        >>> report.findings("capture")[0].kind
        'capture.large'
        >>> report.findings("loop")
        ()
    """

    __slots__ = ("_findings", "tables", "title")

    def __init__(
        self, title: str, findings: Iterable[Finding], tables: Iterable[Table] = ()
    ) -> None:
        self.title = title
        self.tables = tuple(tables)
        self._findings = tuple(sorted(findings, key=lambda each: -each.cost.weight))

    def findings(self, kind: str | None = None) -> tuple[Finding, ...]:
        """Return the findings, the most costly first.

        Args:
            kind: a kind, such as `recompile.shape`, or the beginning of one, such as `recompile`; None for all.
        """
        if kind is None:
            return self._findings
        within = f"{kind}."
        return tuple([x for x in self._findings if x.kind == kind or x.kind.startswith(within)])

    def __str__(self) -> str:
        from treadle_insight.views.text import report_text  # noqa: PLC0415 - views know reports

        return report_text(self)

    def __repr__(self) -> str:
        return f"<report on {self.title}: {len(self._findings)} findings>"

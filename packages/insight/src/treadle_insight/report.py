"""Reports: findings in the order of their cost, and the tables that `explain` shows with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import TextIO, final

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

    `print(report)` shows it as plain text, `show()` in colours on a terminal, a notebook as HTML; `html()`, `json()`
    and `sarif()` return it as text in these formats.

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

    @classmethod
    def of_processes(cls, reports: Mapping[str, Report]) -> Report:
        """Return one report of the reports that the processes of a program made.

        A finding that several processes have is one finding, which names them, with the largest of its costs. Tables
        stay apart.

        Args:
            reports: the reports, by the names of the processes.

        Example:
            >>> from treadle_insight import Finding
            >>> found = [Finding("nan.made", "A nan was made.")]
            >>> both = Report.of_processes({"0": Report("step", found), "1": Report("step", found)})
            >>> both.findings()[0].why
            ('In processes 0, 1.',)
        """
        found: dict[tuple[object, ...], list[tuple[str, Finding]]] = {}
        for process, report in reports.items():
            for finding in report.findings():
                key = (finding.kind, finding.what, finding.where, finding.fix)
                found.setdefault(key, []).append((process, finding))
        together = []
        for several in found.values():
            largest = max([finding for _, finding in several], key=lambda each: each.cost.weight)
            names = [*dict.fromkeys([process for process, _ in several])]
            where = f"In process{'es' if names[1:] else ''} {', '.join(names)}."
            together.append(replace(largest, why=(*largest.why, where)))
        tables = [
            replace(table, title=f"process {process}: {table.title}")
            for process, report in reports.items()
            for table in report.tables
        ]
        title = ", ".join(dict.fromkeys([report.title for report in reports.values()]))
        return cls(f"{title}, {len(reports)} processes", together, tables)

    # Each view is imported where it is asked for: views know reports.

    def show(self, file: TextIO | None = None) -> None:
        """Print the report: in colours on a terminal, if rich is installed.

        Args:
            file: where to print; standard output by default.
        """
        from treadle_insight.views.terminal import show  # noqa: PLC0415

        show(self, file)

    def html(self) -> str:
        """Return the report as a document of HTML: self-contained, readable without scripts."""
        from treadle_insight.views.html import report_html  # noqa: PLC0415

        return report_html(self)

    def json(self) -> str:
        """Return the report as JSON: `version`, `title`, `findings`, `tables`."""
        from treadle_insight.views.data import report_json  # noqa: PLC0415

        return report_json(self)

    @classmethod
    def of_json(cls, text: str) -> Report:
        """Return the report that `json` returned as text, in this process or in another one.

        Args:
            text: the JSON.

        Raises:
            ArgumentError: the text is not a report, or one of a later version.
        """
        from treadle_insight.views.data import report_of_json  # noqa: PLC0415

        return report_of_json(text)

    def sarif(self, root: str | PathLike[str] | None = None) -> str:
        """Return the report as SARIF 2.1.0, which editors and code hosts show at the lines of a program.

        Args:
            root: the folder of the sources, such as the root of a repository; the current folder by default.
        """
        from treadle_insight.views.sarif import report_sarif  # noqa: PLC0415

        return report_sarif(self, root)

    def _repr_html_(self) -> str:
        """Return what notebooks show."""
        from treadle_insight.views.html import report_fragment  # noqa: PLC0415

        return report_fragment(self)

    def __str__(self) -> str:
        from treadle_insight.views.text import report_text  # noqa: PLC0415

        return report_text(self)

    def __repr__(self) -> str:
        count = len(self._findings)
        return f"<report on {self.title}: {count} finding{'' if count == 1 else 's'}>"

"""Reports as HTML: self-contained, readable without scripts, light and dark."""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

from treadle_insight.finding import Finding
from treadle_insight.place import Place
from treadle_insight.report import Report, Table
from treadle_insight.views.text import heading
from treadle_ir.errors import short_name

_AROUND: Final = 2  # lines of source before and after a place
_ARROWS: Final = 2  # in the margin of one line
_LONGEST: Final = 3_000  # lines of a file that is shown whole

# Within `.treadle` alone: a notebook shows the fragment among other things.
_STYLE: Final = """
.treadle { --back: #ffffff; --card: #f6f7f9; --text: #1c2128; --faint: #57606a; --line: #d0d7de; --proved: #b42318;
  --suspected: #8a5a00; --fix: #1a6b35; --mark: #ffe7a3; color: var(--text); background: var(--back);
  font: 15px/1.5 system-ui, sans-serif; padding: 1rem; box-sizing: border-box; overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) { .treadle { --back: #14171c; --card: #1d2229; --text: #e4e8ee; --faint: #9aa4b0;
  --line: #3a424d; --proved: #ff9288; --suspected: #f0c05a; --fix: #7fd69a; --mark: #5b4a12; } }
.treadle > * { max-width: 60rem; margin-inline: auto; box-sizing: border-box; }
.treadle h1 { font-size: 1.3rem; } .treadle h2 { font-size: 1.1rem; margin-top: 2rem; }
.treadle article { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--proved);
  border-radius: 4px; padding: .7rem 1rem; margin-block: 1rem; }
.treadle article.suspected { border-left-color: var(--suspected); }
.treadle article p { margin: .3rem 0; } .treadle ul { margin: .3rem 0; padding-left: 1.2rem; color: var(--faint); }
.treadle .kind { font: 600 .85rem ui-monospace, monospace; color: var(--proved); }
.treadle .suspected .kind { color: var(--suspected); } .treadle .cost { float: right; color: var(--faint); }
.treadle .fix { color: var(--fix); } .treadle .where { color: var(--faint); font-size: .9rem; }
.treadle pre { font: .85rem/1.5 ui-monospace, monospace; margin: .4rem 0; overflow-x: auto; background: var(--back);
  border: 1px solid var(--line); border-radius: 4px; padding: .4rem 0; overflow-wrap: normal; }
.treadle pre > span { display: block; width: max-content; min-width: 100%; box-sizing: border-box; }
.treadle pre.code { padding: .4rem .8rem; }
.treadle pre i { display: inline-block; width: 5.5em; padding-right: .8em; text-align: right; font-style: normal;
  color: var(--faint); user-select: none; box-sizing: border-box; }
.treadle pre i a { color: var(--proved); text-decoration: none; font-weight: 700; }
.treadle pre .marked { background: var(--mark); } .treadle mark { background: none; color: inherit;
  text-decoration: underline 2px var(--proved); text-underline-offset: 3px; }
.treadle table { border-collapse: collapse; display: block; overflow-x: auto; font-size: .9rem; }
.treadle th, .treadle td { text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
.treadle details { margin-block: 1rem; } .treadle summary { cursor: pointer; }
"""


def report_html(report: Report) -> str:
    """Return a report as a document of HTML: findings, tables, and the user's files with marks in the margin.

    Args:
        report: the report.
    """
    title = escape(report.title)
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>{title} - treadle</title>'
        "<style>html { background: #ffffff; } body { margin: 0; } "
        "@media (prefers-color-scheme: dark) { html { background: #14171c; } }"
        f"{_STYLE}</style></head>\n"
        f'<body><main class="treadle">{_body(report, linked=True)}{_files(report.findings())}</main></body></html>\n'
    )


def report_fragment(report: Report) -> str:
    """Return a report as an element of HTML with its style: findings and tables, for notebooks.

    Args:
        report: the report.
    """
    return f'<div class="treadle"><style>{_STYLE}</style>{_body(report, linked=False)}</div>'


def _body(report: Report, *, linked: bool) -> str:
    """Return heading, findings and tables; findings can be linked to where they are alone in a document."""
    parts = [f"<h1>{escape(heading(report))}</h1>"]
    parts += [
        _card(each, f"finding-{number}" if linked else "")
        for number, each in enumerate(report.findings(), 1)
    ]
    parts += [_table(table) for table in report.tables if table.rows]
    return "\n".join(parts)


def _card(finding: Finding, name: str) -> str:
    """Return a finding with the lines of source around its places."""
    certainty = "proved" if finding.certain else "suspected"
    cost = f'<span class="cost">{escape(str(finding.cost))}</span>' if finding.cost.weight else ""
    said = "" if finding.certain else " (suspected)"
    parts = [
        f'<article class="{certainty}"' + (f' id="{name}">' if name else ">"),
        f'<p>{cost}<span class="kind">{escape(finding.kind)}{said}</span></p>',
        f"<p>{escape(finding.what)}</p>",
        *[_snippet(place) for place in finding.where[:3]],
    ]
    if finding.why:
        parts.append(f"<ul>{''.join([f'<li>{escape(each)}</li>' for each in finding.why])}</ul>")
    if finding.fix:
        parts.append(f'<p class="fix"><b>fix:</b> {escape(finding.fix)}</p>')
    if finding.code:
        parts.append(f'<pre class="code">{escape(finding.code)}</pre>')
    return "\n".join([*parts, "</article>"])


def _snippet(place: Place) -> str:
    """Return a place, and the lines of source around it."""
    function = f", in {place.name}" if place.name and place.name != "<module>" else ""
    where = f'<p class="where">{escape(str(place))}{escape(function)}</p>'
    source = linecache.getlines(place.file) if place.file and place.line else []
    first = max(1, place.line - _AROUND)
    shown = source[first - 1 : place.line + _AROUND]
    if not shown:
        return where
    lines = _lines(shown, first, {place.line: [("", place)]})
    return f"{where}<pre>{''.join(lines)}</pre>"


def _files(findings: Sequence[Finding]) -> str:
    """Return the files with findings, each whole, with links to the findings in the margin."""
    marks: dict[str, dict[int, list[tuple[str, Place]]]] = {}
    for number, finding in enumerate(findings, 1):
        for place in finding.where[:1]:
            marks.setdefault(place.file, {}).setdefault(place.line, []).append((str(number), place))
    parts = []
    for file, marked in marks.items():
        source = linecache.getlines(file)
        if not source or len(source) > _LONGEST:
            continue
        count = sum([len(each) for each in marked.values()])
        said = "1 finding" if count == 1 else f"{count} findings"
        parts.append(
            f"<details open><summary>{escape(short_name(file))}, {said}</summary>"
            f"<pre>{''.join(_lines(source, 1, marked))}</pre></details>"
        )
    return "\n<h2>Source</h2>\n" + "\n".join(parts) if parts else ""


def _lines(
    source: Iterable[str], first: int, marked: dict[int, list[tuple[str, Place]]]
) -> Iterator[str]:
    """Yield lines of source with their numbers; marked ones have links to findings, or an arrow, in the margin."""
    for number, line in enumerate(source, first):
        marks = marked.get(number, [])
        arrow = " ".join([_arrow(name) for name, _ in marks[:_ARROWS]])
        arrow += "&#8230;" if len(marks) > _ARROWS else ""
        text = _underlined(line.rstrip("\n"), marks[0][1]) if marks else escape(line.rstrip("\n"))
        kind = ' class="marked"' if marks else ""
        yield f"<span{kind}><i>{arrow} {number}</i>{text or ' '}</span>"


def _arrow(name: str) -> str:
    """Return the mark of a finding in the margin, which leads to it if it has a name."""
    return f'<a href="#finding-{name}">{name}&#9654;</a>' if name else "&#9654;"


def _underlined(line: str, place: Place) -> str:
    """Return a line in which the expression of a place is underlined, if its columns are known."""
    if not place.column:
        return escape(line)
    start = place.column - 1
    stop = place.end_column - 1 if place.end_line == place.line else len(line)
    inside = escape(line[start:stop])
    return f"{escape(line[:start])}<mark>{inside}</mark>{escape(line[stop:])}"


def _table(table: Table) -> str:
    """Return a table, all of its rows."""
    head = "".join([f"<th>{escape(each)}</th>" for each in table.columns])
    rows = [
        "<tr>" + "".join([f"<td>{escape(cell)}</td>" for cell in row]) + "</tr>"
        for row in table.rows
    ]
    return f"<h2>{escape(table.title)}</h2>\n<table><tr>{head}</tr>{''.join(rows)}</table>"

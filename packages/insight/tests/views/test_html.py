"""Reports as HTML: well formed, self-contained, without scripts; the source with marks."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from treadle_insight import Report

ALONE = {"meta"}  # elements without an end


class Elements(HTMLParser):
    """Collects elements and text, and insists that elements end in the order in which they began."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ALONE:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def elements(text: str) -> Elements:
    parser = Elements()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    return parser


@pytest.mark.parametrize("view", ["html", "_repr_html_"])
def test_it_is_well_formed_and_needs_nothing_else(view: str, report: Report) -> None:
    text = getattr(report, view)()
    found = elements(text)
    assert not [tag for tag, _ in found.tags if tag in {"script", "link", "img", "iframe"}]
    assert not [name for _, values in found.tags for name in values if name.startswith("on")]
    assert not re.search(r"url\(|@import|https?:", text)
    assert "prefers-color-scheme: dark" in text


def test_text_of_users_is_escaped(report: Report) -> None:
    text = report.html()
    assert "<f32[]>" not in text
    shown = elements(text).text
    for each in ("<f32[]>", "1 < 2 times", "a & b", "x * scale < 3 and x"):
        assert each in shown


def test_the_expression_is_underlined_and_the_line_is_marked(report: Report) -> None:
    text = report.html()
    assert "<mark>x * scale</mark> &lt; 3" in text
    assert (
        text.count('<span class="marked">') == 3
    )  # two places of the first finding; its line in the file


def test_the_margin_of_the_source_leads_to_the_finding(report: Report) -> None:
    found = elements(report.html())
    names = {values["id"] for _, values in found.tags if "id" in values}
    links = [str(values["href"]) for tag, values in found.tags if tag == "a"]
    assert names == {"finding-1", "finding-2"}
    assert links == ["#finding-1"]


def test_all_lines_of_the_source_are_shown(report: Report) -> None:
    source = report.html().partition("<h2>Source</h2>")[2]
    assert re.findall(r"(\d+)</i>", source) == ["1", "2", "3", "4"]


def test_the_margin_has_room_for_the_marks_of_two_findings(report: Report) -> None:
    many = Report("f", report.findings("capture") * 5)
    source = many.html().partition("<h2>Source</h2>")[2]
    assert re.findall(r"#finding-(\d)", source) == ["1", "2"]
    assert "&#9654;</a>&#8230; 4</i>" in source


def test_a_report_without_findings() -> None:
    assert "nothing to say" in elements(Report("f", []).html()).text


def test_the_fragment_styles_nothing_but_itself(report: Report) -> None:
    text = report._repr_html_()
    assert text.startswith('<div class="treadle">')
    style = re.sub(
        r"@media[^{]*\{|\}\s*\}", "}", text.partition("<style>")[2].partition("</style>")[0]
    )
    selectors = [each for rule in re.findall(r"([^{}]+)\{", style) for each in rule.split(",")]
    assert selectors
    assert all([each.strip().startswith(".treadle") for each in selectors])
    assert "id=" not in text  # several reports in one notebook

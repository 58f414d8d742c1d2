"""The pages about findings: each question of the FAQ says which kinds answer it, and each kind names its question."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Final

import pytest

from treadle_insight import findings

pytestmark = pytest.mark.programs


PAGE: Final = Path(__file__).parents[2] / "docs" / "faq.md"
TELLS: Final = "treadle tells you: "


def sections() -> dict[str, str]:
    """Return the text below each heading of the FAQ."""
    _, *parts = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)
    return {heading: text for heading, _, text in [part.partition("\n") for part in parts]}


def told(text: str) -> str:
    """Return the paragraph of a section that says what treadle tells."""
    (found,) = [part for part in text.split("\n\n") if part.startswith(TELLS)]
    return found


def named(text: str) -> list[str]:
    """Return the kinds that a paragraph names."""
    return re.findall(r"`([a-z]+\.[a-z_]+)`", text)


@pytest.mark.parametrize("heading", sections())
def test_each_question_says_what_treadle_tells(heading: str) -> None:
    paragraph = told(sections()[heading])
    assert named(paragraph) or "the error names" in paragraph


@pytest.mark.parametrize("heading", sections())
def test_each_kind_that_is_named_exists(heading: str) -> None:
    codes = named(told(sections()[heading]))
    assert [code for code in codes if code not in findings] == []


@pytest.mark.parametrize("code", [code for code, kind in findings.items() if kind.topic])
def test_each_kind_is_named_by_its_question(code: str) -> None:
    topic = findings[code].topic
    assert topic in sections(), f"docs/faq.md has no heading {topic!r}"
    words = {each.partition(".")[0] for each in named(told(sections()[topic]))}
    assert code.partition(".")[0] in words, f"{topic!r} does not name {code}"


def test_the_page_of_findings_is_compared_without_durations() -> None:
    path = Path(__file__).parents[2] / "scripts" / "findings_page.py"
    spec = importlib.util.spec_from_file_location("findings_page", path)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    page = "f was traced 7 times more, in 98 ms, 93 % of [1.2\n  s].\n\n64 % of the program"
    same = "f was traced 7 times more,\n  in 1,198 us, 9 % of [2 s].\n\n64 % of the program"
    assert script.compared(page) == script.compared(same)
    for change in (("7 times", "8 times"), ("64 %", "65 %"), ("98 ms", "soon")):
        assert script.compared(page) != script.compared(page.replace(*change))

"""Every row has its test; those about accelerators are skipped by name where there is none."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

from conformance.faq.rows import ROWS, TOPICS


def _marked() -> list[tuple[str, str, str]]:
    """Row, file and function of each test with a mark, read from the sources: no test need be collected."""
    found = []
    for file in sorted(Path(__file__).parent.rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef):
                for mark in node.decorator_list:
                    if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "row":
                        found += [
                            (str(ast.literal_eval(each)), file.name, node.name)
                            for each in mark.args
                        ]
    return found


def test_there_are_235_rows() -> None:
    assert len(ROWS) == sum(TOPICS.values()) == 235


def test_every_row_has_a_test() -> None:
    assert {id for id, _, _ in _marked()} == ROWS


def test_each_row_has_one_test() -> None:
    counts = Counter(id for id, _, _ in _marked())
    assert [id for id, count in counts.items() if count > 1] == []


def test_a_test_is_named_by_its_row() -> None:
    rows: dict[tuple[str, str], list[str]] = {}
    for id, file, name in _marked():
        rows.setdefault((file, name), []).append(id)
    for (file, name), ids in rows.items():
        topic, number = ids[0].lower().split("-")
        assert file == f"test_{topic}.py"
        assert name.startswith(f"test_{topic}_{number}_")


def test_the_page_names_the_rows_that_have_a_test() -> None:
    page = (Path(__file__).parents[2] / "docs" / "faq.md").read_text()
    named = set(re.findall(r"[A-Z]{3}-\d\d", page))
    for topic, first, last in re.findall(r"([A-Z]{3})-(\d\d)\s+to\s+[A-Z]{3}-(\d\d)", page):
        named |= {f"{topic}-{number:02}" for number in range(int(first), int(last) + 1)}
    assert named == {id for id, _, _ in _marked()}

"""Every row has its test, or stands here with the reason why not yet."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path
from typing import Final

from conformance.faq.rows import ROWS, TOPICS

_GPU: Final = "needs an accelerator"

NOT_YET: Final = {
    "PLC-03": _GPU,
    "PLC-05": _GPU,
    "PLC-12": _GPU,
    "BEN-15": _GPU,
    "BEN-16": _GPU,
    "BEN-17": _GPU,
    "DON-21": _GPU,
    "CUD-02": _GPU,
    "CUD-03": _GPU,
    "CUD-04": _GPU,
}


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


def test_every_row_has_a_test_or_a_reason() -> None:
    tested = {id for id, _, _ in _marked()}
    assert ROWS - tested - set(NOT_YET) == set()
    assert tested <= ROWS
    assert tested & set(NOT_YET) == set(), "these have a test: take them out of NOT_YET"
    assert set(NOT_YET) <= ROWS


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

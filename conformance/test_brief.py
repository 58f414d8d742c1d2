"""A brief run keeps every law and every operation."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.brief import ONE_OF, divided, slow_cases, slow_in
from conformance.test_lowering import _is_unique
from conformance.variants import variant_keys

pytestmark = pytest.mark.programs


@pytest.mark.parametrize("law", ONE_OF)
def test_each_law_exists(law: str) -> None:
    file, _, function = law.partition("::")
    here = Path(__file__).parent
    root = here.parent if file.startswith("packages/") else here
    assert f"\ndef {function}(" in (root / file).read_text()


class _Case:
    """What `divided` reads of a test."""

    def __init__(self, root: Path, file: str, function: str, number: int) -> None:
        self.path = root / "conformance" / file
        self.config = SimpleNamespace(rootpath=root)
        self.originalname = function
        self.name = f"{function}[{number}]"


def _cases(root: Path, law: str, count: int) -> list[Any]:
    file, _, function = law.partition("::")
    return [_Case(root, file, function, number) for number in range(count)]


def test_slow_cases_are_left_out_where_quicker_ones_remain() -> None:
    root = Path("root")
    items = [*_cases(root, "test_a.py::test", 3), *_cases(root, "test_b.py::test", 3)]
    slow = {
        "test_a.py::test[0]",
        "test_a.py::test[2]",
        *(f"test_b.py::test[{i}]" for i in range(3)),
    }
    kept, left_out = divided(items, slow)
    assert kept == [items[1], items[3]]
    assert left_out == [items[0], items[2], items[4], items[5]]


def test_a_report_says_what_is_slow(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(
        "<testsuites><testsuite>"
        '<testcase classname="conformance.sharding.test_a" name="test_b[1-x]" time="2.5" />'
        '<testcase classname="conformance.test_c" name="test_d" time="0.1" />'
        '<testcase classname="packages.numpy-api.tests.test_e" name="test_f[2]" time="0.3" />'
        "</testsuite></testsuites>"
    )
    assert slow_in(report) == [
        "packages/numpy-api/tests/test_e.py::test_f[2]",
        "sharding/test_a.py::test_b[1-x]",
    ]


def test_slow_cases_are_of_files_that_exist() -> None:
    files = {case.partition("::")[0] for case in slow_cases()}
    here = Path(__file__).parent
    missing = [
        each for each in files if not ((here / each).exists() or (here.parent / each).exists())
    ]
    assert not missing


def test_slow_cases_of_packages_are_left_out() -> None:
    root = Path("root")
    law = "../packages/ir/tests/test_a.py::test"
    items = _cases(root, law, 3)
    for item in items:
        item.path = root / "packages/ir/tests/test_a.py"
    kept, left_out = divided(items, {"packages/ir/tests/test_a.py::test[1]"})
    assert kept == [items[0], items[2]]
    assert left_out == [items[1]]


def test_one_case_of_every_few_is_kept() -> None:
    root = Path("root")
    laws = {"test_lowering.py::test_compiled_agrees_in_every_element_type": 7, "test_a.py::test": 4}
    items = [each for law, count in laws.items() for each in _cases(root, law, count)]
    kept, left_out = divided(items, ())
    names = Counter(each.originalname for each in kept)  # type: ignore[attr-defined]  # of functions
    every = ONE_OF["test_lowering.py::test_compiled_agrees_in_every_element_type"]
    assert names == {"test_compiled_agrees_in_every_element_type": -(-7 // every), "test": 4}
    assert len(kept) + len(left_out) == 11


def test_every_operation_is_met_in_some_element_type() -> None:
    every = ONE_OF["test_lowering.py::test_compiled_agrees_in_every_element_type"]
    keys = [(each.values if hasattr(each, "values") else each) for each in variant_keys(_is_unique)]
    classes = Counter(cls for cls, _ in keys)
    met = {cls for cls, _ in keys[::every]}
    assert {cls for cls, count in classes.items() if count >= every} <= met

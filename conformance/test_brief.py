"""A brief run keeps every law and every operation."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.brief import ONE_OF, divided
from conformance.test_lowering import _is_unique
from conformance.variants import variant_keys

pytestmark = pytest.mark.programs


@pytest.mark.parametrize("law", ONE_OF)
def test_each_law_exists(law: str) -> None:
    file, _, function = law.partition("::")
    assert f"\ndef {function}(" in (Path(__file__).parent / file).read_text()


def test_one_case_of_every_few_is_kept() -> None:
    root = Path("root")
    laws = {"test_lowering.py::test_compiled_agrees_in_every_element_type": 7, "test_a.py::test": 4}
    items: list[Any] = []
    for law, count in laws.items():
        file, _, name = law.partition("::")
        path, config = root / "conformance" / file, SimpleNamespace(rootpath=root)
        items += [SimpleNamespace(path=path, config=config, originalname=name)] * count
    kept, left_out = divided(items)
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

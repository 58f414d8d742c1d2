"""A pytest plugin that counts what the suite's laws are tried on: by law, operation and element type, into a JSON file.

python -m pytest -p conformance.counting --law-counts counts.json conformance

Among several workers of pytest-xdist the first writes the file: each of them collects the whole suite. The
comparison with JAX is not counted, which has a session of its own.
"""

from __future__ import annotations

import inspect
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from conformance.brief import LEFT_OUT
from conformance.variants import subject, variants
from treadle_ir.core import dtypes
from treadle_ir.testing.examples import Example

DRAWN: Final = "drawn"  # where an element type would stand: hypothesis draws it


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--law-counts", metavar="FILE", help="count the laws' cases into a JSON file")


def cases(parameters: dict[str, Any]) -> list[tuple[str, str, int]]:
    """Return the operations and dtypes that one test covers, and the number of cases of each."""
    example, cls = parameters.get("example"), parameters.get("cls")
    if "several" in parameters:
        return [each for one in parameters["several"] for each in cases({"example": one})]
    if isinstance(example, Example):
        return [(example.primitive.name, dtypes.dtype_name(subject(example)), 1)]
    if cls is not None and "name" in parameters:
        return [(cls.name, parameters["name"], len(variants()[cls, parameters["name"]]))]
    if cls is not None and "count" in parameters:
        return [(cls.name, DRAWN, parameters["count"])]
    mnemonic = getattr(cls, "name", None)
    return [(mnemonic, "", 1)] if isinstance(mnemonic, str) else []


def pytest_collection_finish(session: pytest.Session) -> None:
    path = session.config.getoption("--law-counts")
    if not path or os.environ.get("PYTEST_XDIST_WORKER", "gw0") != "gw0":
        return
    laws: dict[str, dict[str, Any]] = {}
    for item in [*session.items, *session.config.stash.get(LEFT_OUT, [])]:
        assert isinstance(item, pytest.Function)
        file = item.path.relative_to(session.config.rootpath / "conformance").as_posix()
        if file.startswith("parity/"):
            continue
        law = laws.setdefault(
            f"{file}::{item.originalname}",
            {
                "about": (inspect.getdoc(item.module) or "").partition("\n")[0],
                "tests": 0,
                "cases": 0,
                "operations": Counter(),
                "dtypes": Counter(),
            },
        )
        law["tests"] += 1
        spec = getattr(item, "callspec", None)
        found = cases(spec.params if spec is not None else {})
        law["cases"] += sum(count for _, _, count in found) if found else 1
        for operation, dtype, count in found:
            law["operations"][operation] += count
            if dtype:
                law["dtypes"][dtype] += count
    Path(path).write_text(json.dumps(laws, indent=1, sort_keys=True))

"""Passes are tested in the text format: each case in a .txt file has an input and the expected output.

`pytest --update` writes what the passes give now into the files; look at the difference before committing it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from treadle_ir import Program
from treadle_ir.analysis.verifier import verify
from treadle_ir.text import parse_program, print_program

FOLDER = Path(__file__).parent
Check: TypeAlias = Callable[[str, str, Callable[[Program], Program]], Program]
BEFORE, AFTER = "--- before\n", "--- after\n"


def read_cases(name: str) -> dict[str, tuple[str, str]]:
    """Title -> (before, after) of one file."""
    cases = {}
    for block in (FOLDER / f"{name}.txt").read_text().split("=== ")[1:]:
        title, _, rest = block.partition("\n")
        before, _, after = rest.removeprefix(BEFORE).partition(AFTER)
        cases[title] = (before, after)
    return cases


def header(text: str) -> str:
    return text if text.startswith("treadle") else "treadle 1\n" + text


@pytest.fixture
def check(request: pytest.FixtureRequest) -> Check:
    """`check(file, title, rewrite)` compares a pass with its expectation."""

    def run(name: str, title: str, rewrite: Callable[[Program], Program]) -> Program:
        cases = read_cases(name)
        before, after = cases[title]
        program = parse_program(header(before))
        result = rewrite(program)
        verify(result)
        assert result.result_types == program.result_types
        assert result.effects == program.effects
        text = print_program(result).removeprefix("treadle 1\n\n")
        if request.config.getoption("--update", default=False):
            cases[title] = (before, text + "\n")
            blocks = [f"=== {t}\n{BEFORE}{b}{AFTER}{a}" for t, (b, a) in cases.items()]
            (FOLDER / f"{name}.txt").write_text("".join(blocks).rstrip("\n") + "\n")
        else:
            assert text.strip() == after.strip()
        return result

    return run


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "title" in metafunc.fixturenames:
        name = metafunc.function.__name__.removeprefix("test_")
        metafunc.parametrize("title", read_cases(name))

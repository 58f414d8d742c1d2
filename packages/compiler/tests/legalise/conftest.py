"""Passes on programs in the text format."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from treadle_ir import Program
from treadle_ir.text import parse_program

Check = Callable[..., None]


def _whole(text: str) -> str:
    lines = [line.removeprefix("    ") for line in text.strip("\n").rstrip().splitlines()]
    return "\n".join(["treadle 1", "", *lines, ""])


@pytest.fixture
def golden() -> Check:
    """Compares what a pass makes of a program with another one; by default the pass is to return the program itself."""

    def check(run: Callable[[Program], Program], before: str, after: str | None = None) -> None:
        program = parse_program(_whole(before))
        changed = run(program)
        if after is None:
            assert changed is program
        else:
            assert str(changed) == _whole(after)

    return check

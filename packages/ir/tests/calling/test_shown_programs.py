from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from treadle_ir import ArrayType, ops, stage
from treadle_ir.calling import install_view, shown_program, shown_programs


@pytest.fixture
def view() -> Iterator[None]:
    before = shown_programs._installed[:]
    yield
    install_view(before[0] if before else None)


def test_programs_are_shown_by_what_is_installed(view: None) -> None:
    program = stage(lambda x: [ops.add(x, x)], ArrayType((), np.dtype("f4"))).program
    install_view(lambda program, captured, shardings: (program, *captured, shardings))
    captured = [np.float32(1), np.float32(2)]
    assert shown_program(program, captured) == (program, *captured, None)
    shardings = ([None], ["over x"])
    assert shown_program(program, captured, shardings) == (program, *captured, shardings)
    install_view(None)
    assert shown_program(program, []) is program

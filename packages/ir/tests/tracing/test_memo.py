"""What a program keeps of transformations of it."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArrayType, ops, stage
from treadle_ir.tracing import derived


class Made:
    captured = ()


def test_the_oldest_goes_where_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys may name programs that are new each time: the other branch of a `cond`."""
    monkeypatch.setattr(importlib.import_module("treadle_ir.tracing.memo"), "MOST_DERIVED", 3)
    program = stage(lambda x: [ops.sine(x)], ArrayType((), np.dtype("f4"))).program
    kept: dict[int, Any] = {key: derived(program, ("made", key), Made) for key in range(5)}
    assert len(program.derived[derived]) == 3
    for key in (2, 3, 4):
        assert derived(program, ("made", key), Made) is kept[key]
    assert derived(program, ("made", 0), Made) is not kept[0]

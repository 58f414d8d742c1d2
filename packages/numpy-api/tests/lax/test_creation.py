"""Arrays whose elements do not matter."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError, MissingRuleError, ShapeError
from treadle_numpy.lax import empty, stage


def test_empty() -> None:
    assert empty((2, 3), np.int32).shape == (2, 3)
    assert empty(2, "bfloat16").dtype.name == "bfloat16"
    with pytest.raises(ShapeError, match="has a negative size"):
        empty((-1,), np.float32)
    with pytest.raises(ArgumentError, match="empty: dtype must be an element type"):
        empty((1,), None)  # type: ignore[arg-type]


def test_empty_of_a_layout_needs_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treadle_ir.tracing.ports.installed.sharding", None)
    with pytest.raises(MissingRuleError, match="empty needs devices"):
        empty((1,), np.float32, out_sharding=object())


def test_stage() -> None:
    assert stage(2).dtype == np.int32
    assert stage(np.ones(3, np.float32)).shape == (3,)
    with pytest.raises(ArgumentError, match="stage requires ndarray or scalar"):
        stage([1])  # type: ignore[arg-type]

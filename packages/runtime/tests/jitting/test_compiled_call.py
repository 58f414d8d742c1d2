from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_runtime import from_host, jit

ops: Any = treadle_ir.ops  # Any: tests ask more of results than an operand has


@pytest.mark.parametrize(
    ("used", "captures"),
    [("abc", False), ("ca", False), ("b", False), ("", False), ("abc", True), ("ac", True)],
)
def test_a_program_gets_what_it_uses(used: str, captures: bool) -> None:
    values = {"a": 1.0, "b": 2.0, "c": 4.0}
    w = from_host(np.array([8.0], "f4"))

    def f(a: Any, b: Any, c: Any) -> Any:
        total = w if captures else ops.multiply(w, np.float32(0))
        for name in used:
            total = ops.add(total, {"a": a, "b": b, "c": c}[name])
        return total

    arrays = [from_host(np.array([value], "f4")) for value in values.values()]
    wanted = sum(values[name] for name in used) + (8.0 if captures else 0.0)
    jitted = jit(f)
    for _ in range(4):  # the slow path and the fast path
        assert jitted(*arrays).tolist() == [wanted]

"""Operations that take the fast path to their results."""

from __future__ import annotations

import numpy as np

from treadle_ir.primitives.elementwise import Sine
from treadle_runtime import from_host
from treadle_runtime.evaluation.operation import _is_unsharded


def test_operands_and_results_on_one_device_are_unsharded() -> None:
    placed = from_host(np.ones(2, np.float32)).placed
    assert _is_unsharded(Sine(), [placed], [placed])

"""First and second derivatives are JAX's, at the points of the law of derivatives and where functions have kinks."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from conformance.derivatives.row import Row
from conformance.derivatives.table import ROWS
from conformance.parity import exceptions
from conformance.parity.conftest import Ask, is_0_10
from conformance.parity.test_calls import compared

PLAIN: Final = [
    row for row in ROWS if row.function is None and row.orders > 1 and row.modes == "FR"
]


def asked(row: Row, points: Any) -> dict[str, Any]:
    """A row's function at points."""
    arguments = [
        np.stack([np.asarray(x, np.float64) for x in xs]).tolist()
        for xs in zip(*points, strict=True)
    ]
    return {
        "do": "derivatives",
        "of": row.name,
        "arguments": arguments,
        "keywords": dict(row.keywords or {}),
    }


def test_first_and_second_derivatives(ask: Ask) -> None:
    questions = [asked(row, row.points) for row in PLAIN]
    questions += [asked(row, row.kinks) for row in PLAIN if row.kinks]
    used = compared(ask, questions, True)
    is_older = is_0_10()
    of_release = exceptions.DERIVATIVES_ONLY_0_10 if is_older else exceptions.DERIVATIVES_SINCE_0_11
    assert set(used) == {*exceptions.DERIVATIVES, *of_release}  # those that nothing needs go

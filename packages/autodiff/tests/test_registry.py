"""The reasons of flat operations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_autodiff import Flat, why_flat
from treadle_ir import ArrayType, Primitive
from treadle_ir.primitives import elementwise as e
from treadle_ir.primitives.compare import Compare
from treadle_ir.primitives.convert import Convert

_REAL = ArrayType((), np.dtype(np.float32))
_COMPLEX = ArrayType((), np.dtype(np.complex64))


@pytest.mark.parametrize(
    ("primitive", "operand", "type", "reason"),
    [
        (e.Floor(), 0, _REAL, Flat.ROUNDING),
        (e.Sine(), 0, _REAL, None),
        (e.Sign(), 0, _REAL, Flat.ROUNDING),
        (e.Sign(), 0, _COMPLEX, None),
        (e.NextAfter(), 0, _REAL, None),
        (e.NextAfter(), 1, _REAL, Flat.COMPARISON),
        (e.IntegerPower(0), 0, _REAL, Flat.CONSTANT),
        (e.IntegerPower(2), 0, _REAL, None),
        (Compare("lt"), 1, _REAL, Flat.COMPARISON),
        (Convert(np.dtype(np.int32)), 0, _REAL, Flat.INTEGER),
        (Convert(np.dtype(np.float64)), 0, _REAL, None),
    ],
)
def test_the_reason(primitive: Primitive, operand: int, type: Any, reason: Flat | None) -> None:
    assert why_flat(primitive, operand, type) is reason

"""Tangents and cotangents that users pass: of the primal's shape, element type and kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle.numpy as tnp
from treadle import jvp, linear_transpose, linearize, vjp
from treadle.errors import ShapeError

F32, C64 = np.float32(1), np.complex64(1)
PUSHED: list[Callable[..., Any]] = [
    lambda x, t: jvp(tnp.negative, (x,), (t,))[1],
    lambda x, t: linearize(tnp.negative, x)[1](t),
    lambda x, t: vjp(tnp.negative, x)[1](t)[0],
    lambda x, t: linear_transpose(tnp.negative, x)(t)[0],
]


@pytest.mark.parametrize("pushed", PUSHED, ids=["jvp", "linearize", "vjp", "linear_transpose"])
@pytest.mark.parametrize(
    ("primal", "tangent"),
    [
        (F32, 1),
        (F32, True),
        (F32, 1j),
        (F32, np.int32(1)),
        (F32, np.float16(1)),
        (C64, 1),
        (C64, 1.0),
        (1.0, 1),
        (1.0, 1j),
        (1j, 1.0),
    ],
)
def test_a_tangent_of_another_kind_is_refused(
    pushed: Callable[..., Any], primal: Any, tangent: Any
) -> None:
    with pytest.raises(ShapeError, match="they must have one shape and element type"):
        pushed(primal, tangent)


@pytest.mark.parametrize("pushed", PUSHED, ids=["jvp", "linearize", "vjp", "linear_transpose"])
@pytest.mark.parametrize(("primal", "tangent"), [(F32, 2.0), (np.float16(1), 2.0), (C64, 2j)])
def test_a_python_number_of_the_kind_is_taken(
    pushed: Callable[..., Any], primal: Any, tangent: Any
) -> None:
    found = pushed(primal, tangent)
    assert found == -tangent
    assert found.dtype == primal.dtype

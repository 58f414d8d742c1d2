"""Tangents and cotangents that users pass: of the primal's shape, element type and kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle
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


@treadle.custom_jvp
def turned(x: Any) -> Any:
    return tnp.sin(x)


turned.defjvp(lambda primals, tangents: (turned(*primals), tangents[0] * 1j))


@treadle.custom_vjp
def turned_back(x: Any) -> Any:
    return tnp.sin(x)


turned_back.defvjp(lambda x: (turned_back(x), None), lambda kept, ct: (ct * 1j,))


@pytest.mark.parametrize("function", [turned, turned_back])
@pytest.mark.parametrize("x", [1.0, F32, np.ones(2, np.float32)])
def test_rules_do_not_return_complex_tangents_of_floats(function: Any, x: Any) -> None:
    for derivative in (treadle.grad, lambda f: treadle.jit(treadle.grad(f))):
        with pytest.raises(
            ShapeError, match=r"rule of `turned.*` returned a (co)?tangent of type c"
        ):
            derivative(lambda x: tnp.sum(function(x)))(x)


def test_the_linear_program_of_a_linearized_function() -> None:
    linear: Any = linearize(lambda x: 3.0 * x, 1.0)[1]
    (program,) = linear.func.args
    assert "mul" in str(program)
    assert linear(2.0) == 6.0

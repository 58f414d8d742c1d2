from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_autodiff import custom_jvp, grad, jvp
from treadle_ir import ArrayType
from treadle_ir.primitives import effectful

ops: Any = treadle_ir.ops  # Any: tests ask more of results than an operand has
F32 = ArrayType((), np.dtype("f4"))


def host_sine(x: Any) -> Any:
    (y,) = effectful.pure_callback(x, function=lambda v: np.sin(v), results=[F32])
    return y


def test_trc07_debug_callbacks_see_the_primals_of_a_derivative() -> None:
    seen: list[float] = []

    def f(x: Any) -> Any:
        effectful.debug_callback(x, function=lambda v: seen.append(float(v)))
        return ops.multiply(x, x)

    assert float(grad(f)(np.float32(3))) == 6
    assert seen == [3.0]
    jvp(f, (np.float32(2),), (np.float32(1),))
    assert seen == [3.0, 2.0]


def test_trc10_pure_callback_has_no_derivative_of_its_own() -> None:
    with pytest.raises(ValueError, match="callbacks have no derivative") as caught:
        grad(host_sine)(np.float32(1))
    assert any("custom_jvp" in note for note in caught.value.__notes__)


def test_trc11_pure_callback_with_custom_jvp() -> None:
    @custom_jvp
    def sine(x: Any) -> Any:
        return host_sine(x)

    @sine.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        (x,), (dx,) = primals, tangents
        return sine(x), ops.multiply(ops.cosine(x), dx)

    assert float(grad(sine)(np.float32(1))) == pytest.approx(np.cos(1), rel=1e-6)


def test_callbacks_of_constants_do_not_stand_in_the_way() -> None:
    def f(x: Any) -> Any:
        return ops.multiply(x, host_sine(np.float32(1)))

    assert float(grad(f)(np.float32(2))) == pytest.approx(np.sin(1), rel=1e-6)
